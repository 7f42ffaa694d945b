import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Faults of one host at once")
struct FaultCompositionTests {
  /// When code of a host has run, in tenths of a second of virtual time, over all of its starts.
  private final class Life: Sendable {
    private let seen = Mutex<[Int: Int]>([:])

    /// Notes a sign of life every tenth of a second, five hundredths after each full one.
    func attend(_ host: SimulatedHost) {
      host.addTask("life") { [self] in
        let tenth = Int64(100_000_000)
        while true {
          let now = host.now.nanoseconds
          let next = (now - tenth / 2 + tenth) / tenth * tenth + tenth / 2
          try await host.sleep(for: .nanoseconds(next - now))
          seen.withLock { $0[Int(host.now.nanoseconds / tenth), default: 0] += 1 }
        }
      }
    }

    func hasRun(in tenth: Int) -> Bool { seen.withLock { $0[tenth] != nil } }
  }

  /// The tenths of a second within so many in which a host ran under a plan.
  private static func life(
    under plan: FaultPlan, for tenths: Int, _ prepare: (World, SimulatedHost) -> Void = { _, _ in }
  ) -> [Bool] {
    let (world, life) = (World(seed: 1), Life())
    let host = world.makeHost("ann") { host, _ in life.attend(host) }
    world.execute(plan)
    prepare(world, host)
    world.run(until: .zero + .milliseconds(100 * tenths))
    world.finish()
    return (0..<tenths).map { life.hasRun(in: $0) }
  }

  private static func tenths(_ count: Int) -> Duration { .milliseconds(100 * count) }

  /// Up to six faults of one host within ten seconds, which begin and end at full tenths.
  private static func plan(_ random: inout RandomStream) -> FaultPlan {
    FaultPlan(
      (0..<Int.random(in: 2...6, using: &random)).map { _ in
        let kinds: [HostFault] = [.crash, .suspend(), .suspend(grace: tenths(5)), .freeze]
        let lasts = Int.random(in: 0...9, using: &random) > 0
        return Fault(
          at: tenths(Int.random(in: 0...80, using: &random)),
          .hosts(["ann"], kinds[Int.random(in: 0..<kinds.count, using: &random)]),
          lasting: lasts ? tenths(Int.random(in: 1...60, using: &random)) : nil)
      })
  }

  /// Whether a fault of a plan keeps the host from running in a tenth of a second.
  private static func isHeld(_ tenth: Int, by plan: FaultPlan) -> Bool {
    plan.faults.contains { fault in
      var start = fault.at
      if case .hosts(_, .suspend(let grace)) = fault.kind { start += grace }
      let end = fault.lasting.map { fault.at + $0 } ?? tenths(1_000)
      return start..<max(start, end) ~= tenths(tenth)
    }
  }

  @Test(
    "A host runs when, and only when, no fault of its own is in force", arguments: Seed.some(300))
  func intervals(seed: Seed) {
    var random = RandomStream(seed: seed.value)
    let plan = Self.plan(&random)
    let life = Self.life(under: plan, for: 160)
    for tenth in life.indices {
      #expect(life[tenth] == !Self.isHeld(tenth, by: plan), "tenth \(tenth) of\n\(plan)")
    }
  }

  @Test("A crash for ever within a crash is for ever")
  func crashWithinCrash() {
    let plan = FaultPlan([
      Fault(at: Self.tenths(10), .crash("ann"), lasting: Self.tenths(20)),
      Fault(at: Self.tenths(20), .crash("ann")),
    ])
    #expect(Self.life(under: plan, for: 60).lastIndex(of: true) == 9)
  }

  @Test("A host that a call crashes stays off until it is restarted, whatever faults end")
  func crashByCall() {
    let plan = FaultPlan([Fault(at: Self.tenths(10), .crash("ann"), lasting: Self.tenths(20))])
    for call in [5, 20] {
      let life = Self.life(under: plan, for: 60) { world, host in
        world.at(.zero + Self.tenths(call)) { world.crash(host) }
        world.at(.zero + Self.tenths(45)) { world.restart(host) }
      }
      #expect(life.indices.filter { life[$0] } == Array(0..<min(10, call)) + Array(45..<60))
    }
  }

  @Test("Each handle ends its own fault, and no other one")
  func handles() {
    let (world, life) = (World(seed: 1), Life())
    world.makeHost("ann") { host, _ in life.attend(host) }
    let suspension = world.inject(.suspend("ann", grace: .zero))
    let freeze = world.inject(.hosts(["ann"], .freeze))
    let crash = world.inject(.crash("ann"))
    for fault in [suspension, crash, freeze] {
      #expect(fault.isActive)
      world.run(for: Self.tenths(10))
      fault.end()
      #expect(!fault.isActive)
    }
    world.run(for: Self.tenths(10))
    #expect((0..<40).filter(life.hasRun) == Array(30..<40))
    let others = [world.inject(.crash("ann")), world.inject(.suspend("ann", grace: .zero))]
    world.restart(world.hosts[0])
    #expect(!others.contains { $0.isActive })
    world.run(for: Self.tenths(10))
    #expect(life.hasRun(in: 45))
    world.finish()
  }

  @Test("A call that resumes ends every suspension and freeze, also for a later start")
  func resumed() {
    let plan = FaultPlan([
      Fault(at: Self.tenths(10), .suspend("ann", grace: .zero)),
      Fault(at: Self.tenths(12), .hosts(["ann"], .freeze)),
      Fault(at: Self.tenths(14), .crash("ann"), lasting: Self.tenths(16)),
    ])
    let life = Self.life(under: plan, for: 60) { world, host in
      world.at(.zero + Self.tenths(20)) { world.resume(host) }
    }
    #expect(life.indices.filter { life[$0] } == Array(0..<10) + Array(30..<60))
  }

  @Test("A program hears of its suspension once, and of its end when none is left")
  func notices() {
    let world = World(seed: 1)
    let host = world.makeHost("ann")
    let heard = Mutex<[SystemNotice]>([])
    host.observeSystem { notice in heard.withLock { $0.append(notice) } }
    let long = world.inject(.suspend("ann", grace: Self.tenths(30)))
    let short = world.inject(.suspend("ann", grace: Self.tenths(10)))
    world.run(for: Self.tenths(20))
    short.end()
    world.run(for: Self.tenths(5))
    #expect(heard.withLock { $0 } == [.willSuspend(grace: Self.tenths(30))])
    long.end()
    #expect(heard.withLock { $0 } == [.willSuspend(grace: Self.tenths(30)), .didResume])
    world.finish()
  }

  @Test("Sockets survive a freeze, and not a suspension within it")
  func sockets() throws {
    let world = World(seed: 1)
    let host = world.makeHost("ann")
    let log = ConnectionLog()
    _ = try host.listen(on: Endpoint(.anyV4, port: 7100), handler: log)
    let freeze = world.inject(.hosts(["ann"], .freeze))
    world.run(for: Self.tenths(10))
    #expect(log.events.isEmpty)
    let suspension = world.inject(.suspend("ann", grace: .zero))
    world.run(for: Self.tenths(10))
    suspension.end()
    world.run(for: Self.tenths(10))
    #expect(log.events.isEmpty)
    freeze.end()
    world.run(for: Self.tenths(10))
    #expect(log.events == ["listener connectionAborted"])
    world.finish()
  }

  @Test("A program that is told to leave while it cannot run loses its power in time")
  func leavingFrozen() {
    let plan = FaultPlan([
      Fault(at: Self.tenths(10), .hosts(["ann"], .freeze), lasting: Self.tenths(5)),
      Fault(
        at: Self.tenths(12), .hosts(["ann"], .leave(within: Self.tenths(10))),
        lasting: Self.tenths(20)),
    ])
    let life = Self.life(under: plan, for: 50)
    #expect(
      life.indices.filter { life[$0] }
        == [Array(0..<10), Array(15..<22), Array(32..<50)].flatMap { $0 })
  }

  @Test("A fault at zero begins before its hosts send anything")
  func atZero() throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let log = DatagramLog()
    _ = try bob.openDatagramSocket(
      on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: log)
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: DatagramLog())
    ann.addTask("sender") {
      try socket.send([1].span, to: Endpoint(bob.address, port: 7100), on: nil)
    }
    world.execute(
      FaultPlan([Fault(at: .zero, .partition([["ann"], ["bob"]]), lasting: .seconds(1))]))
    world.run(for: .seconds(2))
    #expect(log.received.isEmpty)
    world.finish()
  }
}
