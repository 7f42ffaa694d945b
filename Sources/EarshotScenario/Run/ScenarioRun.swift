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
    let seed = seed ?? scenario.seed
    let start = ProcessorTime.now
    let world = makeWorld(scenario, seed)
    trace?(TraceEvent.header)
    if trace != nil || events != nil {
      world.record { event in
        trace?(event.description)
        events?(event)
      }
    }
    let recorder = Recorder(in: world)
    let (plan, drawn) = scenario.faultPlan(seed: seed)
    let stage = play(scenario, plan, in: world, recorder, progress)
    withExtendedLifetime(stage) { world.finish() }
    let record = recorder.everything
    let invariants = Invariants(scenario, record)
    let checker = ExpectationChecker(scenario, record)
    var verdict = Verdict(
      scenario: scenario.name, summary: scenario.summary, seed: seed,
      traceHash: world.traceHash, eventCount: world.eventCount, virtualDuration: scenario.duration,
      cpuSeconds: ProcessorTime.now - start, timeline: record.timeline,
      messages: record.traffic.messages, drawnFaults: drawn.map(\.description),
      results: scenario.expectations.map { checker.check($0) } + invariants.results,
      gap: scenario.gap)
    (verdict.peers, verdict.attempts) = (scenario.peerNames, record.invitations.all)
    verdict.schedule = world.scheduleRecord
    verdict.variation.settings = scenario.origin.settings
    return verdict
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
    var verdict = run(scenario, seed: seed, trace: trace, events: events, progress: progress)
    let second = run(scenario, seed: seed, progress: progress)
    guard verdict.traceHash == second.traceHash, verdict.eventCount == second.eventCount else {
      verdict.determinism = .different(difference(scenario, verdict.seed))
      return verdict
    }
    verdict.determinism = .same
    return verdict
  }

  private static func makeWorld(_ scenario: Scenario, _ seed: UInt64) -> World {
    let conditions = LinkConditions.lan.changed(by: scenario.links.defaults)
    return World(
      seed: seed,
      configuration: WorldConfiguration(defaultLink: conditions, schedule: scenario.schedule))
  }

  /// Runs a scenario in a new world, up to its end.
  private static func play(
    _ scenario: Scenario, _ plan: FaultPlan, in world: World, _ recorder: Recorder,
    _ progress: ((Int) -> Void)? = nil
  ) -> Stage {
    let stage = Stage(scenario, plan, in: world, recorder: recorder)
    if let progress {
      for second in 1..<max(2, Int(scenario.duration.components.seconds)) {
        world.run(until: .zero + min(scenario.duration, .seconds(second)))
        progress(second)
      }
    }
    world.run(until: .zero + scenario.duration)
    recorder.close(at: scenario.duration)
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
