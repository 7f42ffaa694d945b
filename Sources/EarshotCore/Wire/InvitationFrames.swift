/// INVITE: asks a peer to become a member of a session.
///
/// ```
/// invitation (16) | session (8) | count (varint, ≤ 8) | ended … | next seniority (varint)
///   | timeout in ms (varint) | sessions (1 byte: 0 one, 1 several) | service type (string) | context (bytes)
///
/// ended:  session of the invited peer (8) | membership (varint)
/// ```
package struct Invite: FramePayload {
  /// INVITE.
  package static let type = FrameType.invite

  /// The invitation; the same when it is sent again.
  package var invitation: InvitationID
  /// The session of the inviter.
  package var session: SessionID
  /// The last membership of that session with each of the invited peer's that has ended, as far as the inviter
  /// knows; at most eight, the latest.
  package var ended: [EndedMembership]
  /// The seniority that one more member of the inviter's group would have; 0 while the inviter is alone.
  package var nextSeniority: UInt64
  /// How long the inviter waits for the answer, in milliseconds.
  package var timeoutMilliseconds: UInt64
  /// Whether the inviter has had several sessions at once: then none that crosses is taken for an answer.
  package var isOfSeveral: Bool
  /// The service type under which the invited peer was found; 1 through 15 bytes.
  package var serviceType: String
  /// What the inviter's application says about it; at most 16,384 bytes.
  package var context: [UInt8]

  /// An invitation with the given parts.
  ///
  /// - Precondition: The service type, the context and the number of memberships are within their bounds.
  package init(
    invitation: InvitationID, session: SessionID, ended: [EndedMembership] = [],
    nextSeniority: UInt64 = 0, timeoutMilliseconds: UInt64, isOfSeveral: Bool = false,
    serviceType: String, context: [UInt8]
  ) {
    precondition(
      1...FrameBounds.serviceTypeBytesMax ~= serviceType.utf8.count
        && context.count <= FrameBounds.contextBytesMax && timeoutMilliseconds <= Varint.max
        && ended.count <= FrameBounds.endedMax,
      "the parts of an invitation are within their bounds")
    (self.invitation, self.session) = (invitation, session)
    (self.ended, self.nextSeniority) = (ended, nextSeniority)
    self.timeoutMilliseconds = timeoutMilliseconds
    self.isOfSeveral = isOfSeveral
    self.serviceType = serviceType
    self.context = context
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    invitation = try reader.readInvitationID()
    session = try reader.readSessionID()
    ended = []
    let count = try reader.readVarint()
    guard count <= UInt64(FrameBounds.endedMax) else { throw .tooLong }
    for _ in 0..<count {
      ended.append(
        EndedMembership(
          session: try reader.readSessionID(), membership: try reader.readMembershipID()))
    }
    nextSeniority = try reader.readSeniority()
    timeoutMilliseconds = try reader.readVarint()
    let sessions = try reader.readUInt8()
    guard sessions <= 1 else { throw .malformed }
    isOfSeveral = sessions == 1
    serviceType = try reader.readPrefixedString(maxBytes: FrameBounds.serviceTypeBytesMax)
    guard !serviceType.isEmpty else { throw .malformed }
    context = try reader.readPrefixedBytes(max: FrameBounds.contextBytesMax)
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(invitation)
    writer.write(session)
    writer.writeVarint(UInt64(ended.count))
    for ended in ended {
      writer.write(ended.session)
      writer.write(ended.membership)
    }
    writer.writeVarint(nextSeniority)
    writer.writeVarint(timeoutMilliseconds)
    writer.write(isOfSeveral ? 1 as UInt8 : 0)
    writer.writePrefixed(serviceType)
    writer.writePrefixed(context)
  }
}

/// ACCEPT: the invited peer's session joins; its window opens the stream towards it.
///
/// ```
/// invitation (16) | session (8) | membership (varint) | next seniority (varint) | grant
///   | terms
/// ```
package struct Accept: FramePayload {
  /// ACCEPT.
  package static let type = FrameType.accept

  /// The invitation that is accepted.
  package var invitation: InvitationID
  /// The session of the invited peer.
  package var session: SessionID
  /// The membership that begins once the inviter confirms it.
  package var membership: MembershipID
  /// The seniority that one more member of the invited peer's group would have; 0 while it is alone.
  package var nextSeniority: UInt64
  /// What the invited peer grants the inviter.
  package var grant: ChannelGrant
  /// What the invited peer says of its session.
  package var terms: SessionTerms

  /// An acceptance with the given parts.
  package init(
    invitation: InvitationID, session: SessionID, membership: MembershipID,
    nextSeniority: UInt64 = 0, grant: ChannelGrant, terms: SessionTerms
  ) {
    (self.invitation, self.session, self.membership) = (invitation, session, membership)
    self.nextSeniority = nextSeniority
    (self.grant, self.terms) = (grant, terms)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    invitation = try reader.readInvitationID()
    session = try reader.readSessionID()
    membership = try reader.readMembershipID()
    nextSeniority = try reader.readSeniority()
    grant = try reader.readGrant()
    terms = try reader.readSessionTerms()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(invitation)
    writer.write(session)
    writer.write(membership)
    writer.writeVarint(nextSeniority)
    writer.write(grant)
    writer.write(terms)
  }
}

/// DECLINE: the invited peer does not join.
///
/// ```
/// invitation (16) | reason (varint)
/// ```
package struct Decline: FramePayload {
  /// DECLINE.
  package static let type = FrameType.decline

  /// The invitation that is declined.
  package var invitation: InvitationID
  /// Why.
  package var reason: DeclineReason

  /// A refusal with the given parts.
  package init(invitation: InvitationID, reason: DeclineReason) {
    (self.invitation, self.reason) = (invitation, reason)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    invitation = try reader.readInvitationID()
    reason = DeclineReason(rawValue: try reader.readVarint())
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(invitation)
    writer.writeVarint(reason.rawValue)
  }
}

/// CANCEL: the inviter takes its invitation back.
///
/// ```
/// invitation (16) | reason (varint)
/// ```
package struct Cancel: FramePayload {
  /// CANCEL.
  package static let type = FrameType.cancel

  /// The invitation that is taken back.
  package var invitation: InvitationID
  /// Why.
  package var reason: CancelReason

  /// A withdrawal with the given parts.
  package init(invitation: InvitationID, reason: CancelReason) {
    (self.invitation, self.reason) = (invitation, reason)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    invitation = try reader.readInvitationID()
    reason = CancelReason(rawValue: try reader.readVarint())
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(invitation)
    writer.writeVarint(reason.rawValue)
  }
}
