import EarshotSimulator
import TestKit
import Testing

@Suite("Reducing a run")
struct RunReductionTests {
  private static func plan(_ count: Int, _ schedule: SchedulePolicy = .fifo) -> RunPlan {
    let faults = (0..<count).map { number in
      Fault(at: .seconds(number), .crash("host\(number % 5)"), lasting: .seconds(4))
    }
    return RunPlan(
      hosts: (0..<5).map { "host\($0)" }, plans: [FaultPlan(faults)], schedule: schedule)
  }

  private static func record(_ count: Int) -> ScheduleRecord {
    ScheduleRecord((0..<count).map { .init(decision: $0, index: 1) })
  }

  private static func reduce(
    _ plan: RunPlan, _ policy: SchedulePolicy? = nil, runsMax: Int = 200,
    _ run: (RunPlan) -> (ReductionOutcome, ScheduleRecord?)
  ) -> RunReduction<RunPlan> {
    var reduction = RunReduction(of: plan, policy: policy, runsMax: runsMax)
    while let candidate = reduction.candidate {
      let (outcome, record) = run(candidate)
      reduction.note(outcome, record)
    }
    return reduction
  }

  @Test(
    "Of faults and hosts those are left that the failure needs, and no fault lasts longer than it has to"
  )
  func minimal() {
    let reduction = Self.reduce(Self.plan(17)) { plan in
      let needed = plan.faults.filter { $0.kind == .crash("host2") }
      let fails =
        plan.hosts.contains("host2") && plan.hosts.contains("host4")
        && needed.contains { $0.lasting ?? .zero >= .milliseconds(700) }
      return (fails ? .fails : .holds, nil)
    }
    let (plan, lasting) = (reduction.smallest, reduction.smallest.faults[0].lasting ?? .zero)
    #expect(plan.hosts == ["host2", "host4"] && plan.faults.count == 1)
    #expect(lasting >= .milliseconds(700) && lasting <= .milliseconds(1_200))
    #expect(reduction.runCount < 60)
  }

  /// A run that needs the whole of its schedule, whatever it is: the choices say which faults they were made for.
  private static func needy(_ plan: RunPlan, _ isLucky: (UInt64) -> Bool)
    -> (ReductionOutcome, ScheduleRecord?)
  {
    guard plan.faults.contains(where: { $0.id == 7 }) else { return (.holds, nil) }
    let whole = record(2_000 + plan.faults.count)
    switch plan.schedule {
    case .replay(whole): return (.fails, whole)
    case .seeded(let seed, .random) where isLucky(seed): return (.fails, whole)
    default: return (.holds, whole)
    }
  }

  @Test(
    "A schedule of thousands of choices that is needed as a whole does not keep faults from being left out"
  )
  func wholeSchedule() {
    let start = Self.plan(12, .replay(Self.record(2_012)))
    let reduction = Self.reduce(start, .random) { Self.needy($0) { $0 % 2 == 0 } }
    #expect(reduction.smallest.faults.map(\.id) == [7])
    #expect(reduction.smallest.schedule == .replay(Self.record(2_001)))
    #expect(reduction.runCount <= 200)
    let stuck = Self.reduce(start, nil) { Self.needy($0) { $0 % 2 == 0 } }
    #expect(stuck.smallest.faults.count == 12)
  }

  @Test(
    "Other schedules are given up when they find nothing, so that the runs are left for the record")
  func vainDraws() {
    var drawn = 0
    let reduction = Self.reduce(Self.plan(12, .replay(Self.record(300))), .random) { plan in
      if case .seeded = plan.schedule { drawn += 1 }
      guard case .replay(let record) = plan.schedule else { return (.holds, nil) }
      return (record.choices.contains { $0.decision == 120 } ? .fails : .holds, nil)
    }
    #expect(drawn <= 24)
    #expect(reduction.smallest.faults.isEmpty && reduction.smallest.hosts.isEmpty)
    #expect(
      reduction.smallest.schedule == .replay(ScheduleRecord([.init(decision: 120, index: 1)])))
  }

  /// A run that fails with the fault 7, and also with fewer than three hosts.
  private static func slippery(_ plan: RunPlan) -> ReductionOutcome {
    plan.faults.contains { $0.id == 7 } || plan.hosts.count < 3 ? .fails : .holds
  }

  @Test(
    "What is left fails because of its faults: without them it holds, as the run did at the start")
  func cause() {
    let left = Self.reduce(Self.plan(17)) { (Self.slippery($0), nil) }.smallest
    #expect(left.faults.map(\.id) == [7] && left.hosts.count == 3)
    #expect(Self.slippery(left.keeping([], of: .faults)) == .holds)
  }

  @Test(
    "Where the run fails without its faults, too, these are left out, and the schedule is the cause"
  )
  func scheduleAsCause() {
    let start = Self.plan(9, .replay(Self.record(40)))
    func outcome(_ plan: RunPlan) -> ReductionOutcome {
      let isChosen = plan.record?.choices.contains { $0.decision == 12 } ?? false
      return isChosen || plan.hosts.count < 2 ? .fails : .holds
    }
    let left = Self.reduce(start) { (outcome($0), nil) }.smallest
    #expect(left.faults.isEmpty && left.hosts.count == 2)
    #expect(left.record?.choices.map(\.decision) == [12])
  }

  @Test(
    "A run that fails otherwise without its faults may go on doing so, and may not fail in the same way"
  )
  func tolerance() {
    func outcome(_ plan: RunPlan) -> ReductionOutcome {
      if plan.faults.contains(where: { $0.id == 7 }) { return .fails }
      return plan.hosts.count < 2 ? .fails : .differs
    }
    let left = Self.reduce(Self.plan(17)) { (outcome($0), nil) }.smallest
    #expect(left.faults.map(\.id) == [7] && left.hosts.count == 2)
  }

  @Test("A reduction ends after its runs", arguments: [0, 1, 13])
  func bound(runsMax: Int) {
    let reduction = Self.reduce(Self.plan(40), runsMax: runsMax) {
      ($0.faults.count >= 3 ? .fails : .holds, nil)
    }
    #expect(reduction.runCount == runsMax && reduction.candidate == nil)
  }

  @Test("A fault is left out with the last host that it is about, and else loses the host")
  func hosts() {
    let names = ["ann", "bob", "cy", "dee"]
    let kinds: [Fault.Kind] = [
      .partition([["ann"], ["bob", "cy"]]), .partition([["ann", "dee"]]),
      .cut(.between("ann", and: "bob")), .hosts(["bob", "dee"], .freeze),
      .medium(["ann", "bob", "dee"], Medium(bandwidth: 1_000)), .heal, .crash("dee"),
    ]
    let plan = RunPlan(hosts: names, plans: [FaultPlan(kinds.map { Fault(at: .zero, $0) })])
    let left = plan.keeping([1, 2, 3], of: .peers)
    #expect(left.hosts == ["bob", "cy", "dee"])
    #expect(
      left.faults.map(\.kind) == [
        .partition([["dee"]]), .hosts(["bob", "dee"], .freeze),
        .medium(["bob", "dee"], Medium(bandwidth: 1_000)), .heal, .crash("dee"),
      ])
  }

  @Test("A world carries out the plan of its configuration in the place of the one that it draws")
  func substitution() {
    let wish = RandomFaults(count: 9, between: .seconds(1)...(.seconds(4)))
    func world(_ plan: RunPlan?) -> World {
      var configuration = WorldConfiguration()
      plan?.configure(&configuration)
      let world = World(seed: 3, configuration: configuration)
      for name in ["ann", "bob"] { world.makeHost(name) }
      return world
    }
    let drawn = world(nil)
    #expect(drawn.execute(drawing: wish).faults == RunPlan(of: drawn).faults)
    let plan = RunPlan(plans: [FaultPlan([Fault(at: .seconds(2), .crash("bob"))])])
    let other = world(plan)
    #expect(other.execute(drawing: wish) == plan.plans[0])
    other.run(for: .seconds(3))
    #expect(RunPlan(of: other) == plan)
    #expect(other.hosts[0].isUp && !other.hosts[1].isUp)
    #expect("\(plan)" == "at 2s: crash of bob")
    for world in [drawn, other] { world.finish() }
  }
}
