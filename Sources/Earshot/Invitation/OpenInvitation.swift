import EarshotCore

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
  var reliable: ReliableChannel?
  var accept: Accept?  // That is to be confirmed.
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
  var inviter: MembershipLedger.Inviter
  let senderName: String
  weak var invitation: Invitation?  // That the application was given.
  var session: SessionCore?  // Once it is accepted.
  var reliable: ReliableChannel?
  var confirmation: SidePosition?  // By ATTACHED or ATTACH.
  var waiters: [Promise<Acceptance>] = []
  var wasFull = false  // A session without a free place could not accept it.
  var isDeclined = false  // By a frame, which the log has.
  var isReserved = false  // The session keeps a place for it.

  init(_ invite: Invite, from inviter: MembershipLedger.Inviter, named name: String) {
    (self.invite, self.inviter, senderName) = (invite, inviter, name)
  }
}
