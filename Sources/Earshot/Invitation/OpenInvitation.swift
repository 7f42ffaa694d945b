/// What an acceptance or its confirmation says of the membership.
struct Grant {
  let membership: MembershipID
  let window: UInt64
  let terms: SessionTerms
  var nextSeniority: UInt64 = 0  // Of ACCEPT.
}

/// An open invitation that this peer sends, with what its machine does not decide.
struct OutboundInvitation {
  let peer: PeerID
  let session: SessionCore
  let serviceType: String
  let context: [UInt8]
  let deadline: Instant
  let isOfSeveral: Bool
  let endpoints: [Endpoint]
  let wasSeen: Bool  // By a browser, when it began.
  var dialling: Dialling?
  var wasDialled = false
  var endpoint: Endpoint?  // That the last dial reached.
  var stream: ReliableStream?
  var grant: Grant?  // Of ACCEPT.
  var isRefused = false  // Its session did not take the peer that accepted.
  var waiters: [Promise<InvitationOutcome>]
}

/// An open invitation that this peer received, with what its machine does not decide.
struct InboundInvitation {
  /// How a call to accept ends.
  enum Acceptance: Sendable {
    case joined
    case ended, sessionEnded, stopped, cancelled
  }

  let invite: Invite
  var inviter: Inviter
  let senderName: String
  weak var invitation: Invitation?  // That the application was given.
  var session: SessionCore?  // Once it is accepted.
  var stream: ReliableStream?
  var membership: MembershipID?  // That ACCEPT named.
  var grant: Grant?  // Of ATTACHED.
  var waiters: [Promise<Acceptance>] = []
  var wasFull = false  // A session without a free place could not accept it.
  var isReserved = false  // The session keeps a place for it.
  var isAttaching = false  // The session knows what becomes of it.
  var waits = 0  // How often the session was asked what becomes of it.

  init(_ invite: Invite, from inviter: Inviter, named name: String) {
    (self.invite, self.inviter, senderName) = (invite, inviter, name)
  }
}

/// The session that invites, and what it says of the memberships before.
struct Inviter: Sendable {
  let peer: PeerID
  let session: SessionID
  var ended: [EndedMembership]
  let time: Instant  // When the invitation came.
}
