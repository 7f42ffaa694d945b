import Synchronization

/// What a peer keeps of its open invitations beside what the desk decides.
struct PeerInvitations {
  typealias Outcome = InvitationOutcome

  /// One of ours.
  struct Outgoing {
    let peer: PeerID
    let session: Session
    let serviceType: String
    let context: [UInt8]
    let deadline: Instant
    let endpoints: [Endpoint]
    var dialling: Link?
    var delivery: Delivery?
    var window: UInt64 = 0  // That ACCEPT granted.
    var waiters: [CheckedContinuation<Outcome, Never>] = []
  }
  /// One that we received.
  struct Incoming {
    let invite: Invite
    let senderName: String
    let endpoints: [Endpoint]
    var session: Session?  // Ours, once it is accepted.
    var delivery: Delivery?
    var window: UInt64 = 0  // That ATTACHED granted.
    var waiter: CheckedContinuation<Bool, Never>?
  }

  var desk: InvitationDesk
  var outgoing: [InvitationID: Outgoing] = [:]
  var incoming: [InvitationDesk.InboundID: Incoming] = [:]
  var timer: (any NetworkTimer)?

  init(desk: InvitationDesk) { self.desk = desk }
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
    case outgoing(InvitationID)
    case incoming
  }
  let link: Link
  let purpose: Purpose
  var greeting: Hello?
}
