import EarshotSimulator
import Testing

@Suite("What events follow from")
struct CauseTests {
  /// Two hosts with a datagram socket each, of which Bob's answers; what happens is kept.
  private final class Pair {
    let world = World(seed: 1)
    let ann: SimulatedHost
    let bob: SimulatedHost
    let socket: any DatagramSocket
    private(set) var events: [TraceEvent] = []

    init() throws {
      (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
      let (any, options) = (Endpoint(.anyV4, port: 7), DatagramOptions())
      socket = try ann.openDatagramSocket(on: any, options: options, handler: DatagramLog())
      _ = try bob.openDatagramSocket(
        on: any, options: options, handler: DatagramLog(answers: true))
      world.record { [unowned self] in events.append($0) }
    }

    func send() throws { try socket.send([1].span, to: Endpoint(bob.address, port: 7), on: nil) }

    func all(_ kind: TraceEvent.Kind, from host: String = "") -> [TraceEvent] {
      events.filter { $0.kind == kind && (host.isEmpty || $0.from == host) }
    }
  }

  @Test("A delivery follows from its sending, and an answer from the delivery")
  func answers() throws {
    let pair = try Pair()
    try pair.send()
    pair.world.run(for: .seconds(1))
    #expect(pair.events.map(\.kind) == [.sent, .delivered, .sent, .delivered])
    #expect(pair.events.map(\.number) == [0, 1, 2, 3])
    #expect(pair.events.map(\.cause) == [nil, 0, 1, 2])
    pair.world.finish()
  }

  @Test("Both arrivals of a duplicate follow from one sending")
  func duplicates() throws {
    let pair = try Pair()
    pair.world.setLink(from: pair.ann, to: pair.bob, LinkConditions(duplication: .percent(100)))
    for _ in 0..<3 { try pair.send() }
    pair.world.run(for: .seconds(1))
    let sent = pair.all(.sent, from: "ann").map(\.number)
    let causes = pair.all(.delivered, from: "ann").compactMap(\.cause)
    #expect(causes.sorted() == sent.flatMap { [$0, $0] })
    pair.world.finish()
  }

  @Test("A loss follows from the sending, on the way and on arrival")
  func losses() throws {
    let pair = try Pair()
    try pair.send()
    pair.world.cut(pair.ann, to: pair.bob)
    try pair.send()
    try pair.socket.send([1].span, to: Endpoint(pair.bob.address, port: 8), on: nil)
    pair.world.heal()
    try pair.socket.send([1].span, to: Endpoint(pair.bob.address, port: 8), on: nil)
    pair.world.run(for: .seconds(1))
    for loss in pair.all(.lost) {
      let cause = try #require(loss.cause)
      #expect(pair.events[cause].kind == .sent && pair.events[cause].packet == loss.packet)
      #expect(pair.events.count { $0.cause == cause } == 1)
    }
    #expect(pair.all(.lost).map(\.loss) == [.cut, .cut, .unbound])
    pair.world.finish()
  }

  @Test("A timer follows from where it was armed, and what its code does from the timer")
  func timers() throws {
    let pair = try Pair()
    let clock = pair.ann.addTask("clock") { [world = pair.world, ann = pair.ann] in
      try await ann.sleep(for: .seconds(1))
      world.note(ann, kind: "tick", "1")
      try await ann.sleep(for: .seconds(1))
      world.note(ann, kind: "tick", "2")
    }
    #expect(pair.world.handledEvent == nil)
    pair.world.run(for: .seconds(3))
    #expect(pair.events.map(\.kind) == [.timer, .note, .timer, .note])
    #expect(pair.events.map(\.cause) == [nil, 0, 0, 2])
    #expect(pair.world.handledEvent == nil)
    try clock.value
    pair.world.finish()
  }

  @Test("A task that a delivery resumes does what follows from the delivery")
  func tasks() async throws {
    let pair = try Pair()
    let channel = try DatagramChannel(on: pair.bob, endpoint: Endpoint(.anyV4, port: 9))
    pair.bob.addTask("reader") { [world = pair.world, bob = pair.bob] in
      while (try? await channel.receive()) != nil { world.note(bob, kind: "read", "") }
    }
    pair.world.run(for: .seconds(1))
    for _ in 0..<2 {
      try pair.socket.send([1].span, to: Endpoint(pair.bob.address, port: 9), on: nil)
    }
    pair.world.run(for: .seconds(1))
    let deliveries = pair.all(.delivered).map(\.number)
    #expect(pair.all(.note).compactMap(\.cause) == deliveries && deliveries.count == 2)
    pair.world.finish()
  }

  @Test("Faults of one action follow from what led to the action, and what follows from the last")
  func faults() throws {
    let pair = try Pair()
    let (world, ann, bob) = (pair.world, pair.ann, pair.bob)
    world.at(.zero + .seconds(1)) {
      world.cut(ann, to: bob)
      world.freeze(bob)
      world.note(nil, kind: "frozen", "")
      world.at(.zero + .seconds(2)) { world.note(nil, kind: "later", "") }
    }
    world.run(for: .seconds(3))
    #expect(pair.events.map(\.kind) == [.fault, .fault, .note, .note])
    #expect(pair.events.map(\.cause) == [nil, nil, 1, nil])
    world.note(nil, kind: "mine", "", cause: 2)
    #expect(pair.events.last?.cause == 2)
    world.finish()
  }

  @Test("What a host does that goes on follows from the resumption, whatever came meanwhile")
  func resumption() throws {
    let pair = try Pair()
    let channel = try DatagramChannel(on: pair.bob, endpoint: Endpoint(.anyV4, port: 9))
    pair.bob.addTask("reader") { [world = pair.world, bob = pair.bob] in
      while (try? await channel.receive()) != nil { world.note(bob, kind: "read", "") }
    }
    pair.world.run(for: .seconds(1))
    pair.world.freeze(pair.bob)
    for _ in 0..<2 {
      try pair.socket.send([1].span, to: Endpoint(pair.bob.address, port: 9), on: nil)
    }
    pair.world.at(.zero + .seconds(3)) { pair.world.resume(pair.bob) }
    pair.world.run(for: .seconds(3))
    let resumption = try #require(pair.events.last { $0.label == "resume" })
    #expect(pair.all(.delivered).count == 2)
    #expect(pair.all(.note).map(\.cause) == [resumption.number, resumption.number])
    pair.world.finish()
  }

  @Test("A cause is an earlier event, and whether it is told leaves the hash alone")
  func hash() throws {
    let hashes = try [true, false].map { isTold in
      let pair = try Pair()
      if !isTold { pair.world.record(into: nil) }
      pair.world.setLink(from: pair.ann, to: pair.bob, LinkConditions(loss: .percent(20)))
      for _ in 0..<50 { try pair.send() }
      pair.world.run(for: .seconds(1))
      #expect(pair.events.allSatisfy { ($0.cause ?? -1) < $0.number })
      #expect(pair.events.isEmpty != isTold)
      pair.world.finish()
      return pair.world.traceHash
    }
    #expect(hashes[0] == hashes[1])
  }
}
