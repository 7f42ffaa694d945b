package import EarshotScenario
package import EarshotSimulator

/// A run that is wanted.
package struct RunOrder {
  /// What to run.
  package var scenario: Scenario
  /// The file that it was read from, for the report.
  package var file: String
  /// What stands in the file, for an engine that runs it elsewhere.
  package var text: String
  /// What decides everything that is left to chance.
  package var seed: UInt64
  /// Whether to run it again, to see that both runs are the same.
  package var isRepeated: Bool
  /// How the report is wanted.
  package var form: ReportForm
  /// The policy of the schedule; `nil` for the scenario's own.
  package var policy: ExplorationPolicy?
  /// Whether BUGGIFY is on though the scenario does not say so.
  package var isBuggified = false
  /// Told of every event of the first run, a line each.
  package var trace: ((String) -> Void)?
  /// Told of every event of the first run, as a value.
  package var events: ((TraceEvent) -> Void)?
  /// Told what came out, when the runs are over.
  package var verdict: ((Verdict) -> Void)?
  /// Told after every second of virtual time how many have passed, in either run.
  package var progress: ((Int) -> Void)?
  /// Told the same of the run that explains what was violated.
  package var explanationProgress: ((Int) -> Void)?

  /// An order that reports no events.
  package init(
    scenario: Scenario, file: String, text: String, seed: UInt64, isRepeated: Bool,
    form: ReportForm
  ) {
    (self.scenario, self.file, self.text) = (scenario, file, text)
    (self.seed, self.isRepeated, self.form) = (seed, isRepeated, form)
  }

  /// How to see it again.
  var replay: Replay {
    Replay(
      file, seed, policy: policy?.rawValue, settings: scenario.origin.settings,
      isBuggified: isBuggified)
  }
}

/// How a report is written.
package enum ReportForm: String, Hashable, Sendable, Codable {
  /// Not at all.
  case none
  /// For people.
  case plain, coloured
  /// For programs: a JSON object on one line.
  case json
}
