/// One session of one peer, as the wire names it.
///
/// ```
/// lifetime (5 bytes, random) | number (3 bytes, ascending)
/// ```
///
/// A peer draws its lifetime when it begins, so that a session that was forgotten is never mistaken for a new one.
/// Of two sessions of one lifetime the later one is known; two of different lifetimes cannot be compared, and only
/// one of them can be alive.
package struct SessionID: Hashable, Comparable, Sendable {
  /// The eight bytes, the most significant first.
  package let rawValue: UInt64

  /// The identifier of these eight bytes.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The first session of a new lifetime.
  package init(random: inout RandomStream) { rawValue = random.next() & ~Self.numbers }

  /// The session after this one; of another lifetime when the numbers of this one are used up.
  package func next(random: inout RandomStream) -> SessionID {
    guard rawValue & Self.numbers < Self.numbers else { return SessionID(random: &random) }
    return SessionID(rawValue: rawValue + 1)
  }

  /// Whether both are of one lifetime, and this one is the later.
  package func isLater(than other: SessionID) -> Bool {
    rawValue & ~Self.numbers == other.rawValue & ~Self.numbers && rawValue > other.rawValue
  }

  private static let numbers: UInt64 = 0xFF_FFFF

  /// Whether the left identifier comes first.
  package static func < (left: SessionID, right: SessionID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension SessionID: CustomStringConvertible {
  /// Sixteen hexadecimal digits.
  package var description: String { hexadecimal(rawValue) }
}

/// One membership of two sessions, as both sides name it; a later one of the same sessions is greater.
///
/// Twice a number, plus one when the smaller PeerID proposed it: two sides that propose at once never propose the
/// same, and both see which of the two proposals is the greater.
package struct MembershipID: Hashable, Comparable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt64

  /// The identifier of a number.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Before the first membership.
  package static let none = MembershipID(rawValue: 0)

  /// The next one that a side may propose.
  package func next(bySmaller isSmaller: Bool) -> MembershipID {
    MembershipID(rawValue: (rawValue / 2 + 1) * 2 + (isSmaller ? 1 : 0))
  }

  /// Whether it is one of those that a side may propose.
  package func isProposed(bySmaller isSmaller: Bool) -> Bool {
    rawValue % 2 == (isSmaller ? 1 : 0)
  }

  /// The greatest number below, or ``none``.
  package var previous: MembershipID { MembershipID(rawValue: max(rawValue, 1) - 1) }

  /// The greatest identifier that a frame may name; there are always greater ones to propose.
  package static let rawValueMax: UInt64 = 1 << 60

  /// Whether the left membership began earlier.
  package static func < (left: MembershipID, right: MembershipID) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The last membership with a session of another peer that has ended.
package struct EndedMembership: Hashable, Sendable {
  /// The other peer's session.
  package let session: SessionID
  /// Its number.
  package let membership: MembershipID

  /// A membership of a session.
  package init(session: SessionID, membership: MembershipID) {
    (self.session, self.membership) = (session, membership)
  }
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
