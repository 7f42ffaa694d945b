import EarshotCore
import EarshotSimulator
import TestKit
import Testing

@Suite("The end of all faults")
struct ConvergenceTests {
  private static let kinds: [Fault.Kind] = [
    .partition([["ann"], ["bob"]]), .cut(.between("ann", and: "bob")),
    .links(.between("ann", and: "bob"), .clog), .hosts(["bob"], .isolate(.both)),
    .hosts(["bob"], .freeze), .hosts(["bob"], .suspend()), .hosts(["bob"], .crash),
    .hosts(["bob"], .slow(every: .seconds(50))), .hosts(["bob"], .unplug),
    .hosts(["bob"], .exhaustPorts), .hosts(["bob"], .failingDisk), .hosts(["bob"], .hide),
    .hosts(["bob"], .leave()),
    .medium(["ann", "bob"], Medium(bandwidth: 1)),
  ]

  @Test("Ends each fault, whoever began it; what a plan has left does not begin", arguments: kinds)
  func ends(kind: Fault.Kind) throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    var logs: [DatagramLog] = []
    world.makeHost("bob") { host, _ in
      logs.append(DatagramLog())
      _ = try? host.openDatagramSocket(
        on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: logs[logs.count - 1])
    }
    var ports: [Bool] = []
    world.execute(
      FaultPlan([
        Fault(at: .seconds(1), kind), Fault(at: .seconds(30), kind),
        Fault(at: .seconds(40), .hosts(["bob"], .crash)),
      ]))
    let second = world.inject(kind)
    world.run(for: .seconds(10))
    world.endFaults()
    #expect(!second.isActive)
    world.run(for: .seconds(50))
    if kind == .hosts(["bob"], .suspend()) {
      // Its old socket is gone.
      logs.append(DatagramLog())
      _ = try world.hosts[1].openDatagramSocket(
        on: Endpoint(.anyV4, port: 7101), options: DatagramOptions(),
        handler: logs[logs.count - 1])
    }
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 1), options: DatagramOptions(), handler: DatagramLog())
    for port in [7100, 7101] as [UInt16] {
      try socket.send(
        [7].span, to: Endpoint(world.hosts[1].address, port: port), on: nil)
    }
    ports.append(
      (try? world.hosts[1].openDatagramSocket(
        on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: DatagramLog())) != nil)
    world.run(for: .milliseconds(10))
    #expect(logs.last?.received == [[7]] && ports == [true])
    #expect(world.hosts.allSatisfy { $0.isUp })
    world.finish()
  }

  @Test("Leaves a host without power that was crashed by a call")
  func crashed() {
    let world = World(seed: 1)
    world.crash(world.makeHost("ann"))
    world.endFaults()
    #expect(!world.hosts[0].isUp)
    world.finish()
  }

  @Test("Convergence comes as soon as all conditions hold at once, and no later")
  func converges() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let fault = world.inject(.hosts(["ann"], .freeze))
    let task = ann.addTask("sleeper") { try? await ann.sleep(for: .seconds(3)) }
    world.run(for: .seconds(1))
    try world.expectConvergence(
      within: .seconds(10),
      ["it has ended": { task.result != nil }, "all is well": { !fault.isActive }])
    #expect(world.now == .zero + .seconds(4))
    world.finish()
  }

  @Test("What does not converge is told by name, in order, with the time, and with a deadlock")
  func diverges() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    world.at(.zero + .seconds(100)) {}
    let error = #expect(throws: ConvergenceFailure.self) {
      try world.expectConvergence(
        within: .seconds(10), ["b is": { false }, "c is": { true }, "a is": { false }])
    }
    #expect(error?.missing == ["b is", "a is"] && error?.deadlock == nil)
    #expect(
      error?.description
        == "at 10.000000, 10s after all faults ended, does not hold: \"b is\", \"a is\"")
    world.run(for: .seconds(100))
    ann.addTask("reply") { await Waiting.forever() }
    let stuck = #expect(throws: ConvergenceFailure.self) {
      try world.expectConvergence(within: .seconds(10), ["it is": { false }])
    }
    #expect(stuck?.deadlock?.tasks.map(\.name) == ["reply"])
    #expect(stuck?.description.contains("; nothing can happen any more") == true)
    world.finish()
  }

  @Test("A world that a violation stops does not converge")
  func violated() {
    let world = World(seed: 1)
    world.at(.zero + .seconds(1)) { [unowned world] in world.always(false, "a law") }
    #expect(throws: ConvergenceFailure.self) {
      try world.expectConvergence(
        within: .seconds(10), ["time is over": { world.now > .zero + .seconds(5) }])
    }
    #expect(world.now == .zero + .seconds(1))
    world.finish()
  }
}
