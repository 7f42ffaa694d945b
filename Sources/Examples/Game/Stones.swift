/// A game with 21 stones: two players take 1 to 3 in turns, and who takes the last one has won.
public struct Stones: Hashable, Sendable {
  /// How many stones each move took, in order: all there is to know.
  public private(set) var moves: [UInt8] = []

  /// A new game.
  public init() {}

  /// The game after some moves, or `nil` if one of them is against the rules.
  public init?(moves: [UInt8]) {
    for count in moves { guard take(count) else { return nil } }
  }

  /// How many stones are left.
  public var left: Int { moves.reduce(21) { $0 - Int($1) } }
  /// Whose turn it is: that of player 0, who begins, or of player 1; in the end, who has lost.
  public var turn: Int { moves.count % 2 }

  /// Takes some stones for the player whose turn it is, if the rules permit that.
  public mutating func take(_ count: UInt8) -> Bool {
    guard (1...3).contains(count), count <= left else { return false }
    moves.append(count)
    return true
  }
}
