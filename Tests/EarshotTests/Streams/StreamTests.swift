import Earshot
import Foundation
import Synchronization
import Testing

/// What a stream promises while its members stay.
@Suite("Streams", .timeLimit(.minutes(30)))
struct StreamTests {
  @Test("Both sides read exactly what the other one wrote, to the end", arguments: Ground.allCases)
  func bothWays(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open("both")
      #expect(anns.name == "both" && anns.peer == bob.id && bobs.peer == ann.id)
      #expect(anns.isReadable && anns.isWritable && bobs.isReadable && bobs.isWritable)
      let (there, back) = (StreamPair.bytes(3_000_000), StreamPair.bytes(700_000, from: 5))
      let writing = bob.start { () async throws in
        #expect(try await bobs.write(there) == there.count)
        bobs.finish()
        try await bobs.waitForDelivery()
      }
      let answering = ann.start { () async throws in
        #expect(try await anns.write(back) == back.count)
        anns.finish()
      }
      let answer = bob.start { () async throws in try await bobs.readAll() }
      #expect(try await anns.readAll().isSame(as: there))
      #expect(try await answer.value.isSame(as: back))
      try await writing.value
      try await answering.value
      #expect(try await anns.read(upTo: 1) == nil)
      try await anns.waitForDelivery()
      for (stream, written, read) in [(bobs, 3_000_000, 700_000), (anns, 700_000, 3_000_000)] {
        let counts = stream.statistics
        #expect(counts.bytesWritten == written && counts.bytesAcknowledged == written)
        #expect(counts.bytesReceived == read && counts.bytesRead == read)
      }
    }
  }

  @Test("A stream in one direction is written by its opener alone", arguments: Ground.allCases)
  func oneWay(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open(isOneWay: true)
      #expect(anns.isReadable && !anns.isWritable && !bobs.isReadable && bobs.isWritable)
      try await bobs.write([1, 2, 3])
      bobs.finish()
      #expect(try await anns.readAll() == [1, 2, 3])
      #expect(await failure { try await anns.write([1]) }?.code == .streamFinished)
      #expect(await failure { try await anns.waitForDelivery() }?.code == .streamFinished)
      #expect(await failure { try await bobs.read(upTo: 1) }?.code == .streamFinished)
    }
  }

  @Test("A name has up to 255 bytes, and several streams may share it")
  func names() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let longest = String(repeating: "é", count: 127) + "a"
      for name in ["", longest, longest] {
        let (bobs, anns) = try await pair.open(name)
        #expect(bobs.name == name && anns.name == name)
      }
      let error = await failure { try await pair.guest.openStream(longest + "b", to: ann.id) }
      #expect(error?.code == .invalidStreamName)
    }
  }

  @Test("A stream is opened only to a member")
  func notConnected() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let stranger = await failure { try await pair.guest.openStream("x", to: bob.id) }
      #expect(stranger?.code == .notConnected && stranger?.peers == [bob.id])
      await pair.guest.stop()
      let left = await failure { try await pair.guest.openStream("x", to: ann.id) }
      #expect(left?.code == .sessionEnded)
    }
  }

  @Test(
    "A stream that nobody reads holds up neither messages nor other streams, nor do messages",
    arguments: Ground.allCases)
  func independent(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (stuck, unread) = try await pair.open("stuck")
      let blocked = bob.start { () async throws in
        try await stuck.write(StreamPair.bytes(4 << 20))
      }
      // Messages that nobody takes, until there is no room.
      let message = [UInt8](repeating: 7, count: 60_000)
      var count = 0
      while (try? pair.guest.trySend(message)) != nil { count += 1 }
      #expect(count > 60)
      let (bobs, anns) = try await pair.open("free")
      let writing = bob.start { () async throws in
        try await bobs.write(StreamPair.bytes(1 << 20))
        bobs.finish()
      }
      #expect(try await anns.readAll().isSame(as: StreamPair.bytes(1 << 20)))
      try await writing.value
      #expect(await pair.host.take(count).count == count)
      #expect(unread.statistics.bytesRead == 0 && unread.statistics.bytesReceived <= 1 << 20)
      blocked.cancel()
      let taken = try await blocked.value
      #expect(0 < taken && taken < 4 << 20)
    }
  }

  @Test("Writing waits for its reader, and tryWrite takes what fits")
  func backPressure() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      var written = 0
      while case let taken = try bobs.tryWrite(StreamPair.bytes(100_000, from: written)), taken > 0
      {
        written += taken
        try await bob.wait(milliseconds: 20)
      }
      #expect(100_000 < written && written <= 2 << 20)
      let rest = StreamPair.bytes(300_000, from: written)
      let waiting = bob.start { () async throws in
        let count = try await bobs.write(rest)
        let left = bobs.statistics.bytesWritten - bobs.statistics.bytesAcknowledged
        #expect(left <= 1 << 19)
        return count
      }
      try await bob.wait(milliseconds: 100)
      #expect(try bobs.tryWrite([9]) == 0)
      bobs.finish()
      #expect(try await anns.readAll().isSame(as: StreamPair.bytes(written + 300_000)))
      #expect(try await waiting.value == 300_000)
    }
  }

  @Test("No call overtakes a write that waits, whatever room there is, until it is cancelled")
  func overtaking() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob, Session.Configuration(sendBufferBytes: 400_000))
      let (other, others) = try await pair.open("other")
      let (bobs, anns) = try await pair.open()
      #expect(try other.tryWrite(StreamPair.bytes(400_000)) > 100_000)
      let first = bob.start { try await bobs.write(StreamPair.bytes(1 << 20)) }
      let second = bob.start { try await bobs.write([7, 7]) }
      try await bob.wait(milliseconds: 500)
      other.reset()  // Which makes room, while nothing happens in the stream itself.
      #expect(try bobs.tryWrite([9]) == 0)
      try await bob.wait(milliseconds: 500)
      first.cancel()
      let taken = try await first.value
      try await bob.wait(milliseconds: 100)
      #expect(bobs.statistics.bytesWritten == taken + 2)
      second.cancel()
      #expect(try await second.value == 2)
      #expect(try bobs.tryWrite([9]) == 1)
      #expect(others.statistics.bytesRead + anns.statistics.bytesRead == 0)
    }
  }

  @Test("Writes that a finish follows are sent before the end, and later ones are refused")
  func finishBehindWrites() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      let bytes = StreamPair.bytes(5 << 20)
      let waiting = bob.start { () async throws in try await bobs.write(bytes) }
      try await bob.wait(milliseconds: 50)
      bobs.finish()
      bobs.finish()
      #expect(await failure { try await bobs.write([1]) }?.code == .streamFinished)
      #expect(await failure { try bobs.tryWrite([1]) }?.code == .streamFinished)
      let delivering = bob.start { () async throws in
        try await bobs.waitForDelivery()
        return bobs.statistics.bytesAcknowledged
      }
      #expect(try await anns.readAll().isSame(as: bytes))
      #expect(try await delivering.value == bytes.count, "what waited then, and the end")
      #expect(try await waiting.value == bytes.count)
      #expect(await failure { try await bobs.write([1]) }?.code == .streamFinished)
    }
  }

  @Test("Two writers at once: each write is in one piece; two readers share the bytes")
  func twoAtOnce() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      let writers = ([1, 2] as [UInt8]).map { number in
        bob.start { () async throws in
          for _ in 0..<5 { try await bobs.write([UInt8](repeating: number, count: 400_000)) }
        }
      }
      let readers = (0..<2).map { _ in
        ann.start { () async throws in
          var pieces: [[UInt8]] = []
          for _ in 0..<5 { pieces.append(try await anns.read(exactly: 400_000)) }
          return pieces
        }
      }
      var pieces: [[UInt8]] = []
      for reader in readers { pieces += try await reader.value }
      for writer in writers { try await writer.value }
      #expect(pieces.allSatisfy { Set($0).count == 1 })
      #expect(pieces.count { $0.first == 1 } == 5)
      bobs.finish()
      #expect(try await anns.read(upTo: 10) == nil)
    }
  }

  @Test("Each of two writes on threads of their own is in one piece")
  func twoThreads() async throws {
    try await Ground.real.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let size = 1_200_000  // More than a stream takes at once.
      for round in 0..<20 {
        let (bobs, anns) = try await pair.open("\(round)")
        let writers = ([1, 2] as [UInt8]).map { number in
          Task.detached { try await bobs.write([UInt8](repeating: number, count: size)) }
        }
        for _ in 0..<2 {
          let piece = try await anns.read(exactly: size)
          #expect(piece.isSame(as: [UInt8](repeating: piece[0], count: size)))
        }
        for writer in writers { #expect(try await writer.value == size) }
      }
    }
  }

  @Test("What a cancelled call waited for is granted no more")
  func cancelledWish() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      let size = 8 << 20
      let reading = ann.start { try await anns.read(exactly: size) }
      try await ann.wait(milliseconds: 100)
      reading.cancel()
      #expect(await failure { try await reading.value }?.code == .cancelled)
      let writing = bob.start { try await bobs.write(StreamPair.bytes(2 * size)) }
      var read = 0
      while read < size { read += try await anns.read(upTo: .max)?.count ?? size }
      try await ann.wait(milliseconds: 2_000)
      #expect(anns.statistics.bytesReceived - read <= 1 << 20)
      writing.cancel()
      _ = try await writing.value
    }
  }

  @Test("An exact number is waited for, beyond any window, and nothing is taken if it never comes")
  func exactly() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      let bytes = StreamPair.bytes(3 << 20)
      let reading = ann.start { () async throws in
        try await anns.read(exactly: 3 << 20)
      }
      #expect(try await anns.read(exactly: 0) == [])
      #expect(try await anns.read(exactly: -5) == [])
      try await bobs.write(bytes)
      #expect(try await reading.value.isSame(as: bytes))
      try await bobs.write([1, 2, 3])
      bobs.finish()
      for count in [4, Int.max] {
        let short = await failure { try await anns.read(exactly: count) }
        #expect(short?.code == .endOfStream)
      }
      #expect(try await anns.read(upTo: .min) == [1])
      #expect(try await anns.read(exactly: 2) == [2, 3])
      #expect(try await anns.read(upTo: .max) == nil)
    }
  }

  @Test("A cancelled write says how much was taken, or throws; a cancelled read takes nothing")
  func cancelled() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      let first = bob.start { () async throws in
        try await bobs.write(StreamPair.bytes(8 << 20))
      }
      let second = bob.start { () async throws in try await bobs.write([7, 7]) }
      try await bob.wait(milliseconds: 500)
      second.cancel()
      #expect(await failure { try await second.value }?.code == .cancelled)
      first.cancel()
      let taken = try await first.value
      #expect(0 < taken && taken < 8 << 20)
      bobs.finish()
      #expect(try await anns.readAll().isSame(as: StreamPair.bytes(taken)))
      let (other, others) = try await pair.open("other")
      let readings = [
        ann.start { () async throws in try await others.read(upTo: 5) ?? [] },
        ann.start { () async throws in try await others.read(exactly: 5) },
        ann.start { () async throws in try await others.readAll() },
      ]
      try await other.write([1, 2])
      #expect(try await readings[0].value == [1, 2])
      try await other.write([3, 4])
      try await ann.wait(milliseconds: 100)
      for reading in readings[1...].reversed() {  // Else the last one were next.
        reading.cancel()
        #expect(await failure { try await reading.value }?.code == .cancelled)
      }
      other.finish()
      #expect(try await others.readAll() == [3, 4])
    }
  }

  @Test("A reset ends both directions on both sides, with its code", arguments: Ground.allCases)
  func reset(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      try await bobs.write([1, 2, 3])
      #expect(try await anns.read(exactly: 1) == [1])
      let reading = ann.start { () async throws in try await anns.read(exactly: 9) }
      let waiting = ann.start { () async throws in
        try await anns.write(StreamPair.bytes(8 << 20))
      }
      bobs.reset(code: .max)
      bobs.reset(code: 1)
      let (read, written) = (
        await failure { try await reading.value }, await failure { try await waiting.value }
      )
      for error in [read, written] {
        #expect(error?.code == .streamReset && error?.resetCode == .max)
        #expect(error?.peers == [bob.id])
      }
      #expect(await failure { try await anns.read(upTo: 1) }?.resetCode == .max)
      #expect(await failure { try await anns.waitForDelivery() }?.code == .streamReset)
      #expect(await failure { try await bobs.write([1]) }?.code == .streamReset)
      #expect(await failure { try await bobs.read(upTo: 1) }?.code == .streamFinished)
    }
  }

  @Test("Reading no more ends the other side's writing alone", arguments: Ground.allCases)
  func stopReading(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      let (bobs, anns) = try await pair.open()
      try await bobs.write([1])
      #expect(try await anns.read(upTo: 1) == [1])
      anns.stopReading(code: 5)
      #expect(await failure { try await anns.read(upTo: 1) }?.code == .streamFinished)
      let error = await failure {
        while true { try await bobs.write(StreamPair.bytes(100_000)) }
      }
      #expect(error?.code == .streamReset && error?.resetCode == 5)
      try await anns.write([2])
      anns.finish()
      #expect(try await bobs.readAll() == [2])
    }
  }

  @Test("A stream that is let go is reset, unless it was finished", arguments: Ground.allCases)
  func released(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      for isFinished in [false, true] {
        var bobs: ByteStream? = try await pair.guest.openStream("dropped", to: ann.id)
        try await bobs?.write([1, 2])
        if isFinished { bobs?.finish() }
        bobs = nil
        for await anns in pair.host.streams {
          if isFinished {
            #expect(try await anns.readAll() == [1, 2])
          } else {
            let error = await failure { _ = try await anns.readAll() }
            #expect(error?.code == .streamReset && error?.resetCode == nil)
          }
          break
        }
      }
    }
  }
}
