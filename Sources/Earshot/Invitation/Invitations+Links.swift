/// A link on which HELLO was exchanged, and what the remote peer said in it.
struct GreetedLink {
  let link: Link
  let greeting: Hello

  /// Where the remote peer is; no address at all once the link is over.
  var address: IPAddress { link.assumeIsolated { $0.remoteAddress } ?? .anyV4 }

  /// Where the remote peer listens, as far as the link can tell.
  var endpoints: [Endpoint] { link.assumeIsolated { $0.endpoints(after: greeting) } }
}

extension Link {
  /// Where the remote peer listens, as its greeting says.
  func endpoints(after greeting: Hello) -> [Endpoint] {
    guard greeting.port != 0, let remoteAddress else { return [] }
    return [Endpoint(remoteAddress, port: greeting.port)]
  }
}

extension Invitations: LinkOwner {
  nonisolated func link(_ link: Link, received frame: InvitationFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, received frame: AttachmentFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { $0.ended(link, end) }
  }

  /// Takes a link over on which a peer that dialled says what it wants.
  func take(_ link: Link, _ greeting: Hello) {
    links[link.token] = GreetedLink(link: link, greeting: greeting)
    guard
      let remote = link.assumeIsolated({
        $0.handOver(to: self)
        return $0.remote
      })
    else { return }
    let endpoints = link.assumeIsolated { $0.endpoints(after: greeting) }
    peer.assumeIsolated { $0.heard(remote, at: endpoints) }
  }

  // MARK: What links say

  private func received(_ frame: InvitationFrame, on link: Link) {
    guard let greeted = links[link.token], let remote = link.assumeIsolated({ $0.remote }) else {
      return
    }
    switch frame {
    case .invite(let invite): invited(invite, by: remote, greeted)
    case .accept(let accept): accepted(accept, by: remote, greeted)
    case .decline(let decline):
      handle(.declineReceived(link.token, decline.invitation, decline.reason))
    case .cancel(let cancel):
      handle(.cancelReceived(link.token, cancel.invitation, cancel.reason))
    }
  }

  private func received(_ frame: AttachmentFrame, on link: Link) {
    guard let greeted = links[link.token], let remote = link.assumeIsolated({ $0.remote }) else {
      return
    }
    switch frame {
    case .attach(let request): attach(greeted, request, from: remote)
    case .attached(let attached): confirmed(attached, link)
    }
  }

  private func ended(_ link: Link, _ end: LinkEnd) {
    guard links.removeValue(forKey: link.token) != nil else { return }
    switch end {
    case .closed(let code): handle(.closeReceived(link.token, code))
    case .unreachable, .broken, .silence, .violation: handle(.linkBroken(link.token))
    }
  }

  /// Takes in the answer to an invitation of this peer.
  ///
  /// If the remote peer was introduced meanwhile and has been asked to attach, it may have agreed to that already:
  /// then that link is the one, and this answer is left alone until it is. Likewise if the answer names the membership
  /// that this peer named when it accepted an invitation of the remote one, whose confirmation is on its way. If it names
  /// one that this peer proposed and has none of, the remote peer holds on to what has come to nothing here: it is asked
  /// once more, and told so.
  private func accepted(_ accept: Accept, by remote: PeerID, _ greeted: GreetedLink) {
    let token = greeted.link.token
    guard let invitation = outbound[accept.invitation] else {
      return handle(.acceptReceived(token, accept.invitation, accept.session))
    }
    let (isAsking, isMember) = invitation.session.assumeIsolated {
      (
        $0.isAsking(remote, accept.session)
          || $0.isSought(remote, accept.session, accept.membership),
        $0.isMember(remote, accept.session, by: accept.membership)
      )
    }
    let accepted = table.unconfirmed(
      of: remote, source: accept.session, destination: invitation.session.id)
    let isConfirming = accepted.flatMap { inbound[$0]?.membership } == accept.membership
    if isAsking || isConfirming { return }
    if isMember { return handle(.peerJoined(accept.invitation)) }
    if accept.membership.isProposed(bySmaller: peer.id < remote) {
      peer.host.reached(.acceptanceOutlived)
      let pair = invitation.session.pair(remote, accept.session)
      peer.assumeIsolated { $0.ended.remember(accept.membership, of: pair, .givenUp) }
      closeLink(token, .givenUp)
      return handle(.linkBroken(token))
    }
    let entry = Roster.Entry(
      peer: remote, session: accept.session, accept.terms, displayName: remote.short,
      endpoints: [])
    guard invitation.session.assumeIsolated({ $0.roster.hasPlace(for: entry) }) else {
      closeLink(token, .full)
      return handle(.closeReceived(token, .full))
    }
    outbound[accept.invitation]?.grant = Grant(
      membership: accept.membership, window: accept.window, terms: accept.terms,
      nextSeniority: accept.nextSeniority)
    handle(.acceptReceived(token, accept.invitation, accept.session))
  }

  /// Takes in the confirmation of an acceptance.
  private func confirmed(_ attached: Attached, _ link: Link) {
    if let id = table.inbound(over: link.token), let membership = inbound[id]?.membership {
      guard attached.membership == membership else {
        closeLink(link.token, .protocolViolation)
        return handle(.linkBroken(link.token))
      }
      inbound[id]?.grant = Grant(
        membership: membership, window: attached.window, terms: attached.terms)
    }
    handle(.attachedReceived(link.token))
  }

  private func invited(_ invite: Invite, by remote: PeerID, _ greeted: GreetedLink) {
    if peer.assumeIsolated({ $0.phase == .stopped }) {
      send(Decline(invitation: invite.invitation, reason: .stopped), on: greeted.link.token)
      return closeLink(greeted.link.token, .done)
    }
    let id = InvitationTable.InboundID(inviter: remote, invitation: invite.invitation)
    if inbound[id] == nil {
      inbound[id] = InboundInvitation(
        invite,
        from: Inviter(peer: remote, session: invite.session, ended: invite.ended, time: now),
        named: greeted.greeting.displayName)
    } else {
      inbound[id]?.inviter.ended = invite.ended  // More may have ended since it was sent before.
    }
    let (isAdvertised, membership) = peer.assumeIsolated {
      ($0.advertiser(of: invite.serviceType) != nil, $0.session(with: remote, invite.session))
    }
    handle(
      .inviteReceived(
        greeted.link.token,
        InvitationTable.ReceivedInvite(
          invite, from: remote, at: greeted.address, isAdvertised: isAdvertised,
          membership: membership)))
    forgetIfEnded(id)
  }

  /// Takes in a request to attach: as the confirmation of an acceptance, or for the session that it names.
  private func attach(_ greeted: GreetedLink, _ attach: Attach, from remote: PeerID) {
    let token = greeted.link.token
    let awaited = table.unconfirmed(
      of: remote, source: attach.source, destination: attach.destination)
    if let awaited, isConfirmation(attach, of: awaited, by: remote) {
      inbound[awaited]?.grant = Grant(
        membership: attach.membership, window: attach.window, terms: attach.terms)
      handle(.attachReceived(token, awaited))
    }
    guard links[token] != nil else { return }
    guard let session = session(attach.destination) else {
      let pair = EndedMemberships.Pair(
        local: attach.destination, peer: remote, remote: attach.source)
      return closeLink(token, peer.assumeIsolated { $0.ended[pair]?.code } ?? .unknownSession)
    }
    links[token] = nil
    let request = AttachRequest(
      link: greeted.link, attach: attach, sender: remote,
      name: greeted.greeting.displayName, endpoints: greeted.endpoints)
    session.assumeIsolated { $0.attach(request) }
  }

  /// Whether a request to attach confirms an acceptance: for the membership that it named, or for one that is proposed,
  /// unless the one that it named is there already.
  private func isConfirmation(
    _ attach: Attach, of accepted: InvitationTable.InboundID, by remote: PeerID
  ) -> Bool {
    guard let named = inbound[accepted]?.membership else { return attach.isProposal }
    if attach.membership == named { return true }
    guard attach.isProposal, let session = session(attach.destination) else { return false }
    return !session.assumeIsolated { $0.isMember(remote, attach.source, by: named) }
  }

  // MARK: What links are told

  func send(_ payload: some FramePayload & Sendable, on token: LinkToken) {
    links[token]?.link.assumeIsolated { $0.send(payload) }
  }

  func closeLink(_ token: LinkToken, _ code: CloseCode) {
    links.removeValue(forKey: token)?.link.assumeIsolated { $0.close(code) }
  }

  func closeLinks(_ code: CloseCode) {
    for token in links.keys.sorted() { closeLink(token, code) }
  }
}

extension Roster.Entry {
  /// A peer as its frames describe it.
  init(
    peer: PeerID, session: SessionID, _ terms: SessionTerms, displayName: String,
    endpoints: [Endpoint]
  ) {
    self.init(
      peer: peer, session: session, seniority: terms.seniority, capacity: terms.capacity,
      displayName: displayName, endpoints: endpoints)
  }
}
