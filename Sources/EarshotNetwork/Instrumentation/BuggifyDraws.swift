/// The points of BUGGIFY in one run: where code does on purpose what it seldom does, and how often.
///
/// At a point, code that is mostly lucky is not, within what it guarantees: a write is short, a timer is late, a window
/// small. The seed draws which points a run has, so that runs differ in kind and not in degree alone, and how likely each
/// of them is. Every point draws from a stream of its own: to leave one out changes nothing at the others.
///
/// - SeeAlso: Zhou et al.: "FoundationDB: A Distributed Unbundled Transactional Key Value Store" (SIGMOD 2021), §4.
package struct BuggifyDraws: Hashable, Sendable {
  private struct Point: Hashable {
    var random: RandomStream
    let isPresent: Bool
    let chance: Ratio
  }
  private var points: [String: Point] = [:]
  private let seed: UInt64
  private let chosen: Set<String>?

  /// The points of a run.
  ///
  /// - Parameters:
  ///   - seed: The seed of the run.
  ///   - chosen: The names of the points that there are; `nil` has the seed draw them. Their likelihood is the same.
  package init(seed: UInt64, only chosen: [String]? = nil) {
    (self.seed, self.chosen) = (seed, chosen.map(Set.init))
  }

  /// Whether a point takes effect this time.
  package mutating func occurs(at name: String) -> Bool {
    var point = points[name] ?? makePoint(name)
    let occurs = point.isPresent && point.random.chance(point.chance)
    points[name] = point
    return occurs
  }

  /// A number in `0..<bound`, when a point takes effect.
  package mutating func number(at name: String, below bound: UInt64) -> UInt64? {
    occurs(at: name) ? points[name]?.random.below(bound) : nil
  }

  private func makePoint(_ name: String) -> Point {
    var random = RandomStream(seed: seed, name: "buggify \(name)")
    let chance = Self.chances[Int(random.below(UInt64(Self.chances.count)))]
    let isDrawn = random.chance(Self.share)
    return Point(
      random: random, isPresent: chosen?.contains(name) ?? isDrawn, chance: chance)
  }

  private static let chances: [Ratio] = [.percent(1), .percent(10), .percent(50)]
  /// How many of the points a run has on average.
  private static let share = Ratio.percent(40)
}
