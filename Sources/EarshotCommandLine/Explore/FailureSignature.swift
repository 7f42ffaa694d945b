import EarshotScenario
import EarshotSimulator

/// What tells one kind of failure from another: what was violated, and how.
struct FailureSignature: Hashable, Sendable {
  let name: String
  /// What was seen, of an invariant.
  private let shape: ViolationShape?
  /// How an expectation was missed.
  private let manner: Verdict.Focus.Manner?
  /// How the peers that it is about stood with each other then.
  private let standings: Set<Verdict.Focus.Standing>

  /// The kind of a violation in a scenario.
  ///
  /// An expectation is one place; an invariant has as many as there are ways to violate it.
  init(_ violation: RunResult.Violation, in scenario: Scenario) {
    name = ScenarioDocument.shortName(violation.name)
    let isExpectation = scenario.expectations.contains {
      ScenarioDocument.shortName($0.name) == ScenarioDocument.shortName(violation.name)
    }
    let text = violation.observed.split(separator: " (and ").first ?? ""
    shape =
      isExpectation ? nil : ViolationShape(String(text), names: Set(scenario.peerNames))
    (manner, standings) =
      isExpectation ? (violation.focus?.manner, violation.focus?.standings ?? []) : (nil, [])
  }

  /// The kind as a text, the same in all processes.
  var text: String { shape.map { "\(name): \($0.text)" } ?? name }

  /// Whether a result shows the same failure, another one or none.
  ///
  /// It is the same when the same thing was missed in the same manner, by peers that stood with each other as some of
  /// the first failure did: peers that never met are no case of peers that lost each other. What nothing else could
  /// come of is another failure.
  func outcome(of result: RunResult, of scenario: Scenario) -> ReductionOutcome {
    guard result.ending != .held, result.ending != .unchecked else { return .holds }
    let isSeen = result.violations.contains { isShown(by: FailureSignature($0, in: scenario)) }
    return isSeen && !scenario.hopeless.contains(name) ? .fails : .differs
  }

  private func isShown(by other: FailureSignature) -> Bool {
    (name, shape) == (other.name, other.shape) && manner == other.manner
      && other.standings.isSubset(of: standings) && other.standings.isEmpty == standings.isEmpty
  }
}
