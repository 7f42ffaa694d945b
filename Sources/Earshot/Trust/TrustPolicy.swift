import EarshotCore
public import EarshotTLS

/// Which other peers a ``Peer`` has to do with.
///
/// Every link proves who the remote peer is: its ``PeerID`` is the hash of the key that has signed the handshake. A policy
/// says whose word counts. What is refused hears that it is not trusted, and its invitations and their contexts reach no
/// program; under ``anyPeer`` and ``pinned(_:)`` it does not even learn this peer's name. Discovery is not affected: what is
/// announced nearby is a hint that everybody can forge.
///
/// What a program says with ``Peer/trust(_:as:)`` and ``Peer/distrust(_:)`` counts more than any policy, and so does a
/// verification code that was rejected (see ``Verification``).
public struct TrustPolicy: Sendable {
  let rule: TrustTable.Rule
  let store: (any TrustStore)?
  let ask: (@Sendable (TrustRequest) async -> Bool)?

  private init(
    _ rule: TrustTable.Rule, _ store: (any TrustStore)? = nil,
    ask: (@Sendable (TrustRequest) async -> Bool)? = nil
  ) {
    (self.rule, self.store, self.ask) = (rule, store, ask)
  }

  /// Every peer that proves its own key, whoever that is: programs, or the people who use them, have to find out
  /// whether it is the one that they mean.
  public static let anyPeer = TrustPolicy(.anyPeer)

  /// These peers and no others, such as those whose identifiers were compared, or scanned from a screen, before.
  public static func pinned(_ peers: Set<PeerID>) -> TrustPolicy { TrustPolicy(.pinned(peers)) }

  /// Whom a store keeps, and everybody whose name is new: trust on first use.
  ///
  /// A peer is kept, with its name, when it becomes a member of a session. From then on the name belongs to its key: a peer
  /// that proves another key and calls itself the same, in whatever capitals, is refused, and the program hears
  /// ``PeerEvent/keyChanged(_:)``. That is an attack, or a new device, or another person of that name; nothing is
  /// replaced before the program says so with ``Peer/trust(_:as:)``. A peer that is kept and has a new name, which is
  /// nobody's yet, is kept by the new one from its next session on.
  ///
  /// When the store cannot be read, everybody is refused, and ``PeerEvent/trustStoreFailed(_:)`` tells. When it cannot keep
  /// a new peer, that is told as well, and the peer stays a member.
  public static func onFirstUse(keptIn store: some TrustStore) -> TrustPolicy {
    TrustPolicy(.firstUse, store)
  }

  /// Whom a store keeps, and whom the program approves: it is asked about everybody else.
  ///
  /// There is one question for one peer at a time, however many links and calls wait for its answer. The answer counts as
  /// long as the peer lives, of those that are no the last 1,024, and longer if it is yes and there is a store: then the
  /// approved peer is kept when it becomes a member of a session. A question without an answer in time is answered with
  /// no, and asked again when the remote peer comes again; so is one for which nobody waits any more, since the invitation
  /// was withdrawn or its link broke. Beside sixteen open questions, further ones are answered with no.
  ///
  /// Who is invited is asked about before it is dialled, and who invites before its invitation reaches the program; the
  /// invitation of the other side goes on to wait until its own deadline.
  ///
  /// - Parameters:
  ///   - time: How long a question waits for its answer; a negative time counts as zero.
  ///   - store: Where those are kept who were approved; by default nowhere.
  ///   - ask: Asks, such as a person. Its task is cancelled when the answer is of no use any more; what it returns then
  ///     changes nothing.
  /// - Returns: The policy.
  public static func approved(
    within time: Duration = .seconds(30), keptIn store: (any TrustStore)? = nil,
    by ask: @escaping @Sendable (TrustRequest) async -> Bool
  ) -> TrustPolicy {
    TrustPolicy(.approval(within: time), store, ask: ask)
  }
}

/// The question whether a peer is trusted; see ``TrustPolicy/approved(within:keptIn:by:)``.
public struct TrustRequest: Hashable, Sendable {
  /// Where the question comes from.
  @nonexhaustive
  public enum Occasion: Hashable, Sendable {
    /// The peer has linked itself with this one, as an inviter does, and has proved its key.
    case linked
    /// This peer's program invites it.
    case invited
    /// A member of a session speaks of it as of another member.
    case introduced(by: PeerID)
  }

  /// The peer in question.
  public let peer: PeerID
  /// What it calls itself, or what others call it who speak of it: as a browser or a member does.
  ///
  /// `nil` for a ticket.
  public let name: String?
  /// Where the question comes from.
  ///
  /// Only who is ``Occasion/linked`` has proved its key by now; others have to before they are linked.
  public let occasion: Occasion
  /// The peers that the store keeps by that name and that have other keys.
  ///
  /// If there are any, somebody has that name who had another key before: that is an attack, or a new device, or another
  /// person of that name.
  public let namesakes: [PeerID]

  package init(
    peer: PeerID, name: String?, occasion: Occasion, namesakes: [PeerID]
  ) {
    (self.peer, self.name) = (peer, name)
    (self.occasion, self.namesakes) = (occasion, namesakes)
  }
}

/// What a peer has to say of another one; see ``Peer/standing(of:)``.
@nonexhaustive
public enum TrustStanding: Hashable, Sendable {
  /// It is trusted.
  case trusted
  /// It is refused.
  case refused
  /// That depends on its name, or on an answer of the program.
  case undecided
}

/// A name that came with another key than before; see ``PeerEvent/keyChanged(_:)``.
public struct KeyChange: Hashable, Sendable {
  /// The peer that was refused: it has proved this identifier.
  public let peer: PeerID
  /// What it calls itself.
  public let name: String
  /// The peers to whom that name belongs.
  public let known: [PeerID]

  package init(peer: PeerID, name: String, known: [PeerID]) {
    (self.peer, self.name, self.known) = (peer, name, known)
  }
}
