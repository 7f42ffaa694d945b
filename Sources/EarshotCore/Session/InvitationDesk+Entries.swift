extension InvitationDesk {
  /// An invitation of ours that is open.
  struct Outbound: Hashable {
    let wish: Wish
    var machine: OutboundInvitationMachine
  }
  /// An invitation of a peer that is open.
  struct Inbound: Hashable {
    let arrival: Arrival
    var machine: InboundInvitationMachine
    var counterpart: InvitationID?  // Our own invitation, in whose place this one was accepted.
    var isSilent: Bool  // The application was never asked, or is no longer.

    init(
      _ arrival: Arrival, _ machine: InboundInvitationMachine, counterpart: InvitationID?,
      isSilent: Bool
    ) {
      (self.arrival, self.machine) = (arrival, machine)
      (self.counterpart, self.isSilent) = (counterpart, isSilent)
    }

    func joining(_ session: SessionID, over link: LinkToken) -> Joining {
      Joining(
        peer: arrival.id.inviter, session: session, remoteSession: arrival.session, link: link,
        origin: .inbound(arrival.id))
    }

    /// Whether it leads to what a wish of ours asks for, without another dial.
    func serves(_ wish: Wish) -> Bool {
      guard counterpart == nil, arrival.id.inviter == wish.peer else { return false }
      return machine.isOffered && arrival.serviceType == wish.serviceType
        || machine.acceptedSession == wish.session
    }
  }
}

extension InvitationDesk.Wish {
  func joining(_ remote: SessionID, over link: LinkToken) -> InvitationDesk.Joining {
    InvitationDesk.Joining(
      peer: peer, session: session, remoteSession: remote, link: link,
      origin: .outbound(invitation))
  }
}
