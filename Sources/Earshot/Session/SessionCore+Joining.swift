import EarshotCore

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
    let (pair, id) = (pair(of: acceptance), acceptance.position.membership)
    switch peer.assumeIsolated({ $0.ledger.beginning(id, of: pair) }) {
    case .goesOn: link.assumeIsolated { $0.close(.duplicate) }
    case .begins(let replacement):
      replace(acceptance.entry.peer, replacement)
      begin(acceptance, over: link)
      settle()
    }
    return true
  }

  /// Makes room for a membership whose first sign is the ATTACH of an invitation that was accepted.
  ///
  /// - Parameters:
  ///   - acceptance: The acceptance, with the membership that the ATTACH is for.
  ///   - accepted: The invitation.
  /// - Returns: Whether the peer may attach.
  func expectAttaching(
    _ acceptance: Acceptance, by accepted: InvitationTable.InboundID
  ) -> Bool {
    guard phase == .open else { return false }
    let (pair, id) = (pair(of: acceptance), acceptance.position.membership)
    let beginning = peer.assumeIsolated {
      $0.ledger.beginning(attaching: id, of: pair, by: accepted)
    }
    switch beginning {
    case .goesOn: peer.host.reached(.attachExpectedTwice)
    case .begins(let replacement):
      replace(acceptance.entry.peer, replacement)
      roster.expect(acceptance.entry)
      seek(acceptance.entry, acceptance.reliable, as: id)
    }
    return true
  }

  private nonisolated func pair(of acceptance: Acceptance) -> SessionPair {
    pair(acceptance.entry.peer, acceptance.entry.session)
  }

  /// Ends the membership of a peer that an acceptance takes the place of, if there is one.
  private func replace(_ member: PeerID, _ replacement: MembershipLedger.Replacement?) {
    guard let replacement else { return }
    peer.host.reached(.replacedMembership)
    replacing(member) {  // The next of the row is not to be sought before.
      tell(member, .endRequested(replacement.departure, replacement.code))
    }
  }

  /// The acceptance of an invitation goes out.
  func accepting(_ inviter: PeerID, named name: String) {
    guard memberships[inviter] == nil else { return }
    report(.joining(Member(id: inviter, name: name, state: .joining)))
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

  private func verdict(on request: AttachRequest) -> MembershipLedger.AttachVerdict {
    let (attach, pair) = (request.attach, pair(request.sender, request.attach.source))
    let isShunned = roster.isShunned(request.sender, attach.source)
    return peer.assumeIsolated {
      $0.ledger.verdict(onAttach: attach, of: pair, isShunned: isShunned)
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
