extension SessionCore {
  // MARK: By an invitation

  /// Takes over the link of an invitation that was accepted and confirmed.
  ///
  /// An acceptance that a later membership has overtaken changes nothing; no peer that keeps to the protocol confirms
  /// one. Both sides know of it: a peer for whom there is no room any more joins, and leaves as `full`.
  ///
  /// - Returns: Whether the peer is a member now.
  func join(_ link: Link, _ acceptance: Acceptance) -> Bool {
    guard phase == .open else { return false }
    if let membership = membership(with: acceptance.entry.peer, acceptance.entry.session),
      membership.assumeIsolated({ $0.hasJoined && $0.id >= acceptance.membership })
    {
      link.assumeIsolated { $0.close(.duplicate) }
      return true
    }
    replace(acceptance.entry)
    begin(acceptance, over: link)
    settle()
    return true
  }

  /// Makes room for a membership whose first sign is the ATTACH of an invitation that was accepted.
  ///
  /// - Parameters:
  ///   - acceptance: The acceptance, with the membership that the ATTACH is for.
  ///   - isConfirmed: Whether that is the one that was accepted, so that the peer is in by it, and has no use for
  ///     another one that is looked for; otherwise the two are proposals, and compared.
  /// - Returns: Whether the peer may attach.
  func expectAttaching(_ acceptance: Acceptance, isConfirmed: Bool) -> Bool {
    guard phase == .open else { return false }
    let number = acceptance.membership
    if let membership = membership(with: acceptance.entry.peer, acceptance.entry.session),
      membership.assumeIsolated({
        $0.hasJoined ? $0.id >= number : !isConfirmed || $0.id == number
      })
    {
      peer.host.reached(.attachExpectedTwice)
      return true
    }
    replace(acceptance.entry)
    roster.expect(acceptance.entry)
    seek(acceptance.entry, acceptance.stream, as: acceptance.membership)
    return true
  }

  /// Ends the membership of a peer that an acceptance takes the place of, if there is one.
  private func replace(_ entry: Roster.Entry) {
    guard let membership = memberships[entry.peer] else { return }
    peer.host.reached(.replacedMembership)
    let isSame = membership.remoteSession == entry.session
    replacing(entry.peer) {  // The next of the row is not to be sought before.
      tell(
        entry.peer,
        isSame ? .endRequested(.lost, .givenUp) : .endRequested(.restarted, .superseded))
    }
  }

  /// The membership that an acceptance names: the one that is there, unless the inviter has given it up.
  func membershipToAccept(of inviter: Inviter) -> MembershipID {
    if let membership = membership(with: inviter.peer, inviter.session),
      membership.assumeIsolated({ $0.hasJoined })
    {
      if stands(membership, beside: inviter.ended) { return membership.assumeIsolated { $0.id } }
      peer.host.reached(.inviterGaveUp)
      tell(inviter.peer, .endRequested(.lost, .givenUp))
    }
    return propose(to: inviter.peer, inviter.session)
  }

  /// The memberships with a peer that have ended.
  ///
  /// The one that there is, or that is asked for, has not, though an acceptance that named a later one has expired.
  func ended(with member: PeerID) -> [EndedMembership] {
    let ended = peer.assumeIsolated { [id] in $0.ended.last(of: id, with: member) }
    guard let membership = memberships[member] else { return ended }
    let number = membership.assumeIsolated { $0.id }
    return ended.map {
      $0.session == membership.remoteSession && $0.membership >= number
        ? EndedMembership(session: $0.session, membership: number.previous) : $0
    }
  }

  /// The acceptance of an invitation goes out.
  func accepting(_ inviter: PeerID, named name: String) {
    guard memberships[inviter] == nil else { return }
    report(.joining(Member(id: inviter, name: name)))
  }

  /// The acceptance of an invitation led to nothing.
  func acceptanceFailed(of inviter: PeerID) {
    guard memberships[inviter] == nil else { return }
    reportMissing(inviter, phase == .open ? .unreachable : .disconnected)
  }

  /// Gives a place back that was reserved for an invitation.
  nonisolated func unreserve(_ peer: PeerID) {
    assumeIsolated { session in
      session.roster.cancelReservation(for: peer)
      session.settle()
    }
  }

  // MARK: Who is a member

  /// What there is with a peer's session: a membership that has begun, or that is looked for.
  private func membership(with member: PeerID, _ remote: SessionID) -> Membership? {
    memberships[member].flatMap { $0.remoteSession == remote ? $0 : nil }
  }

  /// Whether a peer's session was asked to attach and has not answered yet.
  func isAsking(_ member: PeerID, _ remote: SessionID) -> Bool {
    membership(with: member, remote)?.assumeIsolated { $0.isAsking } ?? false
  }

  /// Whether a peer's session is looked for, to begin a membership of that number with it.
  func isSought(_ member: PeerID, _ remote: SessionID, _ id: MembershipID) -> Bool {
    membership(with: member, remote)?.assumeIsolated { !$0.hasJoined && $0.id == id } ?? false
  }

  /// Whether a peer's session is a member by a membership.
  func isMember(_ member: PeerID, _ remote: SessionID, by id: MembershipID) -> Bool {
    membership(with: member, remote)?.assumeIsolated { $0.hasJoined && $0.id == id } ?? false
  }

  /// Whether an inviter's session is a member by what has come of its invitation, or by what the inviter has not
  /// given up.
  func isMember(_ inviter: Inviter) -> Bool {
    guard let membership = membership(with: inviter.peer, inviter.session),
      let joined = membership.assumeIsolated({ $0.joined })
    else { return false }
    return joined >= inviter.time || stands(membership, beside: inviter.ended)
  }

  /// Whether an inviter is a member, with whichever session, but by none that was there before it invited with
  /// another one.
  func hasJoined(_ inviter: Inviter) -> Bool {
    if isMember(inviter) { return true }
    let joined = memberships[inviter.peer]?.assumeIsolated { $0.joined }
    return joined.map { $0 >= inviter.time } ?? false
  }

  /// Whether a membership is one that its other end has not given up, as far as an INVITE tells.
  private func stands(_ membership: Membership, beside ended: [EndedMembership]) -> Bool {
    let number = membership.assumeIsolated { $0.id }
    return !ended.contains { $0.session == id && $0.membership >= number }
  }

  // MARK: By attaching

  /// Takes a link whose dialler asks to attach to this session.
  func attach(_ request: AttachRequest) {
    request.link.assumeIsolated { $0.handOver(to: self) }
    admit(request)
    settle()
  }

  func admit(_ request: AttachRequest) {
    switch verdict(on: request) {
    case .refuse(let code): request.link.assumeIsolated { $0.close(code) }
    case .current: pass(request)
    case .supersede:
      peer.host.reached(.supersedingAttach)
      tell(request.sender, .endRequested(.lost, .givenUp))
      settle()
      admit(request)  // Perhaps it was being removed, and is told so.
    case .begin: hold(request)
    }
  }

  private func verdict(on request: AttachRequest) -> EndedMemberships.Verdict {
    let (attach, pair) = (request.attach, pair(request.sender, request.attach.source))
    let current = membership(with: request.sender, attach.source)?.assumeIsolated {
      EndedMemberships.Current(membership: $0.id, hasJoined: $0.hasJoined)
    }
    let isShunned = roster.isShunned(request.sender, attach.source)
    return peer.assumeIsolated {
      $0.ended.verdict(on: attach, of: pair, current: current, isShunned: isShunned)
    }
  }

  private func pass(_ request: AttachRequest) {
    memberships[request.sender]?.assumeIsolated { $0.take(request) }
  }

  /// Has a request wait for its introduction.
  private func hold(_ request: AttachRequest) {
    let (link, sender) = (request.link, request.sender)
    guard phase == .open else { return link.assumeIsolated { $0.close(.unknownSession) } }
    switch roster.admit(sender, request.attach.source, over: link.token, at: now) {
    case .permitted, .full:
      peer.host.reached(.attachWithoutRoom)
      link.assumeIsolated { $0.close(.full) }
    case .held(let evicted):
      peer.host.reached(.attachBeforeIntroduction)
      requests.add(request)
      guard let evicted else { return }
      peer.host.reached(.attachEvicted)
      refuse(evicted)
    }
  }

  func refuse(_ token: LinkToken) {
    requests.take(token)?.link.assumeIsolated { $0.close(.notIntroduced) }
  }
}

/// The links of requests that wait; memberships own all others.
extension SessionCore: LinkOwner {
  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { session in
      if session.requests.take(link.token) != nil { session.roster.linkEnded(link.token) }
    }
  }
}
