import Earshot
import EarshotSimulator
import Synchronization
import Testing

/// What a member may open and leave unread.
@Suite("Limits of streams", .timeLimit(.minutes(30)))
struct StreamLimitTests {
  @Test("A member has as many streams open as the other side allows; one more waits for an end")
  func count() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob, Session.Configuration(maximumStreamCount: 3))
      var opened: [ByteStream] = []
      for number in 0..<3 {
        opened.append(try await pair.guest.openStream("\(number)", to: ann.id, isOneWay: true))
      }
      let calls = [3, 4].map { number in
        bob.start { try await pair.guest.openStream("\(number)", to: ann.id, isOneWay: true) }
      }
      for stream in opened {
        try await stream.write([1])
        stream.finish()
      }
      try await bob.wait(milliseconds: 1_000)
      // All three have ended, and Ann's program has not got them.
      let late = Mutex(false)
      let watching = bob.start {
        _ = try await calls[0].value
        late.withLock { $0 = true }
      }
      try await bob.wait(milliseconds: 1_000)
      #expect(!late.withLock { $0 })
      var taken: [ByteStream] = []
      for await stream in pair.host.streams {
        taken.append(stream)
        if taken.count == 3 { break }
      }
      try await bob.wait(milliseconds: 1_000)
      #expect(!late.withLock { $0 }, "they are not read")
      for stream in taken { #expect(try await stream.readAll() == [1]) }
      try await watching.value
      #expect(try await calls[0].value.name == "3")
      #expect(try await calls[1].value.name == "4")
      // The other direction has limits of its own.
      for number in 0..<3 { taken.append(try await pair.host.openStream("\(number)", to: bob.id)) }
    }
  }

  @Test("A stream whose opening was given up is never opened")
  func givenUp() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob, Session.Configuration(maximumStreamCount: 1))
      let first = try await pair.guest.openStream("first", to: ann.id, isOneWay: true)
      let call = bob.start { try await pair.guest.openStream("given up", to: ann.id) }
      try await bob.wait(milliseconds: 100)
      call.cancel()
      await #expect(throws: EarshotError.self) { try await call.value }
      first.finish()
      let names = Mutex<[String]>([])
      let taking = ann.start {
        for await stream in pair.host.streams {
          names.withLock { $0.append(stream.name) }
          _ = try? await stream.readAll()
        }
      }
      let last = try await pair.guest.openStream("last", to: ann.id, isOneWay: true)
      try await bob.wait(milliseconds: 1_000)
      #expect(names.withLock { $0 } == ["first", "last"])
      last.finish()
      taking.cancel()
    }
  }

  @Test("What was not read of streams that are stopped makes room for others")
  func freed() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob, Session.Configuration(streamBufferBytes: 1 << 20))
      for _ in 0..<80 {
        let (bobs, anns) = try await pair.open(isOneWay: true)
        let writing = bob.start { try await bobs.write(StreamPair.bytes(60_000)) }
        #expect(try await anns.read(exactly: 20_000).count == 20_000)
        try await bob.wait(milliseconds: 100)
        // What waits is more than the first window, so that the session had memory for it.
        #expect(anns.statistics.bytesReceived > 20_000 + 16_384)
        anns.stopReading(code: 1)
        _ = await writing.result
      }
      let (bobs, anns) = try await pair.open(isOneWay: true)
      let writing = bob.start { try await bobs.write(StreamPair.bytes(150_000)) }
      #expect(try await anns.read(exactly: 150_000).isSame(as: StreamPair.bytes(150_000)))
      _ = try await writing.value
    }
  }

  @Test("What calls have written and nobody reads is bounded for a member as a whole")
  func unsent() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob, Session.Configuration(sendBufferBytes: 200_000))
      let written = Mutex(0)
      var streams: [(bobs: ByteStream, anns: ByteStream)] = []
      for number in 0..<16 { streams.append(try await pair.open("\(number)")) }
      let writings = streams.map { stream in
        bob.start {
          while true {
            let count = try await stream.bobs.write(StreamPair.bytes(60_000))
            written.withLock { $0 += count }
          }
        }
      }
      try await bob.wait(milliseconds: 1_000)
      // Each has 16 KiB, and the other side as much.
      let bytes = written.withLock { $0 }
      #expect(100_000 < bytes && bytes <= 200_000 + 16 * 2 * 16_384)
      #expect(streams.allSatisfy { $0.anns.statistics.bytesReceived > 0 })
      for writing in writings { writing.cancel() }
    }
  }

  @Test("What members leave unread is bounded for the session as a whole, and each has a stream")
  func budget() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"], within: .seconds(300)) { peers in
      let tight = Session.Configuration(streamBufferBytes: 1 << 20)
      let meeting = try await Meeting(of: peers[0], tight)
      let guests = [try await meeting.join(peers[1]), try await meeting.join(peers[2])]
      let writings = zip(guests, peers.dropFirst()).map { guest, peer in
        peer.start {
          try await withThrowingTaskGroup { group in
            for number in 0..<40 {
              group.addTask {
                let stream = try await guest.openStream("\(number)", to: peers[0].id)
                try await stream.write(StreamPair.bytes(200_000))
                stream.finish()
                try await stream.waitForDelivery()
              }
            }
            try await group.waitForAll()
          }
        }
      }
      try await peers[0].wait(milliseconds: 10_000)
      let streams = Mutex<[ByteStream]>([])
      let taking = peers[0].start {
        for await stream in meeting.session.streams { streams.withLock { $0.append(stream) } }
      }
      try await peers[0].wait(milliseconds: 10_000)
      let all = streams.withLock { $0 }
      #expect(Set(all.map(\.peer)).count == 2)
      let bytes = all.reduce(0) { $0 + $1.statistics.bytesReceived }
      #expect(500_000 < bytes && bytes <= 1 << 20 + 2 * 16_384)
      // Once they are read, all the others come.
      var read = 0
      while read < 80 {
        let next = streams.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let next else {
          try await peers[0].wait(milliseconds: 20)
          continue
        }
        next.finish()
        #expect(try await next.readAll().count == 200_000)
        read += 1
      }
      for writing in writings { try await writing.value }
      taking.cancel()
    }
  }

  @Test("A thousand streams outlive a broken link")
  func thousand() throws {
    try StreamPair.play(seed: 5, within: .seconds(300)) { pair, world in
      var streams: [ByteStream] = []
      let taking = pair.ann.start {
        var taken: [ByteStream] = []
        for await stream in pair.host.streams {
          taken.append(stream)
          if taken.count == 1_000 { break }
        }
        return taken
      }
      for number in 0..<1_000 {
        let stream = try await pair.guest.openStream("\(number)", to: pair.ann.id)
        try await stream.write([1, 2])
        streams.append(stream)
      }
      let taken = try await taking.value
      world.inject(.links(.between("ann", and: "bob"), .reset()))
      for await event in pair.host.events { if case .interrupted = event { break } }
      for stream in streams {
        try await stream.write([3])
        stream.finish()
      }
      for stream in taken {
        #expect(try await stream.readAll() == [1, 2, 3])
        try await stream.write([4])
        stream.finish()
      }
      for stream in streams { #expect(try await stream.readAll() == [4]) }
      #expect(await pair.guest.statistics(of: pair.ann.id)?.linkCount == 2)
    }
  }
}
