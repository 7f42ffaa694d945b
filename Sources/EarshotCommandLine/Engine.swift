package import EarshotScenario

/// What runs scenarios.
///
/// A value with closures, so that tests of the command line need no simulation to see every ending.
package struct Engine: Sendable {
  /// Runs what is ordered, on the calling thread; called by several threads at once when there are several
  /// jobs.
  package var run: @Sendable (RunOrder) -> RunResult
  /// Gives up what is being run: soon every `run` returns, with a result that means nothing.
  package var cancel: @Sendable () -> Void

  /// An engine from its functions.
  package init(
    cancel: @escaping @Sendable () -> Void = {}, run: @escaping @Sendable (RunOrder) -> RunResult
  ) { (self.run, self.cancel) = (run, cancel) }
}

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
  /// Told of every event of the first run, a line each.
  package var trace: ((String) -> Void)?
  /// Told after every second of virtual time how many have passed, in either run.
  package var progress: ((Int) -> Void)?

  /// An order without anybody to be told of events.
  package init(
    scenario: Scenario, file: String, text: String, seed: UInt64, isRepeated: Bool,
    form: ReportForm
  ) {
    (self.scenario, self.file, self.text) = (scenario, file, text)
    (self.seed, self.isRepeated, self.form) = (seed, isRepeated, form)
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

/// What the command line has to know about a run.
package struct RunResult: Hashable, Sendable, Codable {
  /// How a run ended.
  package enum Ending: String, Hashable, Sendable, Codable, CaseIterable {
    case held
    /// Nothing was violated, and nothing could have been.
    case unchecked
    case violated
    /// A second run of the same seed was another one.
    case different
    case crashed

    /// The code of a process that ran this and nothing else.
    package var exitCode: ExitCode {
      switch self {
      case .held: .held
      case .unchecked: .unchecked
      case .violated: .violated
      case .different, .crashed: .broken
      }
    }
  }

  /// Something that had to hold and did not.
  package struct Violation: Hashable, Sendable, Codable {
    /// What had to hold.
    package var name: String
    /// What was seen instead; empty when there is no more to say.
    package var observed: String

    /// A violation of something, and what was seen instead.
    package init(_ name: String, _ observed: String = "") {
      (self.name, self.observed) = (name, observed)
    }

    /// Both, in one line.
    package var text: String { observed.isEmpty ? name : "\(name): \(observed)" }
  }

  /// How it ended.
  package var ending: Ending
  /// The hash of everything that happened, as it is shown; empty after a crash.
  package var traceHash: String
  /// How many events there were.
  package var events: Int
  /// What had to hold and did not; empty only when it held.
  package var violations: [Violation]
  /// The report in the form that was wanted, ending with a line break unless it is empty.
  package var report: String

  /// A result.
  package init(
    _ ending: Ending, traceHash: String = "", events: Int = 0, violations: [Violation] = [],
    report: String = ""
  ) {
    (self.ending, self.traceHash, self.events) = (ending, traceHash, events)
    (self.violations, self.report) = (violations, report)
  }
}
