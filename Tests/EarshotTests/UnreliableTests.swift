import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Unreliable messages")
struct UnreliableTests {
  /// Numbers in messages of one size.
  private static func message(_ number: Int, bytes: Int = 100) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 255)]
      + [UInt8](repeating: UInt8(number % 251), count: bytes - 2)
  }

  /// Sends until datagrams get through.
  private static func warmUp(
    _ sender: Session, to receiver: PeerID, at peer: Peer
  ) async throws {
    for _ in 0..<400 {
      if await sender.statistics(of: receiver)?.unreliable.usesDatagrams == true { return }
      try sender.sendUnreliably([0, 0], to: [receiver])
      try await peer.wait(milliseconds: 10)
    }
    Issue.record("no datagram gets through")
  }

  /// The numbers of the unreliable messages that come, until none has for a while.
  private static func collect(
    _ session: Session, from peer: Peer, quiet milliseconds: Int = 500
  ) async throws -> [Int] {
    let numbers = Mutex<[Int]>([])
    let reader = peer.start {
      for await message in session.messages where !message.isReliable && message.bytes.count > 2 {
        let number = Int(message.bytes[0]) << 8 | Int(message.bytes[1])
        #expect(message.bytes == Self.message(number, bytes: message.bytes.count))
        numbers.withLock { $0.append(number) }
      }
    }
    var (last, quiet) = (-1, 0)
    while quiet < milliseconds {
      try await peer.wait(milliseconds: 50)
      let count = numbers.withLock { $0.count }
      quiet = count == last ? quiet + 50 : 0
      last = count
    }
    reader.cancel()
    return numbers.withLock { $0 }
  }

  @Test(
    "A message of any size up to 64 KiB arrives, and is known as an unreliable one",
    arguments: Ground.allCases, [0, 1, 1_166, 1_167, 20_000, 65_536])
  func arrives(ground: Ground, bytes: Int) async throws {
    try await ground.meet { ann, bob in
      let place = String(repeating: "x", count: bytes % 13 + 1)  // Where none of the others meet.
      let meeting = try await Meeting(of: ann, test: place)
      let bobs = try await meeting.join(bob)
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      let message = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let received = Mutex<[Message]>([])
      let reader = ann.start {
        for await message in meeting.session.messages where message.bytes != [0, 0] {
          received.withLock { $0.append(message) }
        }
      }
      for _ in 0..<400 where received.withLock({ $0.isEmpty }) {  // One may be lost, even here.
        try bobs.sendUnreliably(message, to: [ann.id])
        try await ann.wait(milliseconds: 20)
      }
      reader.cancel()
      let expected = Message(sender: bob.id, bytes: message, isReliable: false)
      #expect(received.withLock { $0.first } == expected)
      #expect(received.withLock { $0.first?.isReliable } == false)
      let sent = try #require(await bobs.statistics(of: ann.id)).unreliable
      let taken = try #require(await meeting.session.statistics(of: bob.id)).unreliable
      #expect(sent.messagesSent > 0 && sent.usesDatagrams)
      #expect(taken.messagesReceived > 0 && taken.messagesReceived <= sent.messagesSent)
      #expect(sent.messagesSentOverLink < sent.messagesSent)
    }
  }

  @Test("What is sent before datagrams get through goes over the link", arguments: Ground.allCases)
  func first(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      try bobs.sendUnreliably(Self.message(1))
      #expect(try await Self.collect(meeting.session, from: ann) == [1])
      let sent = try #require(await bobs.statistics(of: ann.id)).unreliable
      #expect(sent.messagesSent == 1 && sent.messagesSentOverLink == 1)
      #expect(sent.messagesDropped.isEmpty)
      #expect(sent.usesDatagrams)  // From the next one on.
    }
  }

  @Test(
    "Of what is sent on a lossy path, as much arrives as the path lets through, each once",
    arguments: [0, 10, 30], [false, true])
  func lossy(percent: Int, isHarsh: Bool) async throws {
    var links = LinkConditions(
      latency: .milliseconds(5), loss: .percent(percent),
      duplication: isHarsh ? .percent(20) : .zero,
      reordering: isHarsh ? .percent(30) : .zero)
    links.corruption = isHarsh ? .percent(1) : .zero
    let pair = Pair(links: links)
    let taken = Mutex<[Int]>([])
    let count = 5_000
    pair.run(for: .seconds(120)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      let reader = ann.start { try await Self.collect(anns, from: ann, quiet: 3_000) }
      for number in 0..<count {
        try bobs.sendUnreliably(Self.message(number), to: [ann.id])
        try await bob.wait(milliseconds: 2)
      }
      let all = try await reader.value
      taken.withLock { $0 = all }
      let statistics = try #require(await anns.statistics(of: bob.id)).unreliable
      let expected: [UnreliableStatistics.Drop] = isHarsh ? [.forged, .malformed, .replayed] : []
      #expect(Set(statistics.dropped.keys).isSubset(of: expected))
      #expect((statistics.dropped[.replayed] != nil) == isHarsh)
      #expect((statistics.dropped[.forged] != nil) == isHarsh)
    }
    let all = taken.withLock { $0 }
    #expect(Set(all).count == all.count, "a message came twice")
    let harm = isHarsh ? 0.97 : 0.98
    #expect(Double(all.count) >= Double(count * (100 - percent)) / 100 * harm, "\(all.count)")
    if isHarsh {
      #expect(all != all.sorted())
    } else if percent == 0 {
      #expect(all == all.sorted())
    }
  }

  @Test("A message waits for nothing: not for a megabyte that is under way on a slow path")
  func prompt() async throws {
    let pair = Pair(links: LinkConditions(latency: .milliseconds(20), bandwidth: 125_000))
    let delays = Mutex<[Duration]>([])
    pair.run(for: .seconds(60)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      let sent = Mutex<[Int: Instant]>([:])
      let reader = ann.start {
        for await message in anns.messages where !message.isReliable && message.bytes.count > 2 {
          let number = Int(message.bytes[0]) << 8 | Int(message.bytes[1])
          guard let start = sent.withLock({ $0[number] }) else { continue }
          delays.withLock { $0.append(ann.host.now - start) }
        }
      }
      try await bobs.send([UInt8](repeating: 1, count: 1 << 20), to: [ann.id])
      for number in 0..<40 {
        sent.withLock { $0[number] = bob.host.now }
        try bobs.sendUnreliably(Self.message(number), to: [ann.id])
        try await bob.wait(milliseconds: 100)
      }
      try await ann.wait(milliseconds: 2_000)
      reader.cancel()
    }
    let all = delays.withLock { $0 }
    // What the link has under way, half a second's worth, lies in the same queue of the path.
    #expect(all.count >= 36 && all.allSatisfy { $0 < .milliseconds(800) }, "\(all)")
  }

  @Test(
    "Where datagrams are dropped, messages take the link, and datagrams when they get through again"
  )
  func blocked() async throws {
    let pair = Pair()
    let fault = Mutex<ActiveFault?>(nil)
    fault.withLock { $0 = pair.dropDatagrams() }
    pair.run(for: .seconds(200)) { ann, bob, anns, bobs in
      for number in 0..<50 {
        try bobs.sendUnreliably(Self.message(number), to: [ann.id])
        try await bob.wait(milliseconds: 100)
      }
      #expect(try await Self.collect(anns, from: ann) == Array(0..<50))
      var sent = try #require(await bobs.statistics(of: ann.id)).unreliable
      #expect(sent.messagesSentOverLink == 50 && !sent.usesDatagrams && sent.dropped.isEmpty)
      fault.withLock { $0.take() }?.end()
      for _ in 0..<50 {
        try bobs.sendUnreliably([1, 1])
        try await bob.wait(milliseconds: 1_000)
      }
      sent = try #require(await bobs.statistics(of: ann.id)).unreliable
      #expect(sent.usesDatagrams)
      fault.withLock { $0 = pair.dropDatagrams() }
      for number in 100..<200 {
        try bobs.sendUnreliably(Self.message(number), to: [ann.id])
        try await bob.wait(milliseconds: 100)
      }
      let late = try await Self.collect(anns, from: ann)
      // The path is given up within 3.5 s: a second until it is questioned, ten questions of a quarter.
      #expect(late.count >= 64 && late.suffix(60) == Array(140..<200)[...])
    }
  }

  @Test("A path that carries small datagrams only is not taken")
  func smallPath() async throws {
    let pair = Pair()
    pair.add(
      Rule { packet, _ in packet.kind == .udp && packet.payloadBytes > 600 ? .drop : nil })
    pair.run(for: .seconds(60)) { ann, bob, anns, bobs in
      for number in 0..<50 {
        try bobs.sendUnreliably(Self.message(number, bytes: 1_000), to: [ann.id])
        try await bob.wait(milliseconds: 50)
      }
      #expect(try await Self.collect(anns, from: ann) == Array(0..<50))
    }
  }

  @Test("What is too large is refused with the limit, and nothing of it is sent")
  func tooLarge() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      let error = await failure {
        try bobs.sendUnreliably([UInt8](repeating: 0, count: 65_537), to: [ann.id])
      }
      #expect(error?.code == .messageTooLarge && error?.message.contains("65536") == true)
      let stranger = await failure { try bobs.sendUnreliably([1, 2, 3], to: [bob.id]) }
      #expect(stranger?.code == .notConnected && stranger?.peers == [bob.id])
      #expect(try #require(await bobs.statistics(of: ann.id)).unreliable.messagesSent == 0)
      await bobs.stop()
      #expect(await failure { try bobs.sendUnreliably([1, 2, 3]) }?.code == .sessionEnded)
    }
  }

  @Test("What the receiver does not take because of its size is refused here")
  func tooLargeThere() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Session.Configuration(maximumMessageBytes: 500))
      let bobs = try await meeting.join(bob)
      let error = await failure {
        try bobs.sendUnreliably([UInt8](repeating: 0, count: 501), to: [ann.id])
      }
      #expect(error?.code == .messageTooLarge && error?.peers == [ann.id])
      try bobs.sendUnreliably(Self.message(7, bytes: 500), to: [ann.id])
      #expect(try await Self.collect(meeting.session, from: ann) == [7])
    }
  }

  @Test("A member that is interrupted gets nothing later; it is sent to again when it is back")
  func interrupted() async throws {
    let pair = Pair()
    pair.run(for: .seconds(120)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      let reader = ann.start { try await Self.collect(anns, from: ann, quiet: 30_000) }
      let cut = pair.cut()
      for await event in bobs.events(from: .unread) { if case .interrupted = event { break } }
      let before = try #require(await bobs.statistics(of: ann.id)).unreliable
      for number in 0..<20 { try bobs.sendUnreliably(Self.message(number), to: [ann.id]) }
      try await bob.wait(milliseconds: 100)
      let after = try #require(await bobs.statistics(of: ann.id)).unreliable
      #expect((after.dropped[.notLinked] ?? 0) - (before.dropped[.notLinked] ?? 0) == 20)
      #expect(!after.usesDatagrams)
      cut.end()
      for await event in bobs.events(from: .unread) { if case .resumed = event { break } }
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      for number in 100..<120 { try bobs.sendUnreliably(Self.message(number), to: [ann.id]) }
      #expect(try await reader.value == Array(100..<120))
      let end = try #require(await anns.statistics(of: bob.id)).unreliable
      #expect(end.dropped.isEmpty)  // Nothing under the keys of the link before.
    }
  }

  @Test(
    "A peer that has slept sends and receives in datagrams again",
    arguments: [Ground.simulated, .secured, .real])
  func slept(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      try await Self.warmUp(meeting.session, to: bob.id, at: ann)
      await bob.suspend()
      try await bob.resume()
      for await event in bobs.events(from: .unread) { if case .resumed = event { break } }
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      try await Self.warmUp(meeting.session, to: bob.id, at: ann)
    }
  }

  @Test(
    "A program that takes nothing keeps 1 MiB, loses the rest, and takes more when it has taken them"
  )
  func unread() async throws {
    let pair = Pair()
    pair.run(for: .seconds(60)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      for number in 0..<1_400 {
        try bobs.sendUnreliably(Self.message(number, bytes: 1_000), to: [ann.id])
        try await bob.wait(milliseconds: 1)
      }
      try await bob.wait(milliseconds: 500)
      let full = try #require(await anns.statistics(of: bob.id)).unreliable
      #expect((full.dropped[.unread] ?? 0) > 100)
      let kept = try await Self.collect(anns, from: ann)
      #expect((900...1_000).contains(kept.count) && kept == Array(0..<kept.count))
      let reader = ann.start { try await Self.collect(anns, from: ann) }
      for number in 1_500..<1_530 {
        try bobs.sendUnreliably(Self.message(number, bytes: 1_000), to: [ann.id])
      }
      #expect(try await reader.value == Array(1_500..<1_530))
    }
  }

  @Test("What is sent faster than the host takes it is dropped beyond 256 KiB, and counted")
  func outbox() async throws {
    let pair = Pair()
    pair.run(for: .seconds(60)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      for burst in 0..<1_000 {  // Until it is known that the path carries as much.
        try bobs.sendUnreliably(Self.message(burst, bytes: 1_000), to: [ann.id])
        if burst % 100 == 99 { _ = try await Self.collect(anns, from: ann, quiet: 100) }
      }
      let before = try #require(await bobs.statistics(of: ann.id)).unreliable
      let reader = ann.start { try await Self.collect(anns, from: ann) }
      for number in 0..<400 {
        try bobs.sendUnreliably(Self.message(number, bytes: 1_000), to: [ann.id])
      }
      let arrived = try await reader.value
      let after = try #require(await bobs.statistics(of: ann.id)).unreliable
      let dropped = (after.dropped[.queueFull] ?? 0) - (before.dropped[.queueFull] ?? 0)
      #expect(after.messagesSent - before.messagesSent == 400 && dropped > 100)
      #expect(after.dropped[.congested] == before.dropped[.congested])
      #expect(arrived == Array(0..<400 - dropped))
    }
  }

  @Test("At first, a burst of 16 KiB goes out, and the rest of it is dropped, and counted")
  func burst() async throws {
    let pair = Pair()
    pair.run(for: .seconds(60)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      let reader = ann.start { try await Self.collect(anns, from: ann) }
      for number in 0..<100 {
        try bobs.sendUnreliably(Self.message(number, bytes: 1_000), to: [ann.id])
      }
      let arrived = try await reader.value
      let dropped = try #require(await bobs.statistics(of: ann.id)).unreliable
        .messagesDropped
      #expect((15...17).contains(arrived.count) && arrived == Array(0..<arrived.count))
      #expect(dropped == [.congested: 100 - arrived.count])
    }
  }

  @Test(
    "A flood fills a slow path and is dropped here; neither the link nor what it carries suffers",
    arguments: [64, 120, 1_000], [false, true])
  func flood(kilobits: Int, isMutual: Bool) async throws {
    let pair = Pair(
      links: LinkConditions(latency: .milliseconds(40), bandwidth: kilobits * 125))
    let delays = Mutex<[Duration]>([])
    pair.run(for: .seconds(200)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      try await Self.warmUp(anns, to: bob.id, at: ann)
      let interruptions = Mutex(0)
      let watcher = ann.start {
        for await case .interrupted in anns.events(from: .unread) {
          interruptions.withLock { $0 += 1 }
        }
      }
      let reliable = Mutex<[UInt8: Instant]>([:])
      let reader = ann.start {
        for await message in anns.messages where message.isReliable {
          guard let start = reliable.withLock({ $0[message.bytes[0]] }) else { continue }
          delays.withLock { $0.append(ann.host.now - start) }
        }
      }
      let before = try #require(await anns.statistics(of: bob.id)).unreliable
      let sentBefore = try #require(await bobs.statistics(of: ann.id)).unreliable
      let floods = [(bob, bobs, ann)] + (isMutual ? [(ann, anns, bob)] : [])
      let tasks = floods.map { sender, session, receiver in
        sender.start {
          for number in 0..<10_000 {  // Two megabits a second.
            try session.sendUnreliably(Self.message(number, bytes: 1_000), to: [receiver.id])
            try await sender.wait(milliseconds: 4)
          }
        }
      }
      for number in 0..<UInt8(40) {
        reliable.withLock { $0[number] = bob.host.now }
        try await bobs.send([number], to: [ann.id])
        try await bob.wait(milliseconds: 1_000)
      }
      for task in tasks { try await task.value }
      try await bob.wait(milliseconds: 3_000)
      watcher.cancel()
      reader.cancel()
      #expect(interruptions.withLock { $0 } == 0)
      let sent = try #require(await bobs.statistics(of: ann.id)).unreliable
      let taken = try #require(await anns.statistics(of: bob.id)).unreliable
      let carried = taken.messagesReceived - before.messagesReceived
      #expect(carried * 8_000 >= kilobits * 1_000 * 40 / 10 * 6)
      let dropped = (sent.dropped[.congested] ?? 0) - (sentBefore.dropped[.congested] ?? 0)
      #expect(sent.messagesSent - sentBefore.messagesSent == 10_000)
      // What is neither was lost on the way, by a queue that was full; a few of before may still have come.
      #expect(dropped >= 1_000 && (-20...500).contains(10_000 - dropped - carried))
    }
    let all = delays.withLock { $0 }.sorted()
    #expect(all.count == 40 && all[20] < .milliseconds(700) && all[39] < .seconds(3), "\(all)")
  }

  @Test("Two callers on threads of their own lose nothing on a path that loses nothing")
  func callers() async throws {
    try await Ground.real.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      let session = meeting.session
      let reader = Task {
        var numbers: [Int] = []
        for await message in session.messages where message.bytes.count > 2 {
          if message.isReliable { break }
          numbers.append(Int(message.bytes[0]) << 8 | Int(message.bytes[1]))
        }
        return numbers
      }
      await withTaskGroup { group in
        for caller in 0..<2 {
          group.addTask {
            for number in 0..<200 {
              try? bobs.sendUnreliably(Self.message(caller << 15 | number), to: [ann.id])
              if number % 20 == 19 { await Task.yield() }
            }
          }
        }
      }
      let sent = try #require(await bobs.statistics(of: ann.id)).unreliable
      #expect((sent.dropped[.queueFull] ?? 0) == 0)
      // Behind all of them, since the datagrams of this host's own are there as soon as they are sent.
      try await bob.wait(milliseconds: 100)
      try await bobs.send([UInt8](repeating: 1, count: 3), to: [ann.id])
      let numbers = await reader.value
      #expect(Set(numbers).count == numbers.count)
      let dropped = await bobs.statistics(of: ann.id)?.unreliable.messagesDropped ?? [:]
      #expect(numbers.count + dropped.values.reduce(0, +) == 400, "\(dropped)")
    }
  }

  @Test(
    "A datagram that overtakes what the link says of it is dropped and counted, and the next ones arrive"
  )
  func early() async throws {
    let pair = Pair()
    pair.run(for: .seconds(60)) { ann, bob, anns, bobs in
      pair.add(
        Rule { packet, _ in
          packet.kind == .tcp && packet.from == "bob" ? .deliver(after: .milliseconds(50)) : nil
        })
      try anns.sendUnreliably(Self.message(1), to: [bob.id])
      try await ann.wait(milliseconds: 30)
      #expect(try #require(await anns.statistics(of: bob.id)).unreliable.dropped == [.early: 1])
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      try bobs.sendUnreliably(Self.message(2), to: [ann.id])
      #expect(try await Self.collect(anns, from: ann) == [2])
    }
  }

  #if os(Linux)
    @Test("What the system has no room for is counted, once something has come after it")
    func overflow() async throws {
      try await Ground.real.meet { ann, bob in
        let meeting = try await Meeting(of: ann)
        let bobs = try await meeting.join(bob)
        try await Self.warmUp(bobs, to: ann.id, at: bob)
        try await Self.warmUp(meeting.session, to: bob.id, at: ann)
        #expect(await bob.lostDatagramCount == 0)
        let target = Endpoint(
          try #require(bob.host.interfaces.first?.addresses.first { $0.family == .v4 }),
          port: await bob.port)  // Of TCP, and of UDP as well.
        let count = 5_000
        // On Bob's own loop, so that it reads nothing meanwhile.
        try await Task(executorPreference: bob.host.executor.task) {
          let socket = try bob.host.openDatagramSocket(
            on: Endpoint(target.address, port: 0), options: DatagramOptions(),
            handler: SilentHandler())
          let stray = [UInt8](repeating: 0, count: 1_200)
          for _ in 0..<count { try socket.send(stray.span, to: target, on: nil) }
          socket.close()
        }.value
        try await bob.wait(milliseconds: 100)
        try meeting.session.sendUnreliably(Self.message(2), to: [bob.id])
        #expect(try await Self.collect(bobs, from: bob).contains(2))
        let (lost, strays) = (await bob.lostDatagramCount, await bob.strayDatagramCount)
        #expect(lost > 0 && lost + strays >= count && lost <= count)
        await bob.suspend()  // Which closes the port.
        #expect(await bob.lostDatagramCount == lost)
      }
    }
  #endif

  @Test("Datagrams of others are dropped and counted, and what members send still arrives")
  func hostile() async throws {
    let pair = Pair()
    pair.run(for: .seconds(60)) { ann, bob, anns, bobs in
      try await Self.warmUp(bobs, to: ann.id, at: bob)
      let captured = pair.capture()
      try bobs.sendUnreliably(Self.message(1), to: [ann.id])
      try await bob.wait(milliseconds: 100)
      let (datagram, source, destination) = try #require(captured.largest)
      let mallory = pair.mallory
      var forged = datagram
      forged[forged.count - 1] ^= 1
      var stray = datagram
      stray[5] ^= 1
      for bytes in [datagram, forged, stray, [], [4], Array(datagram.prefix(32))] {
        mallory.forge(bytes, from: source, to: destination)
        mallory.forge(bytes, from: Endpoint(.v4(0x0A00_00FE), port: 9), to: destination)
      }
      try await ann.wait(milliseconds: 100)
      let dropped = try #require(await anns.statistics(of: bob.id)).unreliable.dropped
      #expect(dropped == [.replayed: 4])  // A counter that came is not even opened.
      #expect(await ann.strayDatagramCount == 8)
      for number in 2..<6 { try bobs.sendUnreliably(Self.message(number), to: [ann.id]) }
      #expect(try await Self.collect(anns, from: ann) == [1, 2, 3, 4, 5])
    }
  }
}

extension UnreliableStatistics {
  /// What was dropped, but for the first question of a path, which overtakes the link's own word as a rule.
  fileprivate var messagesDropped: [Drop: Int] { dropped.filter { $0.key != .early } }
}
