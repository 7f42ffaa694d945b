import EarshotCore

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
    // Only links of invitations are dialled here.
    if let invited = link.expected { note(.unanswered(end), of: invited) }
    switch end {
    case .closed(let code): handle(.closeReceived(link.token, code))
    case .unreachable, .broken, .silence, .otherPeer, .violation: handle(.linkBroken(link.token))
    }
  }

  /// Takes in the answer to an invitation of this peer.
  private func accepted(_ accept: Accept, by remote: PeerID, _ greeted: GreetedLink) {
    let token = greeted.link.token
    guard let invitation = outbound[accept.invitation] else {
      return handle(.acceptReceived(token, accept.invitation, accept.session))
    }
    let pair = invitation.session.pair(remote, accept.session)
    let own = table.unconfirmed(
      of: remote, source: accept.session, destination: invitation.session.id)
    let verdict = peer.assumeIsolated {
      $0.ledger.verdict(onAccept: accept.membership, of: pair, beside: own)
    }
    switch verdict {
    case .wait: break
    case .fulfilled: handle(.peerJoined(accept.invitation))
    case .refuse(let code):
      peer.host.reached(.acceptanceOutlived)
      closeLink(token, code)
      handle(.linkBroken(token))
    case .confirm: confirm(accept, of: remote, in: invitation.session, over: token)
    }
  }

  /// Confirms an acceptance, if the session has a place for its sender.
  private func confirm(
    _ accept: Accept, of remote: PeerID, in session: SessionCore, over token: LinkToken
  ) {
    let entry = Roster.Entry(
      peer: remote, session: accept.session, accept.terms, displayName: remote.short,
      endpoints: [])
    guard session.assumeIsolated({ $0.roster.hasPlace(for: entry) }) else {
      closeLink(token, .full)
      note(.noPlace, of: remote)
      return handle(.closeReceived(token, .full))
    }
    outbound[accept.invitation]?.accept = accept
    handle(.acceptReceived(token, accept.invitation, accept.session))
  }

  /// Takes in the confirmation of an acceptance.
  private func confirmed(_ attached: Attached, _ link: Link) {
    if let id = table.inbound(over: link.token),
      let named = peer.assumeIsolated({ $0.ledger.named(by: id) })
    {
      guard attached.membership == named else {
        closeLink(link.token, .protocolViolation)
        return handle(.linkBroken(link.token))
      }
      inbound[id]?.confirmation = attached.position
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
        from: peer.assumeIsolated { $0.ledger.inviter(remote, invite) },
        named: greeted.greeting.displayName)
      peer.log.noteReceived(
        invite, from: remote, named: greeted.greeting.displayName, over: greeted.link.token)
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
    if let awaited, peer.assumeIsolated({ $0.ledger.confirms(attach, awaited) }) {
      inbound[awaited]?.confirmation = attach.position
      handle(.attachReceived(token, awaited))
    }
    guard links[token] != nil else { return }
    guard let session = session(attach.destination) else {
      let pair = SessionPair(local: attach.destination, peer: remote, remote: attach.source)
      let ending = peer.assumeIsolated { $0.ledger.ending(of: pair) }
      return closeLink(token, ending?.code ?? .unknownSession)
    }
    links[token] = nil
    let request = AttachRequest(
      link: greeted.link, attach: attach, sender: remote,
      name: greeted.greeting.displayName, endpoints: greeted.endpoints)
    session.assumeIsolated { $0.attach(request) }
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
