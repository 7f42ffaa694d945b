/// One direction between two peers.
package struct Direction: Hashable, Sendable {
  package let from: String
  package let to: String

  /// From one peer to another.
  package init(_ from: String, _ to: String) { (self.from, self.to) = (from, to) }

  /// The same for both directions between two peers.
  var couple: Direction { from < to ? self : Direction(to, from) }
}
