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
  private var entries: [Property.Key: Property] = [:]

  /// No runs.
  public init() {}

  /// Takes in the properties of a run, or of several runs that were added up elsewhere.
  ///
  /// - Parameter properties: The properties, with how often they were reached and held.
  public mutating func add(_ properties: some Sequence<Property>) {
    for property in properties {
      let known = entries[property.key]
      entries[property.key] = known?.adding(property) ?? property
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
