package import EarshotScenario
package import EarshotSimulator

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
    /// When it became certain, and the peers and messages concerned; `nil` when that is not known.
    package var focus: Verdict.Focus?

    /// A violation of something, and what was seen instead.
    package init(_ name: String, _ observed: String = "", _ focus: Verdict.Focus? = nil) {
      (self.name, self.observed, self.focus) = (name, observed, focus)
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
  /// What the policy of the schedule has chosen in a run that failed.
  package var schedule = ScheduleRecord()
  /// What code under test has stated of itself, and how often it held.
  package var properties: [Property] = []
  /// What survives the faults of the run, by name; `nil` when there were none.
  package var guarantees: [String]?
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
