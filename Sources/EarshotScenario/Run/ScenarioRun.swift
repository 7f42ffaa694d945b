import Earshot
import EarshotCore
public import EarshotSimulator

/// Runs scenarios, each in a world of its own.
public enum ScenarioRun {
  /// Runs a scenario once, in virtual time, on the calling thread.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - seed: What decides everything that is left to chance; the scenario's own seed by default.
  ///   - trace: Told of everything as it happens, packets included: a line each, with fields between tabs,
  ///     and before them a line with the names of the fields.
  ///   - events: Told of the same events as values.
  ///   - progress: Told after every second of virtual time how many have passed.
  /// - Returns: What came out.
  public static func run(
    _ scenario: Scenario, seed: UInt64? = nil, trace: ((String) -> Void)? = nil,
    events: ((TraceEvent) -> Void)? = nil, progress: ((Int) -> Void)? = nil
  ) -> Verdict {
    run(scenario, seed: seed, trace: trace, events: events, progress: progress) { _, _ in }
  }

  /// The same, in a world and with a recorder that something is done to before.
  package static func run(
    _ scenario: Scenario, seed: UInt64? = nil, trace: ((String) -> Void)? = nil,
    events: ((TraceEvent) -> Void)? = nil, progress: ((Int) -> Void)? = nil,
    preparing prepare: (World, Recorder) -> Void
  ) -> Verdict {
    let seed = seed ?? scenario.seed
    let start = ProcessorTime.now
    let world = makeWorld(scenario, seed)
    trace?(TraceEvent.header)
    let recorder = Recorder(in: world)
    let counts = scenario.countsTraffic
    if trace != nil || events != nil || counts {
      world.record { event in
        trace?(event.description)
        events?(event)
        if counts { recorder.carry(event) }
      }
    }
    prepare(world, recorder)
    let (plan, drawn) = scenario.faultPlan(seed: seed)
    let stage = play(scenario, plan, in: world, recorder, progress)
    let end: Duration = world.now - .zero
    let (deadlock, idle) = (world.deadlock, world.idleFaults)
    var record = recorder.everything
    let stuck = Verdict.Result.deadlock(deadlock, record)
    let (digest, schedule) = (world.traceDigest, world.scheduleRecord)
    let (violations, properties) = (world.violations, world.properties)
    world.record(into: nil)
    // What a run has left that was stopped is no wonder.
    let leaks = end < scenario.duration ? nil : stage.remains()
    if leaks != nil {
      for (peer, entries) in stage.receivedFiles() { record.files.close(entries, of: peer) }
    }
    withExtendedLifetime(stage) { world.finish() }
    record.calls = recorder.everything.calls
    let invariants = Invariants(scenario, record, until: end)
    // What was to come after a violation has not come: nothing can be said of it.
    let isStopped = end < scenario.duration
    let checker = isStopped ? nil : ExpectationChecker(scenario, record)
    let convergence = isStopped ? nil : Convergence(scenario)?.result(record)
    var verdict = Verdict(
      scenario: scenario.name, summary: scenario.summary, seed: seed,
      traceHash: digest.hash, eventCount: digest.eventCount, virtualDuration: end,
      cpuSeconds: ProcessorTime.now - start, timeline: record.timeline,
      messages: record.traffic.messages, drawnFaults: drawn.map(\.description),
      results: scenario.expectations.compactMap { checker?.check($0) }
        + [convergence].compactMap { $0 } + invariants.results
        + violations.prefix(1).map(Verdict.Result.init)
        + [Verdict.Result.leaks(leaks, end: end)].compactMap { $0 }
        + stuck,
      gap: scenario.gap)
    if !plan.faults.isEmpty {
      verdict.faults.guarantees = plan.guarantees(patience: scenario.shortestPatience)
    }
    (verdict.peers, verdict.attempts) = (scenario.peerNames, record.invitations.all)
    (verdict.streams, verdict.files) = (record.streams.streams, record.files.files)
    verdict.stopped = isStopped ? end : nil
    (verdict.schedule, verdict.properties) = (schedule, properties)
    // A fault that goes on when a run is stopped might have struck something.
    let struckNothing = idle.filter { $0.isOver || !isStopped }.map(\.fault)
    verdict.warnings =
      scenario.warnings + scenario.warnings(of: struckNothing.filter { !drawn.contains($0) })
    for (place, fault) in drawn.enumerated() where !isStopped || struckNothing.contains(fault) {
      verdict.faults.idleness[place] = scenario.mark(of: fault, struckNothing)
    }
    verdict.variation.settings = scenario.origin.settings
    return verdict
  }

  /// Runs a scenario once more up to a time, for its events alone: nothing is checked.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - seed: The seed of the run.
  ///   - end: The time.
  ///   - progress: Told after every second of virtual time how many have passed.
  ///   - events: Told of every event, and of the last choice of the schedule before it.
  static func repeating(
    _ scenario: Scenario, seed: UInt64, until end: Duration, progress: ((Int) -> Void)? = nil,
    events: @escaping (TraceEvent, ScheduleRecord.Choice?) -> Void
  ) {
    let world = makeWorld(scenario, seed)
    let recorder = Recorder(in: world)
    world.record { [unowned world] in events($0, world.lastChoice) }
    let stage = Stage(scenario, scenario.faultPlan(seed: seed).plan, in: world, recorder: recorder)
    for second in 1..<max(2, Int(end.components.seconds) + 1) where progress != nil {
      world.run(until: .zero + min(end, .seconds(second)))
      progress?(second)
    }
    // What happens at the moment itself is part of it.
    world.run(until: .zero + end + .microseconds(2))
    world.record(into: nil)
    recorder.close(at: end)
    withExtendedLifetime(stage) { world.finish() }
  }

  /// Runs a scenario twice, and says in the verdict whether both runs were the same.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - seed: What decides everything that is left to chance; the scenario's own seed by default.
  ///   - trace: Told of everything in the first run.
  ///   - events: Told of the same events as values.
  ///   - progress: Told after every second of virtual time how many have passed, in either run.
  /// - Returns: What came out of the first run.
  public static func runTwice(
    _ scenario: Scenario, seed: UInt64? = nil, trace: ((String) -> Void)? = nil,
    events: ((TraceEvent) -> Void)? = nil, progress: ((Int) -> Void)? = nil
  ) -> Verdict {
    let first = run(scenario, seed: seed, trace: trace, events: events, progress: progress)
    return compared(first, run(scenario, seed: seed, progress: progress), of: scenario)
  }

  /// The verdict of the first of two runs, which says whether the second was the same.
  static func compared(_ first: Verdict, _ second: Verdict, of scenario: Scenario) -> Verdict {
    var verdict = first
    guard verdict.traceHash == second.traceHash, verdict.eventCount == second.eventCount else {
      verdict.determinism = .different(difference(scenario, verdict.seed))
      return verdict
    }
    verdict.determinism = .same
    return verdict
  }

  private static func makeWorld(_ scenario: Scenario, _ seed: UInt64) -> World {
    let conditions = LinkConditions.lan.changed(by: scenario.links.defaults)
    var configuration = WorldConfiguration(
      defaultLink: conditions, schedule: scenario.schedule)
    (configuration.guide, configuration.buggify) = (scenario.guide, scenario.buggify)
    configuration.isSecure = scenario.isSecure
    let world = World(seed: seed, configuration: configuration)
    for event in RareEvent.allCases { world.declare(.reachable, event.rawValue) }
    if scenario.buggify == .drawn {
      for point in BuggifyPoint.allCases {
        world.declare(.reachable, Property.buggifyPrefix + point.rawValue)
      }
    }
    return world
  }

  /// Runs a scenario in a new world, up to its end, or up to where something happens that never must.
  private static func play(
    _ scenario: Scenario, _ plan: FaultPlan, in world: World, _ recorder: Recorder,
    _ progress: ((Int) -> Void)? = nil
  ) -> Stage {
    let stage = Stage(scenario, plan, in: world, recorder: recorder)
    let inspection = RunInspection(of: scenario, on: stage, recorder)
    func isViolated(by end: Duration) -> Bool {
      let isFound = world.run(until: { inspection.finds() }, within: end - (world.now - .zero))
      return isFound || !world.violations.isEmpty
    }
    if let progress {
      for second in 1..<max(2, Int(scenario.duration.components.seconds)) {
        if isViolated(by: min(scenario.duration, .seconds(second))) { break }
        progress(second)
      }
    }
    if !inspection.hasFound { _ = isViolated(by: scenario.duration) }
    recorder.close(at: world.now - .zero)
    return stage
  }

  /// The first event that differs between two more runs.
  private static func difference(_ scenario: Scenario, _ seed: UInt64) -> String {
    let (plan, _) = scenario.faultPlan(seed: seed)
    let divergence = DeterminismCheck.run {
      makeWorld(scenario, seed)
    } _: { world in
      _ = play(scenario, plan, in: world, Recorder(in: world))
    }
    return divergence?.description ?? "but two further runs did not"
  }
}
