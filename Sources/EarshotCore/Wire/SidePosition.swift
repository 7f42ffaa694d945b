/// Where one side of a membership stands, as ACCEPT, ATTACH and ATTACHED say.
///
/// An invitation hands it to the session that it leads to, and each link to the next one.
package struct SidePosition: Hashable, Sendable {
  /// The membership.
  package let membership: MembershipID
  /// The number of the link that carries it, from 1; 0 before the first.
  package let epoch: UInt64
  /// How many bytes of the receiver's log the side has, whole frames only.
  package let received: UInt64
  /// What the side grants the receiver.
  package let grant: ChannelGrant
  /// What the side says of its session.
  package let terms: SessionTerms
}

extension Accept {
  /// Where the invited peer stands, before the first link.
  package var position: SidePosition {
    SidePosition(membership: membership, epoch: 0, received: 0, grant: grant, terms: terms)
  }
}

extension Attach {
  /// Where the dialler stands.
  package var position: SidePosition {
    SidePosition(
      membership: membership, epoch: epoch, received: received, grant: grant, terms: terms)
  }
}

extension Attached {
  /// Where the answering side stands.
  package var position: SidePosition {
    SidePosition(
      membership: membership, epoch: epoch, received: received, grant: grant, terms: terms)
  }
}
