package import EarshotScenario

/// What runs a scenario.
///
/// A value with a closure, so that tests of the command line need no simulation to see every ending.
package struct Engine {
  /// Runs a scenario with a seed, and hands each event of the run, as a line, to the trace if there is one.
  package var run: (_ scenario: Scenario, _ seed: UInt64, _ trace: ((String) -> Void)?) -> RunResult

  /// An engine from its one function.
  package init(
    run:
      @escaping (
        _ scenario: Scenario, _ seed: UInt64, _ trace: ((String) -> Void)?
      ) -> RunResult
  ) {
    self.run = run
  }
}

/// What the command line has to know about a run.
package struct RunResult {
  /// How it ended.
  package var exitCode: ExitCode
  /// The hash of everything that happened, as it is shown.
  package var traceHash: String
  /// How many events there were.
  package var events: Int
  /// The names of the expectations that were violated.
  package var violated: [String]
  /// The report for people, with colours or without, ending with a line break.
  package var text: (_ isColoured: Bool) -> String
  /// The report for programs: a JSON object on one line, without a line break.
  package var json: () -> String

  /// A result.
  package init(
    exitCode: ExitCode, traceHash: String, events: Int, violated: [String],
    text: @escaping (_ isColoured: Bool) -> String, json: @escaping () -> String
  ) {
    (self.exitCode, self.traceHash, self.events) = (exitCode, traceHash, events)
    (self.violated, self.text, self.json) = (violated, text, json)
  }
}
