package import EarshotScenario

/// What runs a scenario.
///
/// A value with a closure, so that tests of the command line need no simulation to see every ending.
package struct Engine {
  /// Runs what is ordered.
  package var run: (RunOrder) -> RunResult

  /// An engine from its one function.
  package init(run: @escaping (RunOrder) -> RunResult) { self.run = run }
}

/// A run that is wanted.
package struct RunOrder {
  /// What to run.
  package var scenario: Scenario
  /// The file that it was read from, for the report.
  package var file: String
  /// What decides everything that is left to chance.
  package var seed: UInt64
  /// Whether to run it again, to see that both runs are the same.
  package var isRepeated: Bool
  /// Told of every event of the first run, a line each.
  package var trace: ((String) -> Void)?
  /// Told after every second of virtual time how many have passed, in either run.
  package var progress: ((Int) -> Void)?
}

/// What the command line has to know about a run.
package struct RunResult {
  /// How it ended.
  package var exitCode: ExitCode
  /// The hash of everything that happened, as it is shown.
  package var traceHash: String
  /// How many events there were.
  package var events: Int
  /// What had to hold and did not.
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
