extension InvitationTable {
  /// An open invitation that the local peer sends.
  struct Outbound: Hashable {
    let wish: Wish
    var machine: OutboundInvitationMachine
  }
  /// An open invitation that the local peer received.
  struct Inbound: Hashable {
    let invite: ReceivedInvite
    var machine: InboundInvitationMachine
    var counterpart: InvitationID?  // In whose place this one was accepted.
    var isSilent: Bool  // The application was never asked, or is no longer.
    var since: Instant  // When it came, or was accepted.

    init(
      _ invite: ReceivedInvite, _ machine: InboundInvitationMachine, counterpart: InvitationID?,
      isSilent: Bool, at now: Instant
    ) {
      (self.invite, self.machine, since) = (invite, machine, now)
      (self.counterpart, self.isSilent) = (counterpart, isSilent)
    }

    func joining(_ session: SessionID, over link: LinkToken) -> Joining {
      Joining(
        peer: invite.id.inviter, session: session, remoteSession: invite.session, link: link,
        origin: .inbound(invite.id))
    }

    /// Whether the inviter listens, and has yet to confirm what the application answered.
    var isUnconfirmed: Bool {
      machine.acceptedSession != nil && !isSilent && !machine.links.isEmpty
    }

    /// Whether it leads to what an invitation of the local peer is to lead to, without another dial.
    func serves(_ wish: Wish) -> Bool {
      guard counterpart == nil, invite.id.inviter == wish.peer else { return false }
      return machine.isOffered && invite.crosses(wish) || machine.acceptedSession == wish.session
    }
  }
}

extension InvitationTable.Wish {
  func joining(_ remote: SessionID, over link: LinkToken) -> InvitationTable.Joining {
    InvitationTable.Joining(
      peer: peer, session: session, remoteSession: remote, link: link,
      origin: .outbound(invitation))
  }
}

extension InvitationTable.ReceivedInvite {
  /// Whether it and an invitation of the local peer are one wish of both: for the same service, which neither has
  /// several sessions for.
  func crosses(_ wish: InvitationTable.Wish) -> Bool {
    id.inviter == wish.peer && serviceType == wish.serviceType && !isOfSeveral && !wish.isOfSeveral
  }
}
