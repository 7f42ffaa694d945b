/// Memberships that have ended, and what is said to those who ask for them.
///
/// The last one of each pair of sessions is remembered, since both sides name memberships in ascending order:
/// whatever is asked for before that one has ended, too. Bounded: the pairs that ended longest ago go first.
package struct EndedMemberships: Hashable, Sendable {
  /// A session of this peer and one of another peer.
  package struct Pair: Hashable, Sendable {
    package let local: SessionID
    package let peer: PeerID
    package let remote: SessionID

    /// Two sessions.
    package init(local: SessionID, peer: PeerID, remote: SessionID) {
      (self.local, self.peer, self.remote) = (local, peer, remote)
    }
  }
  /// The last membership of a pair, and why it ended.
  package struct Ending: Hashable, Sendable {
    package let membership: MembershipID
    package let code: CloseCode
  }
  /// A membership that is there, or proposed.
  package struct Current: Hashable, Sendable {
    package let membership: MembershipID
    package let hasJoined: Bool

    /// The present membership of a pair.
    package init(membership: MembershipID, hasJoined: Bool) {
      (self.membership, self.hasJoined) = (membership, hasJoined)
    }
  }
  /// What to do with an ATTACH.
  package enum Verdict: Hashable, Sendable {
    case current  // It is for the membership that is there, or beside the proposal that is.
    case begin  // It proposes a membership, and there is none.
    case supersede  // It proposes one, and its sender has given up the one that is there.
    case refuse(CloseCode)
  }

  private var endings: [Pair: Ending] = [:]
  private var order: [Pair] = []  // The oldest first; a pair stands in it once.
  private let countMax: Int

  /// An empty memory for so many pairs.
  package init(countMax: Int = 1_024) {
    precondition(countMax > 0, "a memory without room remembers nothing")
    self.countMax = countMax
  }

  /// How the last membership of a pair ended, if one did.
  package subscript(pair: Pair) -> Ending? { endings[pair] }

  /// The last memberships of a session with each of a peer's that have ended: as many as an INVITE names, the
  /// latest last.
  package func last(of local: SessionID, with peer: PeerID) -> [EndedMembership] {
    let pairs = order.filter { $0.local == local && $0.peer == peer }
    return pairs.suffix(FrameBounds.endedMax).compactMap { pair in
      endings[pair].map { EndedMembership(session: pair.remote, membership: $0.membership) }
    }
  }

  /// Remembers an end, unless a later membership of the pair has ended already.
  package mutating func remember(_ membership: MembershipID, of pair: Pair, _ code: CloseCode) {
    if let ending = endings[pair] {
      guard ending.membership < membership else { return }
      order.removeAll { $0 == pair }
    } else if order.count >= countMax {
      endings[order.removeFirst()] = nil
    }
    order.append(pair)
    endings[pair] = Ending(membership: membership, code: code)
  }

  /// Judges an ATTACH by who it is for.
  ///
  /// A proposal that does not know of the membership that is there was overtaken by it, and gives way. One
  /// that knows it to have ended tells the receiver so.
  ///
  /// - Parameters:
  ///   - attach: What is asked for.
  ///   - pair: The sessions.
  ///   - current: What there is.
  ///   - isShunned: Whether a membership can begin only with an invitation. A session that was removed receives
  ///     `removed` again, since LEAVE may never have reached it.
  /// - Returns: What to do with it.
  package func verdict(
    on attach: Attach, of pair: Pair, current: Current?, isShunned: Bool = false
  ) -> Verdict {
    if let current, attach.membership == current.membership { return .current }
    let ending = endings[pair]
    if let ending, attach.membership == ending.membership { return .refuse(ending.code) }
    let isPast = ending.map { attach.membership < $0.membership } ?? false
    if isPast { return .refuse(.givenUp) }
    guard attach.isProposal else { return .refuse(.unknownMembership) }
    guard let current else {
      return isShunned && ending?.code == .removed ? .refuse(.removed) : .begin
    }
    if !current.hasJoined { return .current }
    return attach.ended >= current.membership ? .supersede : .refuse(.duplicate)
  }
}
