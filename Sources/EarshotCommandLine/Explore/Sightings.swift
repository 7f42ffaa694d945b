import EarshotScenario
import EarshotSimulator

/// What is to happen at least once in an exploration, and whether it has.
struct Sightings {
  private let coverage: PropertyCoverage

  /// What has become of it in some runs.
  init(_ coverage: PropertyCoverage) { self.coverage = coverage }

  /// Whether everything was seen.
  var isComplete: Bool { coverage.unseen.isEmpty }

  /// How much was seen; `nil` when nothing is to be seen.
  private var share: String? {
    let goals = coverage.goals
    return goals.isEmpty ? nil : "\(goals.count(where: \.isSeen)) of \(goals.count)"
  }

  /// For the progress line, with a comma and a space behind it; empty when nothing is to be seen.
  var phrase: String { share.map { "\($0) sightings, " } ?? "" }

  /// How much was seen, and a line for each thing that was not; empty when nothing is to be seen.
  func text(_ paint: Paint) -> String {
    guard let share else { return "" }
    let line = "seen at least once: \(share)"
    return "\(isComplete ? paint.green(line) : paint.yellow(line))\n"
      + coverage.unseen.map { "  \(paint.yellow("○")) never: \($0.sentence)\n" }.joined()
  }
}

extension Property {
  /// The property, and how often its place was reached in vain.
  fileprivate var sentence: String {
    let name = name.escapedForTerminals
    return kind == .sometimes ? "\(name) (reached \(reached) times)" : name
  }

  /// The property for programs.
  var json: String {
    JSONText.object([
      ("kind", kind.rawValue.quotedForJSON), ("name", name.quotedForJSON),
      ("reached", "\(reached)"), ("held", "\(held)"),
    ])
  }
}
