/// One direction between two hosts.
package struct Direction: Hashable, Sendable {
  package let from: String
  package let to: String

  /// From one host to another.
  package init(_ from: String, _ to: String) { (self.from, self.to) = (from, to) }

  /// The same for both directions between two hosts.
  package var couple: Direction { from < to ? self : Direction(to, from) }
}
