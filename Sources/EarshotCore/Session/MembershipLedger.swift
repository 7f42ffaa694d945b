/// The memberships between the sessions of one peer and those of other peers.
///
/// Two sessions have at most one membership at a time. One side or both propose it, or an acceptance
/// names it. It begins, is left, and ends with a code that answers later requests. The shells of
/// invitations and sessions report changes of memberships and acceptances to the ledger. They ask it
/// for a verdict on each INVITE, ACCEPT and ATTACH, which depends on nothing but the ledger.
///
/// Two sides may see events in different orders. Numbers (``MembershipID``) decide then: both sides
/// name memberships in ascending order, and the end of one is the end of all before it.
package struct MembershipLedger: Hashable, Sendable {
  /// The state of the membership between two sessions.
  package enum Standing: Hashable, Sendable {
    /// It is proposed, and its peer looked for.
    case sought(MembershipID, isAsking: Bool)
    /// It has begun.
    case member(MembershipID, isAsking: Bool)
    /// It has begun, and counts until this side ends it, once everything sent has arrived.
    case leaving(MembershipID, isAsking: Bool)

    /// The number of the membership.
    package var membership: MembershipID {
      switch self {
      case .sought(let id, _), .member(let id, _), .leaving(let id, _): id
      }
    }

    /// Whether it has begun.
    package var hasJoined: Bool { if case .sought = self { false } else { true } }

    /// Whether an ATTACH is unanswered, so that the other side may have agreed already.
    package var isAsking: Bool {
      switch self {
      case .sought(_, let isAsking), .member(_, let isAsking), .leaving(_, let isAsking): isAsking
      }
    }
  }
  /// A session that invites, with the memberships that existed when its INVITE arrived.
  package struct Inviter: Hashable, Sendable {
    /// The peer that invites.
    package let peer: PeerID
    /// Its session.
    package let session: SessionID
    /// The ended memberships that the INVITE lists.
    package var ended: [EndedMembership]
    let present: [SessionPair: MembershipID]  // Of the peer's sessions, all of them.
  }
  private struct Acceptance: Hashable {
    let pair: SessionPair
    let membership: MembershipID  // That ACCEPT named.
  }
  /// The reason why a membership gives way to another one with the same peer.
  package enum Replacement: Hashable, Sendable {
    case givenUp  // The other side has given it up.
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

  // MARK: Changes

  /// Records a membership as it is now.
  package mutating func note(_ standing: Standing, of pair: SessionPair) {
    standings[pair] = standing
  }

  /// Records the end of a membership, and the code that answers later requests for it.
  package mutating func end(
    _ membership: MembershipID, of pair: SessionPair, _ code: CloseCode
  ) {
    if let standing = standings[pair], standing.membership <= membership { standings[pair] = nil }
    endings.remember(membership, of: pair, code)
  }

  /// Closes an acceptance, which waits for its confirmation no longer.
  ///
  /// A later confirmation is refused as expired, unless the acceptance is fulfilled or the membership
  /// that it named has begun.
  package mutating func close(_ id: InvitationTable.InboundID, isFulfilled: Bool) {
    guard let acceptance = acceptances.removeValue(forKey: id), !isFulfilled else { return }
    let standing = standings[acceptance.pair]
    let isMember = standing?.hasJoined == true && standing?.membership == acceptance.membership
    if !isMember { endings.remember(acceptance.membership, of: acceptance.pair, .expired) }
  }

  /// Forgets a session of this peer, but not how its memberships ended.
  package mutating func forget(_ session: SessionID) {
    for pair in standings.keys where pair.local == session { standings[pair] = nil }
    for (id, acceptance) in acceptances where acceptance.pair.local == session {
      acceptances[id] = nil
    }
    proposed[session] = nil
  }

  // MARK: Looking

  /// The membership between two sessions, if one is proposed or has begun.
  package subscript(pair: SessionPair) -> Standing? { standings[pair] }

  /// How the last membership of two sessions ended, if one did.
  package func ending(of pair: SessionPair) -> EndedMemberships.Ending? { endings[pair] }

  /// The number of the last membership of two sessions that has ended.
  package func lastEnded(of pair: SessionPair) -> MembershipID {
    endings[pair]?.membership ?? .none
  }

  /// The membership that an acceptance has named, until the acceptance is closed.
  package func named(by id: InvitationTable.InboundID) -> MembershipID? {
    acceptances[id]?.membership
  }

  /// Whether an acceptance has yet to be closed.
  package var isAccepting: Bool { !acceptances.isEmpty }

  /// The peers that have yet to answer an ATTACH of a session.
  package func asked(by session: SessionID) -> [PeerID] {
    standings.filter { $0.key.local == session && $0.value.isAsking }.map(\.key.peer).sorted()
  }

  /// The sessions of this peer that have a membership with another peer's session.
  package func sessions(with peer: PeerID, _ remote: SessionID) -> [SessionID] {
    standings.filter { $0.key.peer == peer && $0.key.remote == remote && $0.value.hasJoined }
      .map(\.key.local).sorted()
  }

  /// The inviter, at the arrival of its INVITE.
  package func inviter(_ peer: PeerID, _ invite: Invite) -> Inviter {
    let present = standings.filter { $0.key.peer == peer && $0.value.hasJoined }
    return Inviter(
      peer: peer, session: invite.session, ended: invite.ended,
      present: present.mapValues(\.membership))
  }

  /// Whether an inviter's session is a member: by a membership that has begun since it invited, or that
  /// it has not given up.
  package func isMember(_ inviter: Inviter, of session: SessionID) -> Bool {
    let pair = SessionPair(local: session, peer: inviter.peer, remote: inviter.session)
    guard let standing = standings[pair], standing.hasJoined else { return false }
    return inviter.present[pair] != standing.membership
      || !isGivenUp(standing.membership, by: inviter, pair)
  }

  /// Whether ``isMember(_:of:)`` holds, or another session of the inviter has become a member since.
  package func hasJoined(_ inviter: Inviter, _ session: SessionID) -> Bool {
    isMember(inviter, of: session)
      || standings.contains {
        $0.key.local == session && $0.key.peer == inviter.peer && $0.value.hasJoined
          && inviter.present[$0.key] != $0.value.membership
      }
  }

  /// The ended memberships of a session with a peer, for an INVITE.
  ///
  /// The present one is never among them, although a later one that was named may have expired.
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

  /// The number of a new membership, greater than all that this side knows.
  package mutating func propose(to pair: SessionPair) -> MembershipID {
    let current = standings[pair].map { $0.hasJoined ? $0.membership : .none } ?? .none
    let last = max(lastEnded(of: pair), proposed[pair.local] ?? .none, current)
    let next = last.next(bySmaller: local < pair.peer)
    proposed[pair.local] = next
    return next
  }

  /// The membership that an ACCEPT names.
  package enum Naming: Hashable, Sendable {
    /// The present one, or the one that this acceptance has named before.
    case known(MembershipID)
    /// A new one. The present one, which the inviter has given up, ends first.
    case new(MembershipID, replacing: Replacement?)

    /// The number of the membership.
    package var membership: MembershipID {
      switch self {
      case .known(let membership), .new(let membership, _): membership
      }
    }
  }

  /// Names a membership for an acceptance, which is open until ``close(_:isFulfilled:)``.
  ///
  /// The name stays, unless the inviter has given that membership up.
  package mutating func name(
    for id: InvitationTable.InboundID, of inviter: Inviter, by session: SessionID
  ) -> Naming {
    let pair = SessionPair(local: session, peer: inviter.peer, remote: inviter.session)
    if let named = acceptances[id]?.membership, !isGivenUp(named, by: inviter, pair) {
      return .known(named)
    }
    let naming: Naming
    if let standing = standings[pair], standing.hasJoined {
      naming =
        isGivenUp(standing.membership, by: inviter, pair)
        ? .new(propose(to: pair), replacing: .givenUp) : .known(standing.membership)
    } else {
      naming = .new(propose(to: pair), replacing: nil)
    }
    acceptances[id] = Acceptance(pair: pair, membership: naming.membership)
    return naming
  }

  /// Whether the other end of a membership has given it up, as far as its INVITE tells.
  private func isGivenUp(
    _ membership: MembershipID, by inviter: Inviter, _ pair: SessionPair
  ) -> Bool {
    inviter.ended.contains { $0.session == pair.local && $0.membership >= membership }
  }

  // MARK: Verdicts

  /// The reaction to an ACCEPT.
  package enum AcceptVerdict: Hashable, Sendable {
    /// The membership that it names is to be confirmed, if there is a place.
    case confirm
    /// The other side begins a membership over another link: the ACCEPT is ignored.
    case wait
    /// The membership has begun.
    case fulfilled
    /// This side has given the membership up: the link is closed, and the INVITE sent again.
    case refuse(CloseCode)
  }

  /// Judges an ACCEPT, and remembers a membership that it refuses as given up.
  ///
  /// - Parameters:
  ///   - membership: The membership that it names.
  ///   - pair: The sessions.
  ///   - own: The acceptance of this side for the same sessions that waits to be confirmed.
  /// - Returns: The reaction.
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

  /// Whether an ATTACH confirms an acceptance: it asks for the membership that was named, or proposes
  /// one before the named one has begun.
  package func confirms(_ attach: Attach, _ accepted: InvitationTable.InboundID) -> Bool {
    guard let acceptance = acceptances[accepted] else { return attach.isProposal }
    if attach.membership == acceptance.membership { return true }
    let standing = standings[acceptance.pair]
    let isThere = standing?.hasJoined == true && standing?.membership == acceptance.membership
    return attach.isProposal && !isThere
  }

  /// The reaction to an ATTACH.
  package enum AttachVerdict: Hashable, Sendable {
    case current  // The present membership answers it, or compares it with its own proposal.
    case begin  // It proposes the first membership.
    case supersede  // It proposes one, and its sender has given up the present one.
    case refuse(CloseCode)
  }

  /// Judges an ATTACH by the membership that it is for.
  ///
  /// The present membership has overtaken a proposal that does not know of it. A proposal that lists it
  /// as ended shows that the other side has given it up.
  ///
  /// - Parameters:
  ///   - attach: The request.
  ///   - pair: The sessions.
  ///   - isShunned: Whether a membership can begin only with an invitation. A session that was removed
  ///     receives `removed` again, since LEAVE may never have reached it.
  /// - Returns: The reaction.
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

  /// The way in which a membership follows from an acceptance.
  package enum Beginning: Hashable, Sendable {
    /// The present one is the same or a later one, and goes on.
    case goesOn
    /// It begins, once the present one with the same peer has ended.
    case begins(replacing: Replacement?)
  }

  /// The beginning of a membership that ATTACHED has confirmed.
  package func beginning(_ membership: MembershipID, of pair: SessionPair) -> Beginning {
    if let standing = standings[pair], standing.hasJoined, standing.membership >= membership {
      return .goesOn
    }
    return .begins(replacing: replacement(for: pair))
  }

  /// The beginning of a membership that an ATTACH has confirmed.
  ///
  /// If it is the one that the acceptance named, it replaces another proposal. Otherwise the two are
  /// proposals, and are compared when the ATTACH is answered.
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

  /// The reason why the present membership with a peer ends before another one begins.
  private func replacement(for pair: SessionPair) -> Replacement? {
    if standings[pair] != nil { return .givenUp }
    let isOther = standings.keys.contains { $0.local == pair.local && $0.peer == pair.peer }
    return isOther ? .restarted : nil
  }
}
