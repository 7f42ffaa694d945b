import Earshot
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// What a stream promises when links break, peers sleep, and members leave.
@Suite("Streams under faults", .timeLimit(.minutes(30)))
struct StreamFaultTests {
  /// Has two peers play while faults happen.
  private static func play(
    seed: UInt64 = 1, links: LinkConditions = .lan, within limit: Duration = .seconds(300),
    _ configuration: Session.Configuration = Session.Configuration(),
    _ faults: @escaping @Sendable (World, SimulatedHost, SimulatedHost) -> Void,
    _ body: @escaping @Sendable (StreamPair) async throws -> Void
  ) throws {
    try StreamPair.play(seed: seed, over: links, within: limit, configuration: configuration) {
      pair, world in
      faults(world, world.hosts[0], world.hosts[1])
      try await body(pair)
    }
  }

  /// Four streams in all directions, of which the ends are awaited, whatever happens meanwhile.
  private static func carry(_ pair: StreamPair, bytes count: Int) async throws {
    let readings = pair.ann.start { () async throws in
      var all: [(String, [UInt8])] = []
      for await stream in pair.host.streams {
        stream.finish()
        all.append((stream.name, try await stream.readAll()))
        if all.count == 3 { break }
      }
      return all
    }
    let names = ["0", "1", "2"]
    let writings = names.map { name in
      pair.bob.start { () async throws in
        let stream = try await pair.guest.openStream(
          name, to: pair.ann.id, priority: name == "1" ? .low : .urgent)
        let start = 1_000 * name.count
        for piece in 0..<10 {
          try await stream.write(StreamPair.bytes(count / 10, from: start + piece * (count / 10)))
          try await pair.bob.wait(milliseconds: 500)
        }
        stream.finish()
        try await stream.waitForDelivery()
        #expect(try await stream.readAll() == [])
      }
    }
    for writing in writings { try await writing.value }
    let all = try await readings.value
    #expect(all.map(\.0) == names)
    for (_, bytes) in all {
      #expect(bytes.isSame(as: StreamPair.bytes(count / 10 * 10, from: 1_000)))
    }
  }

  @Test("Links that break cost time and no byte", arguments: Seed.some(10))
  func brokenLinks(seed: Seed) throws {
    let links = LinkConditions(latency: .milliseconds(20), bandwidth: 250_000)
    try Self.play(seed: seed.value, links: links) { world, ann, bob in
      var random = seed.generator
      for second in stride(from: 1, to: 40, by: 8) {
        let begin = world.now + .seconds(second) + .milliseconds(Int(random.below(4_000)))
        world.at(begin) { world.partition([[ann], [bob]]) }
        world.at(begin + .milliseconds(5_500 + Int(random.below(3_000)))) { world.heal() }
      }
    } _: { pair in
      try await Self.carry(pair, bytes: 600_000)
      #expect(await pair.host.statistics(of: pair.bob.id)?.linkCount ?? 0 > 1)
    }
  }

  @Test("A suspended peer takes its streams up again", arguments: [false, true])
  func suspension(isWriter: Bool) throws {
    try Self.play { world, ann, bob in
      for second in [2, 12] {
        let host = isWriter ? bob : ann
        world.at(world.now + .seconds(second)) { world.suspend(host) }
        world.at(world.now + .seconds(second + 6)) { world.resume(host) }
      }
    } _: { pair in
      try await Self.carry(pair, bytes: 600_000)
    }
  }

  /// The ways in which a membership ends.
  enum Departure: CaseIterable { case lost, stopped, removed, own }

  @Test(
    "When a membership ends, half-open streams end with an error that says so",
    arguments: Departure.allCases)
  func ended(departure: Departure) throws {
    try Self.play(Session.Configuration(patience: .seconds(5))) { world, ann, bob in
      if departure == .lost { world.partition([[ann], [bob]]) }
    } _: { pair in
      let bobs = try await pair.guest.openStream("stream", to: pair.ann.id)
      let writing = pair.bob.start { try await bobs.write(StreamPair.bytes(8 << 20)) }
      let reading = pair.bob.start { try await bobs.read(exactly: 1) }
      let delivery = pair.bob.start { try await bobs.waitForDelivery() }
      let openings = (0..<40).map { number in
        pair.bob.start { try await pair.guest.openStream("\(number)", to: pair.ann.id) }
      }
      try await pair.bob.wait(milliseconds: 2_000)
      switch departure {
      case .lost: break
      case .stopped: await pair.host.stop()
      case .removed: await pair.host.remove(pair.bob.id)
      case .own: await pair.guest.stop()
      }
      let code = departure == .own ? EarshotError.Code.sessionEnded : .notConnected
      #expect(await failure { try await writing.value }?.code == code)
      #expect(await failure { try await reading.value }?.code == code)
      #expect(await failure { try await delivery.value }?.code == code)
      #expect(await failure { try await bobs.write([1]) }?.code == code)
      #expect(await failure { try bobs.tryWrite([1]) }?.code == code)
      #expect(await failure { try await bobs.read(upTo: 1) }?.code == code)
      for opening in openings {
        let error = await failure { try await opening.value }
        #expect(error == nil || error?.code == code)
      }
    }
  }

  @Test("What was finished before a session is left arrives whole")
  func finishedBeforeLeaving() throws {
    try Self.play { _, _, _ in
    } _: { pair in
      let (bobs, anns) = try await pair.open("finished")
      let (open, annsOpen) = try await pair.open("open")
      let bytes = StreamPair.bytes(900_000)
      try await bobs.write(bytes)
      try await open.write([1])
      bobs.finish()
      let reading = pair.ann.start { () async throws in try await anns.readAll() }
      await pair.guest.stop(within: .seconds(10))
      #expect(try await reading.value.isSame(as: bytes))
      let error = await failure { _ = try await annsOpen.readAll() }
      #expect(error?.code == .notConnected)
    }
  }

  @Test("What arrived can be read after the member has left")
  func readAfterwards() throws {
    try Self.play(Session.Configuration(patience: .seconds(5))) { _, _, _ in
    } _: { pair in
      let (bobs, anns) = try await pair.open("finished")
      let (open, annsOpen) = try await pair.open("open")
      try await bobs.write([1, 2])
      bobs.finish()
      try await open.write([3, 4])
      try await open.waitForDelivery()
      await pair.guest.remove(pair.ann.id)
      for await event in pair.host.events { if case .left = event { break } }
      #expect(try await anns.readAll() == [1, 2])
      try await anns.waitForDelivery()
      #expect(await failure { try await annsOpen.read(upTo: 9) }?.code == .notConnected)
    }
  }

  @Test(
    "What was finished has arrived with its end alone, whichever comes first, it or the departure",
    arguments: [true, false])
  func endAtDeparture(isFinishedBefore: Bool) throws {
    try StreamPair.play(configuration: Session.Configuration(patience: .seconds(5))) {
      pair, world in
      let (bobs, anns) = try await pair.open()
      try await bobs.write([1, 2])
      try await bobs.waitForDelivery()
      world.partition([[world.hosts[0]], [world.hosts[1]]])
      if isFinishedBefore { bobs.finish() }
      await pair.guest.remove(pair.ann.id)
      try await bobs.waitForDelivery(unless: isFinishedBefore)
      bobs.finish()
      #expect(await failure { try await bobs.waitForDelivery() }?.code == .notConnected)
      #expect(await failure { _ = try await anns.readAll() }?.code == .notConnected)
    }
  }
}

extension ByteStream {
  fileprivate func waitForDelivery(unless isFinished: Bool) async throws(EarshotError) {
    if !isFinished { try await waitForDelivery() }
  }
}
