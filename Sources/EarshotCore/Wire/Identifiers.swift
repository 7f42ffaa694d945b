/// One session of one peer, as the wire names it.
///
/// Drawn at random, so that a session that was forgotten is never mistaken for a new one.
package struct SessionID: Hashable, Comparable, Sendable {
  /// The eight bytes, the most significant first.
  package let rawValue: UInt64

  /// The identifier of these eight bytes.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A random identifier.
  package init(random: inout RandomStream) { rawValue = random.next() }

  /// Whether the left identifier comes first.
  package static func < (left: SessionID, right: SessionID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension SessionID: CustomStringConvertible {
  /// Sixteen hexadecimal digits.
  package var description: String { hexadecimal(rawValue) }
}

/// One invitation; the same when it is sent again over another link.
package struct InvitationID: Hashable, Comparable, Sendable {
  /// The first eight bytes, the most significant first.
  package let high: UInt64
  /// The last eight bytes, the most significant first.
  package let low: UInt64

  /// The identifier of these sixteen bytes.
  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// A random identifier.
  package init(random: inout RandomStream) { (high, low) = (random.next(), random.next()) }

  /// Whether the left identifier comes first.
  package static func < (left: InvitationID, right: InvitationID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension InvitationID: CustomStringConvertible {
  /// Thirty-two hexadecimal digits.
  package var description: String { hexadecimal(high) + hexadecimal(low) }
}

private func hexadecimal(_ word: UInt64) -> String {
  let digits = String(word, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
