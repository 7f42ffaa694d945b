extension InvitationTable {
  /// An invitation that the local peer received: the inviter, and the name it gave.
  package struct InboundID: Hashable, Sendable {
    /// The peer that invites.
    package let inviter: PeerID
    /// What the inviter calls the invitation.
    package let invitation: InvitationID

    /// The invitation of a peer.
    package init(inviter: PeerID, invitation: InvitationID) {
      (self.inviter, self.invitation) = (inviter, invitation)
    }
  }
  /// An invitation that the local peer sends.
  package struct Wish: Hashable, Sendable {
    package let invitation: InvitationID
    package let peer: PeerID
    package let session: SessionID  // The local peer's.
    package let serviceType: String
    package let timeout: Duration
    package let isOfSeveral: Bool  // As INVITE says, each time that it is sent.

    /// An invitation of a peer into a session of the local peer.
    package init(
      invitation: InvitationID, peer: PeerID, session: SessionID, serviceType: String,
      timeout: Duration, isOfSeveral: Bool = false
    ) {
      (self.invitation, self.peer, self.session) = (invitation, peer, session)
      (self.serviceType, self.timeout, self.isOfSeveral) = (serviceType, timeout, isOfSeveral)
    }
  }
  /// An INVITE, with what the shell knows about it.
  package struct ReceivedInvite: Hashable, Sendable {
    package let id: InboundID
    package let session: SessionID  // The inviter's.
    package let serviceType: String
    package let timeout: Duration
    package let isOfSeveral: Bool
    package let isAdvertised: Bool  // That service type, by the local peer, now.
    package let membership: SessionID?  // If the inviter's is a member of it.
    package let source: IPAddress  // Where it comes from.

    /// An INVITE of a peer, from an address.
    package init(
      _ invite: Invite, from inviter: PeerID, at address: IPAddress, isAdvertised: Bool,
      membership: SessionID?
    ) {
      source = address.source
      id = InboundID(inviter: inviter, invitation: invite.invitation)
      (session, serviceType) = (invite.session, invite.serviceType)
      isOfSeveral = invite.isOfSeveral
      timeout = .milliseconds(Int64(min(invite.timeoutMilliseconds, InvitationTable.timeoutMax)))
      (self.isAdvertised, self.membership) = (isAdvertised, membership)
    }
  }
  /// What an invitation led to: the sessions of two peers are one membership.
  package struct Joining: Hashable, Sendable {
    package let peer: PeerID
    package let session: SessionID  // The local peer's.
    package let remoteSession: SessionID
    package let link: LinkToken
    package let origin: Origin

    /// A membership of two sessions, over a link.
    package init(
      peer: PeerID, session: SessionID, remoteSession: SessionID, link: LinkToken,
      origin: Origin
    ) {
      (self.peer, self.session, self.remoteSession) = (peer, session, remoteSession)
      (self.link, self.origin) = (link, origin)
    }
  }
  package enum Origin: Hashable, Sendable {
    case outbound(InvitationID)
    case inbound(InboundID)
  }
  package enum Event: Hashable, Sendable {
    case inviteRequested(Wish)
    case cancelRequested(InvitationID)
    case peerJoined(InvitationID)  // The invited peer became a member by other means.
    case dialOpened(InvitationID, LinkToken)  // HELLO was exchanged.
    case dialFailed(InvitationID)
    case dialRefused(InvitationID, CloseCode)  // CLOSE came in place of HELLO.
    case peerGone(InvitationID)  // No browser sees it any more; comes before `dialFailed`.
    case acceptReceived(LinkToken, InvitationID, SessionID)
    case declineReceived(LinkToken, InvitationID, DeclineReason)

    case inviteReceived(LinkToken, ReceivedInvite)
    case acceptRequested(InboundID, SessionID)
    case declineRequested(InboundID, DeclineReason)
    case dismissRequested(InboundID)  // The acceptance is taken back.
    case expiryRequested(InboundID)  // As ``InvitationTable/unconfirmed(in:at:)`` found it.
    case inviterJoined(InboundID)  // However that came.
    // What `reportAttaching` or `reportSuperseded` told has come to nothing.
    case joiningFailed(InboundID, SessionID)
    case cancelReceived(LinkToken, InvitationID, CancelReason)
    case attachedReceived(LinkToken)
    case attachReceived(LinkToken, InboundID)  // As `unconfirmed` found it.

    case closeReceived(LinkToken, CloseCode)
    case linkBroken(LinkToken)
    case suspendRequested, resumeRequested
    case deadlineReached
  }
  package enum Action: Hashable, Sendable {
    case dial(InvitationID)  // Answered by an event, unless cancelled.
    case cancelDial(InvitationID)  // No event of that dial may follow.
    case sendInvite(LinkToken, InvitationID)
    case sendAttached(LinkToken, InvitationID)  // Epoch 1; `reportJoined` follows.
    case sendCancel(LinkToken, InvitationID, CancelReason)
    case sendAccept(LinkToken, InboundID, SessionID)
    case sendDecline(LinkToken, InboundID, DeclineReason)
    case closeLink(LinkToken, CloseCode)  // No event of that link may follow.
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake

    case reportOffered(InboundID)  // The application is to decide.
    case reportWithdrawn(InboundID, InboundInvitationMachine.Reason)
    case reportSuperseded(InboundID)  // The session knows what becomes of the acceptance.
    case reportFailed(InboundID, InboundInvitationMachine.Reason)  // To be accepted.
    case reportTakenBack(InboundID)  // It is not to attach any longer.
    case reportOutcome(InvitationID, InvitationOutcome)
    case reportJoined(Joining)  // Or an existing membership goes on over it.
    case reportAttaching(Joining)  // A membership begins with the ATTACH on the link.
  }

  static let timeoutMax: UInt64 = 3_600_000  // Milliseconds: an hour.
}
