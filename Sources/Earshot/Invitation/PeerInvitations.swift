import Synchronization

/// What a peer keeps of its open invitations beside what the table decides.
struct PeerInvitations {
  /// What an acceptance or its confirmation says of the membership.
  struct Grant {
    let membership: MembershipID
    let window: UInt64
    let terms: SessionTerms
    var nextSeniority: UInt64 = 0  // Of ACCEPT.
  }
  /// One of ours.
  struct Outgoing {
    let peer: PeerID
    let session: SessionCore
    let serviceType: String
    let context: [UInt8]
    let deadline: Instant
    let endpoints: [Endpoint]
    var dialling: Dialling?
    var endpoint: Endpoint?  // That the last dial reached.
    var stream: ReliableStream?
    var grant: Grant?  // Of ACCEPT.
    var isRefused = false  // Its session did not take the peer that accepted.
    var waiters: [Promise<InvitationOutcome>]
  }
  /// One that we received.
  struct Incoming {
    let invite: Invite
    let inviter: Inviter
    let senderName: String
    let endpoints: [Endpoint]
    weak var invitation: Invitation?  // That the application was given.
    var session: SessionCore?  // Ours, once it is accepted.
    var stream: ReliableStream?
    var membership: MembershipID?  // That ACCEPT named.
    var grant: Grant?  // Of ATTACHED.
    var waiters: [Promise<Acceptance>] = []
    var wasFull = false  // A session without a free seat could not accept it.
    var isReserved = false  // The session keeps a seat for it.
    var joining: Joining?  // Once the session knows what becomes of it.
  }
  /// How a peer whose invitation was accepted becomes a member.
  enum Joining {
    case attaching
    case otherwise  // By an invitation of ours, or by an introduction.
  }
  /// How a call to accept ends.
  enum Acceptance: Sendable {
    case joined
    case ended, sessionEnded, stopped, cancelled
  }
  /// The attempts to reach one peer.
  struct Dialling {
    var machine: DialMachine
    let endpoints: [Endpoint]
    var links: [Int: LinkToken] = [:]
    let timer: any NetworkTimer
  }
  /// A call that does not want to wait any longer.
  enum Cancellation: Sendable {
    case inviting(InvitationID, Promise<InvitationOutcome>)
    case accepting(InvitationTable.InboundID, Promise<Acceptance>)
  }

  var table: InvitationTable
  var outgoing: [InvitationID: Outgoing] = [:]
  var incoming: [InvitationTable.InboundID: Incoming] = [:]
  var timer: (any NetworkTimer)?

  init(table: InvitationTable) { self.table = table }

  /// The open ones of ours, in an order of their own.
  var outgoingInOrder: [(id: InvitationID, outgoing: Outgoing)] {
    outgoing.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The open ones that we received, in an order of their own.
  var incomingInOrder: [(id: InvitationTable.InboundID, incoming: Incoming)] {
    incoming.sorted { ($0.key.inviter, $0.key.invitation) < ($1.key.inviter, $1.key.invitation) }
      .map { ($0.key, $0.value) }
  }
}

/// The session that invites, and what it says of the memberships before.
struct Inviter: Sendable {
  let peer: PeerID
  let session: SessionID
  let ended: MembershipID
  let time: Instant  // When the invitation came.
}

/// What other threads leave for the peer, until it looks.
final class Letterbox<Letter: Sendable>: Sendable {
  private let ids = Mutex<[Letter]>([])

  func add(_ id: Letter) { ids.withLock { $0.append(id) } }

  func take() -> [Letter] {
    ids.withLock { ids in
      defer { ids = [] }
      return ids
    }
  }
}

/// A link that no session has taken yet.
struct OpeningLink {
  enum Purpose {
    case outgoing(InvitationID, attempt: Int)
    case incoming
  }
  let link: Link
  let purpose: Purpose
  var greeting: Hello?
}
