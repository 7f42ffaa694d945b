/// What one side of a membership says of its own session.
///
/// ```
/// seniority (varint) | capacity (varint) | largest message in bytes (varint)
/// ```
package struct SessionTerms: Hashable, Sendable {
  /// How early the session joined its group: 0 for the first, one more than all before it for each that follows.
  package var seniority: UInt64
  /// How many peers the session can have, its own included; at least 2.
  package var capacity: Int
  /// The largest message that it takes, in bytes.
  package var messageBytesMax: Int

  /// The terms of a session.
  ///
  /// - Precondition: `capacity >= 2`, no part is negative, and `seniority` is at most `seniorityMax`.
  package init(seniority: UInt64, capacity: Int, messageBytesMax: Int) {
    precondition(
      seniority <= Self.seniorityMax && capacity >= 2 && messageBytesMax >= 0,
      "the terms of a session are within their bounds")
    (self.seniority, self.capacity) = (seniority, capacity)
    self.messageBytesMax = messageBytesMax
  }

  /// The greatest seniority that a frame may name; there are always greater ones.
  package static let seniorityMax: UInt64 = 1 << 60
}

extension ByteReader {
  mutating func readSessionTerms() throws(WireError) -> SessionTerms {
    let (seniority, capacity) = (try readSeniority(), try readCapacity())
    let messageBytesMax = Int(try readVarint())
    return SessionTerms(
      seniority: seniority, capacity: capacity, messageBytesMax: messageBytesMax)
  }

  mutating func readSeniority() throws(WireError) -> UInt64 {
    let seniority = try readVarint()
    guard seniority <= SessionTerms.seniorityMax else { throw .malformed }
    return seniority
  }

  mutating func readCapacity() throws(WireError) -> Int {
    let capacity = Int(try readVarint())
    guard capacity >= 2 else { throw .malformed }
    return capacity
  }

  mutating func readMembershipID() throws(WireError) -> MembershipID {
    let membership = MembershipID(rawValue: try readVarint())
    guard membership.rawValue <= MembershipID.rawValueMax else { throw .malformed }
    return membership
  }
}

extension ByteWriter {
  mutating func write(_ terms: SessionTerms) {
    writeVarint(terms.seniority)
    writeVarint(UInt64(terms.capacity))
    writeVarint(UInt64(terms.messageBytesMax))
  }

  mutating func write(_ membership: MembershipID) { writeVarint(membership.rawValue) }
}
