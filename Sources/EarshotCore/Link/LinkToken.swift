/// A link, as machines name it.
package struct LinkToken: Hashable, Comparable, Sendable {
  /// The number that the shell gave it.
  package let rawValue: UInt64

  /// The link of a number.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether the left link is the older one.
  package static func < (left: LinkToken, right: LinkToken) -> Bool {
    left.rawValue < right.rawValue
  }
}
