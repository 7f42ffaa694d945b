import EarshotScenario

/// The failures of many seeds of one scenario, those that are alike together.
struct FailureGroups {
  /// Seeds that fail in the same way.
  struct Group {
    /// How, as the first of the seeds says it.
    var violations: [RunResult.Violation]
    /// How many seeds, and the first of them.
    var count = 0
    var seeds: [UInt64] = []
    /// Tells groups of other seeds apart, without keeping all of them.
    fileprivate var fingerprint: UInt64 = 0
  }
  private struct Key: Hashable {
    let name: String
    let shape: ViolationShape?
  }
  private var groups: [Group] = []
  private var places: [Key: Int] = [:]
  private let names: Set<String>

  /// No failures yet, of peers with these names.
  init(peers names: [String]) { self.names = Set(names) }

  /// Takes in a seed that failed.
  mutating func add(_ seed: UInt64, _ violations: [RunResult.Violation]) {
    var seen: Set<Int> = []
    for violation in violations {
      let place = place(of: violation)
      if seen.insert(place).inserted { groups[place].add(seed) }
    }
  }

  private mutating func place(of violation: RunResult.Violation) -> Int {
    var key = Key(
      name: violation.name, shape: ViolationShape(violation.observed, names: names))
    if places[key] == nil, groups.count >= Self.shapesMax { key = Key(name: key.name, shape: nil) }
    if let place = places[key] { return place }
    places[key] = groups.count
    groups.append(Group(violations: [violation]))
    return groups.count - 1
  }

  /// The groups, the largest first; what befell exactly the same seeds is one of them.
  var merged: [Group] {
    var merged: [Group] = []
    for group in groups {
      if let place = merged.firstIndex(where: { $0.hasSameSeeds(as: group) }) {
        merged[place].violations += group.violations
      } else {
        merged.append(group)
      }
    }
    return merged.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }.map(\.element)
  }

  /// Beyond this, the failures of one expectation are no longer told apart.
  private static let shapesMax = 1_000
}

extension FailureGroups.Group {
  fileprivate mutating func add(_ seed: UInt64) {
    count += 1
    if seeds.count < Self.seedsMax { seeds.append(seed) }
    fingerprint = (fingerprint ^ seed) &* 0x100_0000_01B3 &+ 1
  }

  fileprivate func hasSameSeeds(as other: Self) -> Bool {
    (count, seeds, fingerprint) == (other.count, other.seeds, other.fingerprint)
  }

  /// As many as are shown.
  private static let seedsMax = 5
}
