/// ATTACH: asks that this link carry a membership.
///
/// ```
/// source session (8) | destination session (8) | membership (varint) | kind (1) | ended (varint)
///   | epoch (varint) | received (varint) | grant | terms
///
/// kind:  0 carry on with a membership that has begun, 1 begin one
/// ```
package struct Attach: FramePayload {
  /// ATTACH.
  package static let type = FrameType.attach

  /// The sender's session.
  package var source: SessionID
  /// The receiver's session.
  package var destination: SessionID
  /// The membership that is to be carried.
  package var membership: MembershipID
  /// Whether the membership is proposed, rather than known to have begun.
  package var isProposal: Bool
  /// The last membership of these sessions that has ended, as far as the sender knows.
  package var ended: MembershipID
  /// The number of the link, from 1.
  package var epoch: UInt64
  /// How many bytes of the receiver's log the sender has, whole frames only.
  package var received: UInt64
  /// What the sender grants the receiver.
  package var grant: ChannelGrant
  /// What the sender says of its session.
  package var terms: SessionTerms

  /// A request to attach.
  package init(
    source: SessionID, destination: SessionID, membership: MembershipID, isProposal: Bool,
    ended: MembershipID, epoch: UInt64, received: UInt64, grant: ChannelGrant, terms: SessionTerms
  ) {
    (self.source, self.destination) = (source, destination)
    (self.membership, self.isProposal, self.ended) = (membership, isProposal, ended)
    (self.epoch, self.received, self.grant, self.terms) = (epoch, received, grant, terms)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    source = try reader.readSessionID()
    destination = try reader.readSessionID()
    membership = try reader.readMembershipID()
    let kind = try reader.readUInt8()
    guard kind <= 1 else { throw .malformed }
    isProposal = kind == 1
    ended = try reader.readMembershipID()
    epoch = try reader.readVarint()
    received = try reader.readVarint()
    grant = try reader.readGrant()
    terms = try reader.readSessionTerms()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(source)
    writer.write(destination)
    writer.write(membership)
    writer.write(isProposal ? 1 as UInt8 : 0)
    writer.write(ended)
    writer.writeVarint(epoch)
    writer.writeVarint(received)
    writer.write(grant)
    writer.write(terms)
  }
}

/// ATTACHED: this link carries the membership from now on.
///
/// ```
/// membership (varint) | epoch (varint) | received (varint) | grant | terms
/// ```
package struct Attached: FramePayload {
  /// ATTACHED.
  package static let type = FrameType.attached

  /// The membership that is carried.
  package var membership: MembershipID
  /// The number of the link, from 1.
  package var epoch: UInt64
  /// How many bytes of the receiver's log the sender has, whole frames only.
  package var received: UInt64
  /// What the sender grants the receiver.
  package var grant: ChannelGrant
  /// What the sender says of its session.
  package var terms: SessionTerms

  /// An answer with the given parts.
  package init(
    membership: MembershipID, epoch: UInt64, received: UInt64, grant: ChannelGrant,
    terms: SessionTerms
  ) {
    (self.membership, self.epoch) = (membership, epoch)
    (self.received, self.grant, self.terms) = (received, grant, terms)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    membership = try reader.readMembershipID()
    epoch = try reader.readVarint()
    received = try reader.readVarint()
    grant = try reader.readGrant()
    terms = try reader.readSessionTerms()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(membership)
    writer.writeVarint(epoch)
    writer.writeVarint(received)
    writer.write(grant)
    writer.write(terms)
  }
}

/// LEAVE: the membership ends here, behind everything that was sent before.
///
/// ```
/// code (varint)
/// ```
package struct Leave: FramePayload {
  /// LEAVE.
  package static let type = FrameType.leave

  /// Why.
  package var code: CloseCode

  /// A farewell for a reason.
  package init(code: CloseCode) { self.code = code }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    code = CloseCode(rawValue: try reader.readVarint())
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) { writer.writeVarint(code.rawValue) }
}
