import EarshotNetwork

/// Which of Earshot's own points of BUGGIFY a world has.
///
/// At such a point Earshot does on purpose what it seldom does, such as to write a part of what it could, to set a timer
/// late, or to take another length of a window: always within what it promises. What takes effect is a `reachable` property
/// of the run, by the name of the point behind `buggify: `.
///
/// The points draw from streams of their own: no draw of the network, of a plan or of a schedule moves, though what
/// follows from the points does.
///
/// - SeeAlso: Zhou et al.: "FoundationDB: A Distributed Unbundled Transactional Key Value Store" (SIGMOD 2021), §4.
public enum Buggify: Hashable, Sendable {
  /// None.
  case off
  /// Those that the seed draws, four in ten on average.
  case drawn
  /// Those of these names; how often they take effect, the seed draws as for ``drawn``.
  case only([String])

  /// The draws of a run; `nil` for none.
  func draws(seed: UInt64) -> BuggifyDraws? {
    switch self {
    case .off: nil
    case .drawn: BuggifyDraws(seed: seed)
    case .only(let names): BuggifyDraws(seed: seed, only: names)
    }
  }
}
