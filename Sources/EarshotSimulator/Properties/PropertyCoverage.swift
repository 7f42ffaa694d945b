/// What became of properties in several runs.
///
/// ```swift
/// var coverage = PropertyCoverage()
/// for seed in 0..<100 {
///   …
///   coverage.add(world.properties)
/// }
/// for property in coverage.unseen { print("never: \(property.name)") }
/// ```
///
/// Adding is commutative: shards can be added up in any order.
public struct PropertyCoverage: Hashable, Sendable {
  private struct Key: Hashable, Comparable {
    let name: String
    let kind: String

    static func < (left: Key, right: Key) -> Bool {
      (left.name, left.kind) < (right.name, right.kind)
    }
  }
  private var entries: [Key: Property] = [:]

  /// No runs.
  public init() {}

  /// Takes in the properties of a run, or of several runs that were added up elsewhere.
  ///
  /// - Parameter properties: The properties, with how often they were reached and held.
  public mutating func add(_ properties: some Sequence<Property>) {
    for property in properties {
      let key = Key(name: property.name, kind: property.kind.rawValue)
      guard let known = entries[key] else {
        entries[key] = property
        continue
      }
      entries[key] = known.adding(property)
    }
  }

  /// All properties, by name, with the sums of how often they were reached and held.
  public var properties: [Property] { entries.sorted { $0.key < $1.key }.map(\.value) }

  /// What is to happen at least once: each `sometimes` and each `reachable`, by name.
  public var goals: [Property] {
    properties.filter { $0.kind == .sometimes || $0.kind == .reachable }
  }

  /// What is to happen at least once and has not, by name.
  public var unseen: [Property] { goals.filter { !$0.isSeen } }
}
