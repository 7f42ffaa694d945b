import EarshotScenario
import EarshotSimulator

/// What is to happen at least once in an exploration, and whether it has.
///
/// Kept beside the tallies because it is asked after every run.
struct Sightings {
  private var coverage = PropertyCoverage()
  private var seen: Set<Property> = []
  private var goals: Set<Property> = []

  init() {}

  /// What came of it in explorations that have ended.
  init(_ coverage: PropertyCoverage) { add(coverage.properties) }

  /// Takes in what became of properties in one more run.
  mutating func add(_ properties: [Property]) {
    coverage.add(properties)
    for property in properties where property.kind == .sometimes || property.kind == .reachable {
      let goal = Property(property.kind, property.name)
      goals.insert(goal)
      if property.isSeen { seen.insert(goal) }
    }
  }

  /// Whether everything was seen.
  var isComplete: Bool { seen.count == goals.count }

  /// For the progress line, with a comma and a space behind it; empty when nothing is to be seen.
  var phrase: String { goals.isEmpty ? "" : "\(seen.count) of \(goals.count) sightings, " }

  /// How much was seen, and a line for each thing that was not; empty when nothing is to be seen.
  func text(_ paint: Paint) -> String {
    guard !goals.isEmpty else { return "" }
    let line = "seen at least once: \(seen.count) of \(goals.count)"
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
