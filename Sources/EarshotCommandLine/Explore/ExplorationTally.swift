import EarshotScenario
import EarshotSimulator

/// How many runs of a scenario an exploration has done, and what they came to.
struct ExplorationTally {
  /// The name of the scenario; empty for several.
  let scenario: String
  var runs = 0
  var failed = 0
  var events = 0
  /// What the code under test has stated of itself.
  var coverage = PropertyCoverage()

  init(scenario: String) { self.scenario = scenario }

  /// The runs and their events, such as `1 run, 240 events`.
  var counts: String {
    "\(String(counting: runs, "run")), \(String(counting: events, "event"))"
  }

  /// A number of kinds of failures, in words.
  static func kinds(_ count: Int) -> String {
    String(counting: count, "kind of failure", "kinds of failures")
  }

  static func += (left: inout ExplorationTally, right: ExplorationTally) {
    left.runs += right.runs
    left.failed += right.failed
    left.events += right.events
    left.coverage.add(right.coverage.properties)
  }

  /// The line for programs about the scenario's file, without a line break.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - part: The part of the exploration that this is about; `nil` for all.
  /// - Returns: A JSON object.
  func json(of file: String, in part: ExplorationPart?) -> String {
    JSONText.object(
      [
        ("explored", "true"), ("file", file.quotedForJSON), ("scenario", scenario.quotedForJSON),
        ("runs", "\(runs)"), ("failed", "\(failed)"), ("events", "\(events)"),
        ("properties", JSONText.array(coverage.properties.map(\.json))),
      ] + (part?.members ?? []))
  }
}

extension Sequence<ExplorationTally> {
  /// All of them together.
  var total: ExplorationTally { total(named: "") }

  /// All of them together, of one scenario.
  func total(named scenario: String) -> ExplorationTally {
    reduce(into: ExplorationTally(scenario: scenario)) { $0 += $1 }
  }
}
