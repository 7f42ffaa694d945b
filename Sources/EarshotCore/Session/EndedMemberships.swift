/// The memberships that have ended, each with the code that answers a later request for it.
///
/// Of each pair of sessions the last one is remembered: both sides name memberships in ascending
/// order, so that all before it have ended, too. Bounded: the pairs that ended longest ago go first.
package struct EndedMemberships: Hashable, Sendable {
  /// The last membership of a pair, and why it ended.
  package struct Ending: Hashable, Sendable {
    package let membership: MembershipID
    package let code: CloseCode
  }

  private var endings: [SessionPair: Ending] = [:]
  private var order: [SessionPair] = []  // The oldest first; a pair stands in it once.
  private let countMax: Int

  /// An empty memory for so many pairs.
  package init(countMax: Int = 1_024) {
    precondition(countMax > 0, "a memory without room remembers nothing")
    self.countMax = countMax
  }

  /// How the last membership of a pair ended, if one did.
  package subscript(pair: SessionPair) -> Ending? { endings[pair] }

  /// The last memberships of a session with each of a peer's that have ended: as many as an INVITE names, the
  /// latest last.
  package func last(of local: SessionID, with peer: PeerID) -> [EndedMembership] {
    let pairs = order.filter { $0.local == local && $0.peer == peer }
    return pairs.suffix(FrameBounds.endedMax).compactMap { pair in
      endings[pair].map { EndedMembership(session: pair.remote, membership: $0.membership) }
    }
  }

  /// Remembers an end, unless a later membership of the pair has ended already.
  package mutating func remember(
    _ membership: MembershipID, of pair: SessionPair, _ code: CloseCode
  ) {
    if let ending = endings[pair] {
      guard ending.membership < membership else { return }
      order.removeAll { $0 == pair }
    } else if order.count >= countMax {
      endings[order.removeFirst()] = nil
    }
    order.append(pair)
    endings[pair] = Ending(membership: membership, code: code)
  }
}
