import EarshotCore
import EarshotSimulator

/// Runs scenarios, each in a world of its own.
public enum ScenarioRun {
  /// Runs a scenario once, in virtual time, on the calling thread.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - seed: What decides everything that is left to chance; the scenario's own seed by default.
  ///   - trace: Told of everything as it happens, messages included: a line each, with fields between tabs
  ///     (virtual seconds, peer, what, other peer, detail).
  ///   - progress: Told after every second of virtual time how many have passed.
  /// - Returns: What came out.
  public static func run(
    _ scenario: Scenario, seed: UInt64? = nil, trace: ((String) -> Void)? = nil,
    progress: ((Int) -> Void)? = nil
  ) -> Verdict {
    let seed = seed ?? scenario.seed
    let start = ProcessorTime.now
    let recorder = Recorder(trace: trace.map { Recorder.Trace(line: $0) })
    let stage = Stage(scenario, seed: seed, recorder: recorder)
    let plan = FaultPlan(scenario, seed: seed)
    for fault in plan.faults { stage.schedule(fault) }
    run(stage.world, for: scenario.duration, progress)
    let ending = Ending(stage, recorder)
    stage.world.finish()
    let record = recorder.everything
    return Verdict(
      scenario: scenario.name, summary: scenario.summary, seed: seed, traceHash: ending.hash,
      eventCount: ending.eventCount, virtualDuration: scenario.duration,
      cpuSeconds: ProcessorTime.now - start, timeline: record.timeline,
      ways: record.traffic.ways, drawnFaults: plan.drawn.map(\.description),
      results: results(scenario, record, ending))
  }

  /// Runs a scenario twice, and says in the verdict whether both runs were the same.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - seed: What decides everything that is left to chance; the scenario's own seed by default.
  ///   - trace: Told of everything in the first run.
  ///   - progress: Told after every second of virtual time how many have passed, in either run.
  /// - Returns: What came out of the first run.
  public static func runTwice(
    _ scenario: Scenario, seed: UInt64? = nil, trace: ((String) -> Void)? = nil,
    progress: ((Int) -> Void)? = nil
  ) -> Verdict {
    var verdict = run(scenario, seed: seed, trace: trace, progress: progress)
    verdict.compare(with: run(scenario, seed: seed, progress: progress))
    return verdict
  }

  private static func run(_ world: World, for duration: Duration, _ progress: ((Int) -> Void)?) {
    if let progress {
      for second in 1..<max(2, Int(duration.components.seconds)) {
        world.run(until: .zero + min(duration, .seconds(second)))
        progress(second)
      }
    }
    world.run(until: .zero + duration)
  }

  /// How things stood when the time was over, before the world was taken down.
  private struct Ending {
    let hash: RollingHash
    let eventCount: Int
    let awake: [String]
    let lastDisturbance: Duration

    init(_ stage: Stage, _ recorder: Recorder) {
      recorder.close()
      var hash = stage.world.traceHash
      hash.combine(recorder.hash.value)
      self.hash = hash
      eventCount = stage.world.eventCount
      (awake, lastDisturbance) = (stage.awake, stage.lastDisturbance)
    }
  }

  private static func results(
    _ scenario: Scenario, _ record: Recorder.Record, _ ending: Ending
  ) -> [Verdict.Result] {
    let checker = ExpectationChecker(record.timeline, record.traffic)
    let invariants = Invariants(
      record: record, end: scenario.duration, awake: ending.awake,
      lastDisturbance: ending.lastDisturbance)
    return scenario.expectations.map { checker.check($0) } + invariants.results
  }
}

extension Verdict {
  /// Notes whether a second run of the same seed was the same, and where it first differed.
  package mutating func compare(with second: Verdict) {
    guard traceHash != second.traceHash || eventCount != second.eventCount else {
      return determinism = .same
    }
    let pairs = zip(timeline.entries, second.timeline.entries)
    if let (mine, other) = pairs.first(where: { $0 != $1 }) {
      determinism = .different("first in “\(mine)” against “\(other)”")
    } else if timeline.entries.count != second.timeline.entries.count {
      let counts = [timeline.entries.count, second.timeline.entries.count]
      determinism = .different("\(counts[0]) against \(counts[1]) entries of the timeline")
    } else {
      determinism = .different(
        "in packets or messages alone, \(eventCount) against \(second.eventCount) events")
    }
  }
}
