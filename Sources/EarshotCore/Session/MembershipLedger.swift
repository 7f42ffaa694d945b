/// What there is between each session of one peer and each session of others: a membership, or what may lead to one.
///
/// Two sessions have at most one membership at a time. It is proposed by one side or by both, or named
/// by an acceptance; it begins, is left, and ends with a code that answers later requests. Invitations
/// and sessions tell the ledger what has happened to a membership or an acceptance, and put to it
/// what comes from the other peer: the verdict depends on nothing else.
///
/// Where two sides see events in different orders, numbers decide (``MembershipID``): both sides name
/// memberships in ascending order, so that an end is the end of all before it.
package struct MembershipLedger: Hashable, Sendable {
  /// What there is between two sessions.
  package enum Standing: Hashable, Sendable {
    /// A membership is proposed, and its peer looked for.
    case sought(MembershipID, isAsking: Bool)
    /// It has begun.
    case member(MembershipID, isAsking: Bool)
    /// It has begun, and this side ends it as soon as what was sent has arrived: a member until then.
    case leaving(MembershipID, isAsking: Bool)

    /// The number of the membership.
    package var membership: MembershipID {
      switch self {
      case .sought(let id, _), .member(let id, _), .leaving(let id, _): id
      }
    }

    /// Whether it has begun.
    package var hasJoined: Bool { if case .sought = self { false } else { true } }

    /// Whether an ATTACH waits for its answer, so that the other side may have agreed.
    package var isAsking: Bool {
      switch self {
      case .sought(_, let isAsking), .member(_, let isAsking), .leaving(_, let isAsking): isAsking
      }
    }
  }
  /// A session that invites, and what there was between it and this peer when its INVITE came.
  package struct Inviter: Hashable, Sendable {
    /// The peer that invites.
    package let peer: PeerID
    /// Its session.
    package let session: SessionID
    /// The memberships that have ended, as it says.
    package var ended: [EndedMembership]
    let present: [SessionPair: MembershipID]  // That the peer was a member by, with any session.
  }
  private struct Acceptance: Hashable {
    let pair: SessionPair
    let membership: MembershipID  // That ACCEPT named.
  }
  /// Why a membership gives way to another one with the same peer.
  package enum Replacement: Hashable, Sendable {
    case givenUp  // The other side has, or does by what it confirms.
    case restarted  // The other one is with another session of the peer.

    /// The reason that the program is told.
    package var departure: DepartureReason { self == .givenUp ? .lost : .restarted }
    /// The answer to later requests.
    package var code: CloseCode { self == .givenUp ? .givenUp : .superseded }
  }

  private let local: PeerID
  private var standings: [SessionPair: Standing] = [:]
  private var acceptances: [InvitationTable.InboundID: Acceptance] = [:]
  private var proposed: [SessionID: MembershipID] = [:]  // By session, the last number.
  private var endings: EndedMemberships

  /// The ledger of a peer that has no session yet.
  ///
  /// - Parameters:
  ///   - local: The peer.
  ///   - endingsMax: For so many pairs of sessions it knows how the last membership ended.
  package init(of local: PeerID, endingsMax: Int = 1_024) {
    (self.local, endings) = (local, EndedMemberships(countMax: endingsMax))
  }

  // MARK: What has happened

  /// A membership is proposed, asked for, begun or left.
  package mutating func note(_ standing: Standing, of pair: SessionPair) {
    standings[pair] = standing
  }

  /// A membership has ended; the code answers later requests for it.
  package mutating func end(
    _ membership: MembershipID, of pair: SessionPair, _ code: CloseCode
  ) {
    if let standing = standings[pair], standing.membership <= membership { standings[pair] = nil }
    endings.remember(membership, of: pair, code)
  }

  /// An acceptance waits for its confirmation no longer.
  ///
  /// Unless it is fulfilled, or its inviter a member by what it named, a later confirmation is refused as expired.
  package mutating func close(_ id: InvitationTable.InboundID, isFulfilled: Bool) {
    guard let acceptance = acceptances.removeValue(forKey: id), !isFulfilled else { return }
    let standing = standings[acceptance.pair]
    let isMember = standing?.hasJoined == true && standing?.membership == acceptance.membership
    if !isMember { endings.remember(acceptance.membership, of: acceptance.pair, .expired) }
  }

  /// A session of this peer is over.
  package mutating func forget(_ session: SessionID) {
    for pair in standings.keys where pair.local == session { standings[pair] = nil }
    for (id, acceptance) in acceptances where acceptance.pair.local == session {
      acceptances[id] = nil
    }
    proposed[session] = nil
  }

  // MARK: What there is

  /// What there is between two sessions, if a membership is proposed or has begun.
  package subscript(pair: SessionPair) -> Standing? { standings[pair] }

  /// How the last membership of two sessions ended, if one did.
  package func ending(of pair: SessionPair) -> EndedMemberships.Ending? { endings[pair] }

  /// The number of the last membership of two sessions that has ended.
  package func lastEnded(of pair: SessionPair) -> MembershipID {
    endings[pair]?.membership ?? .none
  }

  /// What an acceptance has named, until it is closed.
  package func named(by id: InvitationTable.InboundID) -> MembershipID? {
    acceptances[id]?.membership
  }

  /// Whether an acceptance has yet to be closed.
  package var isAccepting: Bool { !acceptances.isEmpty }

  /// The peers that an ATTACH of a session waits for.
  package func asked(by session: SessionID) -> [PeerID] {
    standings.filter { $0.key.local == session && $0.value.isAsking }.map(\.key.peer).sorted()
  }

  /// The sessions of this peer that another one is a member of.
  package func sessions(with peer: PeerID, _ remote: SessionID) -> [SessionID] {
    standings.filter { $0.key.peer == peer && $0.key.remote == remote && $0.value.hasJoined }
      .map(\.key.local).sorted()
  }

  /// The session of a peer whose INVITE has come.
  package func inviter(_ peer: PeerID, _ invite: Invite) -> Inviter {
    let present = standings.filter { $0.key.peer == peer && $0.value.hasJoined }
    return Inviter(
      peer: peer, session: invite.session, ended: invite.ended,
      present: present.mapValues(\.membership))
  }

  /// Whether an inviter's session is a member: by what has begun since it invited, or by a membership
  /// that it has not given up.
  package func isMember(_ inviter: Inviter, of session: SessionID) -> Bool {
    let pair = SessionPair(local: session, peer: inviter.peer, remote: inviter.session)
    guard let standing = standings[pair], standing.hasJoined else { return false }
    return inviter.present[pair] != standing.membership || !isGivenUp(standing, by: inviter, pair)
  }

  /// Whether an inviter is a member, as ``isMember(_:of:)`` says, or by another of its sessions since it invited.
  package func hasJoined(_ inviter: Inviter, _ session: SessionID) -> Bool {
    isMember(inviter, of: session)
      || standings.contains {
        $0.key.local == session && $0.key.peer == inviter.peer && $0.value.hasJoined
          && inviter.present[$0.key] != $0.value.membership
      }
  }

  /// The memberships of a session with a peer's that have ended, for an INVITE.
  ///
  /// The one that there is, or that is asked for, has not, though an acceptance that named a later one has expired.
  package func ended(of session: SessionID, with peer: PeerID) -> [EndedMembership] {
    endings.last(of: session, with: peer).map { ended in
      let pair = SessionPair(local: session, peer: peer, remote: ended.session)
      guard let current = standings[pair]?.membership, ended.membership >= current else {
        return ended
      }
      return EndedMembership(session: ended.session, membership: current.previous)
    }
  }

  // MARK: Naming

  /// A number that neither side has named.
  package mutating func propose(to pair: SessionPair) -> MembershipID {
    let current = standings[pair].map { $0.hasJoined ? $0.membership : .none } ?? .none
    let last = max(lastEnded(of: pair), proposed[pair.local] ?? .none, current)
    let next = last.next(bySmaller: local < pair.peer)
    proposed[pair.local] = next
    return next
  }

  /// What there is between an inviter's session and the one that accepts it, to be named by ACCEPT.
  package enum Naming: Hashable, Sendable {
    /// The membership that is there, or that this acceptance has named before.
    case known(MembershipID)
    /// A new one. The one that is there, which the inviter has given up, ends first.
    case new(MembershipID, replacing: Replacement?)

    /// What ACCEPT names.
    package var membership: MembershipID {
      switch self {
      case .known(let membership), .new(let membership, _): membership
      }
    }
  }

  /// Names a membership for an acceptance, which waits for its confirmation from now on.
  package mutating func name(
    for id: InvitationTable.InboundID, of inviter: Inviter, by session: SessionID
  ) -> Naming {
    if let named = acceptances[id]?.membership { return .known(named) }
    let pair = SessionPair(local: session, peer: inviter.peer, remote: inviter.session)
    let naming: Naming
    if let standing = standings[pair], standing.hasJoined {
      naming =
        isGivenUp(standing, by: inviter, pair)
        ? .new(propose(to: pair), replacing: .givenUp) : .known(standing.membership)
    } else {
      naming = .new(propose(to: pair), replacing: nil)
    }
    acceptances[id] = Acceptance(pair: pair, membership: naming.membership)
    return naming
  }

  /// Whether the other end of a membership has given it up, as far as its INVITE tells.
  private func isGivenUp(
    _ standing: Standing, by inviter: Inviter, _ pair: SessionPair
  ) -> Bool {
    inviter.ended.contains {
      $0.session == pair.local && $0.membership >= standing.membership
    }
  }

  // MARK: What comes

  /// What to do with an ACCEPT.
  package enum AcceptVerdict: Hashable, Sendable {
    /// The membership that it names is to be confirmed, if there is a place.
    case confirm
    /// The other side is about to begin a membership, or has: what comes next over another link decides.
    case wait
    /// The membership is there.
    case fulfilled
    /// Its sender holds on to what has come to nothing here: it is told so, and asked once more.
    case refuse(CloseCode)
  }

  /// Judges an ACCEPT.
  ///
  /// - Parameters:
  ///   - membership: What it names.
  ///   - pair: The sessions.
  ///   - own: The acceptance of this side for the same sessions that waits to be confirmed.
  /// - Returns: What to do with it.
  package mutating func verdict(
    onAccept membership: MembershipID, of pair: SessionPair, beside own: InvitationTable.InboundID?
  ) -> AcceptVerdict {
    let standing = standings[pair]
    let isNamed = standing?.membership == membership
    if standing?.isAsking == true || isNamed && standing?.hasJoined == false { return .wait }
    if let own, acceptances[own]?.membership == membership { return .wait }
    if isNamed { return .fulfilled }
    guard membership.isProposed(bySmaller: local < pair.peer) else { return .confirm }
    endings.remember(membership, of: pair, .givenUp)
    return .refuse(.givenUp)
  }

  /// Whether an ATTACH confirms an acceptance: it is for the membership that was named, or proposes one
  /// while the named one is not there.
  package func confirms(_ attach: Attach, _ accepted: InvitationTable.InboundID) -> Bool {
    guard let acceptance = acceptances[accepted] else { return attach.isProposal }
    if attach.membership == acceptance.membership { return true }
    let standing = standings[acceptance.pair]
    let isThere = standing?.hasJoined == true && standing?.membership == acceptance.membership
    return attach.isProposal && !isThere
  }

  /// What to do with an ATTACH.
  package enum AttachVerdict: Hashable, Sendable {
    case current  // It is for the membership that is there, or beside the proposal that is.
    case begin  // It proposes a membership, and there is none.
    case supersede  // It proposes one, and its sender has given up the one that is there.
    case refuse(CloseCode)
  }

  /// Judges an ATTACH by the membership that it is for.
  ///
  /// A proposal that does not know of the membership that is there was overtaken by it, and gives way. One
  /// that knows it to have ended tells the receiver so.
  ///
  /// - Parameters:
  ///   - attach: What is asked for.
  ///   - pair: The sessions.
  ///   - isShunned: Whether a membership can begin only with an invitation. A session that was removed receives
  ///     `removed` again, since LEAVE may never have reached it.
  /// - Returns: What to do with it.
  package func verdict(
    onAttach attach: Attach, of pair: SessionPair, isShunned: Bool = false
  ) -> AttachVerdict {
    let standing = standings[pair]
    if let standing, attach.membership == standing.membership { return .current }
    let ending = endings[pair]
    if let ending, attach.membership == ending.membership { return .refuse(ending.code) }
    let isPast = ending.map { attach.membership < $0.membership } ?? false
    if isPast { return .refuse(.givenUp) }
    guard attach.isProposal else { return .refuse(.unknownMembership) }
    guard let standing else {
      return isShunned && ending?.code == .removed ? .refuse(.removed) : .begin
    }
    if !standing.hasJoined { return .current }
    return attach.ended >= standing.membership ? .supersede : .refuse(.duplicate)
  }

  // MARK: Beginning

  /// What becomes of a membership that an acceptance leads to.
  package enum Beginning: Hashable, Sendable {
    /// There is a later one already, or the same: it goes on.
    case goesOn
    /// It begins, once the one that there is with the same peer has ended.
    case begins(replacing: Replacement?)
  }

  /// Judges a membership that ATTACHED has confirmed.
  package func beginning(_ membership: MembershipID, of pair: SessionPair) -> Beginning {
    if let standing = standings[pair], standing.hasJoined, standing.membership >= membership {
      return .goesOn
    }
    return .begins(replacing: replacement(for: pair))
  }

  /// Judges a membership whose first sign is the ATTACH that confirms an acceptance.
  ///
  /// If it is the one that the acceptance named, it takes the place of another one that is looked for. Otherwise both
  /// are proposals, and are compared when the ATTACH is answered.
  package func beginning(
    attaching membership: MembershipID, of pair: SessionPair, by accepted: InvitationTable.InboundID
  ) -> Beginning {
    let isNamed = acceptances[accepted]?.membership == membership
    if let standing = standings[pair],
      standing.hasJoined
        ? standing.membership >= membership : !isNamed || standing.membership == membership
    {
      return .goesOn
    }
    return .begins(replacing: replacement(for: pair))
  }

  /// How the membership that a session has with a peer gives way to another one.
  private func replacement(for pair: SessionPair) -> Replacement? {
    if standings[pair] != nil { return .givenUp }
    let isOther = standings.keys.contains { $0.local == pair.local && $0.peer == pair.peer }
    return isOther ? .restarted : nil
  }
}
