extension PeerCore: ListenerHandler {
  nonisolated func listener(
    _ listener: any Listener, accepted connection: any Connection
  ) -> (any ConnectionHandler)? {
    assumeIsolated { $0.accepted(connection) }
  }

  nonisolated func listener(_ listener: any Listener, failed error: NetworkError) {
    assumeIsolated { $0.reopen(listener) }
  }

  /// Begins to greet, unless too many are being greeted already.
  private func accepted(_ connection: any Connection) -> Link? {
    let address = connection.remoteEndpoint.address
    let strangers = links.values.filter(\.isStranger)
    let neighbours = strangers.count { stranger in
      stranger.link.assumeIsolated { $0.remoteAddress } == address
    }
    guard phase == .running, strangers.count < Self.strangersMax,
      neighbours < Self.strangersPerAddressMax
    else { return nil }
    let link = Link(makeToken(), accepted: connection, context: linkContext, owner: self)
    links[link.token] = OpeningLink(link: link, purpose: .incoming)
    link.assumeIsolated { $0.start() }
    return link
  }

  /// Where a peer may be dialled: where browsers see it now, then what else is known.
  func endpoints(of peer: PeerID, besides known: [Endpoint]) -> [Endpoint] {
    var endpoints = discovered(peer)?.peer.endpoints ?? []
    for endpoint in known where !endpoints.contains(endpoint) { endpoints.append(endpoint) }
    return Array(endpoints.prefix(FrameBounds.endpointsMax))
  }

  /// Where the peer at the other end of a link listens, as far as the link can tell.
  func endpoints(of opening: OpeningLink) -> [Endpoint] {
    guard let greeting = opening.greeting else { return [] }
    return opening.link.assumeIsolated { $0.endpoints(after: greeting) }
  }

  private static let strangersMax = 64
  private static let strangersPerAddressMax = 16
}

extension Link {
  /// Where the peer at the other end listens, as its greeting says.
  func endpoints(after greeting: Hello) -> [Endpoint] {
    guard greeting.port != 0, let remoteAddress else { return [] }
    return [Endpoint(remoteAddress, port: greeting.port)]
  }
}

extension OpeningLink {
  /// Whether nobody knows yet who is there.
  var isStranger: Bool {
    if case .incoming = purpose { greeting == nil } else { false }
  }
}

extension PeerCore: LinkOwner {
  nonisolated func link(_ link: Link, opened greeting: Hello) {
    assumeIsolated { $0.opened(link, greeting) }
  }

  nonisolated func link(_ link: Link, received frame: InvitationFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, received frame: AttachmentFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { $0.ended(link, end) }
  }

  private func opened(_ link: Link, _ greeting: Hello) {
    links[link.token]?.greeting = greeting
    guard case .outgoing(let id, let attempt) = links[link.token]?.purpose else { return }
    advance(id, by: .opened(attempt))
  }

  private func received(_ frame: InvitationFrame, on link: Link) {
    guard let opening = links[link.token], let remote = link.assumeIsolated({ $0.remote }) else {
      return
    }
    switch frame {
    case .invite(let invite): invited(invite, by: remote, opening)
    case .accept(let accept): accepted(accept, by: remote, link)
    case .decline(let decline):
      handle(.declineReceived(link.token, decline.invitation, decline.reason))
    case .cancel(let cancel):
      handle(.cancelReceived(link.token, cancel.invitation, cancel.reason))
    }
  }

  private func received(_ frame: AttachmentFrame, on link: Link) {
    guard links[link.token] != nil, let remote = link.assumeIsolated({ $0.remote }) else { return }
    switch frame {
    case .attach(let request): attach(link, request, from: remote)
    case .attached(let attached): confirmed(attached, link)
    }
  }

  /// Takes in the answer to an invitation of ours.
  ///
  /// If the peer was introduced meanwhile and has been asked to attach, it may have agreed to that already: then
  /// that link is the one, and this answer is left alone until it is.
  private func accepted(_ accept: Accept, by remote: PeerID, _ link: Link) {
    guard let outgoing = invitations.outgoing[accept.invitation] else {
      return handle(.acceptReceived(link.token, accept.invitation, accept.session))
    }
    let (isAsking, isMember) = outgoing.session.assumeIsolated {
      (
        $0.isAsking(remote, accept.session),
        $0.isMember(remote, accept.session, by: accept.membership)
      )
    }
    if isAsking { return }
    if isMember { return handle(.peerJoined(accept.invitation)) }
    let entry = entry(remote, accept.session, accept.terms, greeting: nil, endpoints: [])
    guard outgoing.session.assumeIsolated({ $0.roster.hasSeat(for: entry) }) else {
      closeLink(link.token, .full)
      return handle(.closeReceived(link.token, .full))
    }
    invitations.outgoing[accept.invitation]?.grant = PeerInvitations.Grant(
      membership: accept.membership, window: accept.window, terms: accept.terms,
      nextSeniority: accept.nextSeniority)
    handle(.acceptReceived(link.token, accept.invitation, accept.session))
  }

  /// A peer as its frames describe it.
  func entry(
    _ peer: PeerID, _ session: SessionID, _ terms: SessionTerms, greeting: Hello?,
    endpoints: [Endpoint]
  ) -> Roster.Entry {
    Roster.Entry(
      peer: peer, session: session, seniority: terms.seniority, capacity: terms.capacity,
      displayName: greeting?.displayName ?? peer.short, endpoints: endpoints)
  }

  /// Takes in the confirmation of an acceptance.
  private func confirmed(_ attached: Attached, _ link: Link) {
    if let id = invitations.table.inbound(over: link.token),
      let membership = invitations.incoming[id]?.membership
    {
      guard attached.membership == membership else {
        closeLink(link.token, .protocolViolation)
        return handle(.linkBroken(link.token))
      }
      invitations.incoming[id]?.grant = PeerInvitations.Grant(
        membership: membership, window: attached.window, terms: attached.terms)
    }
    handle(.attachedReceived(link.token))
  }

  private func invited(_ invite: Invite, by remote: PeerID, _ opening: OpeningLink) {
    let id = InvitationTable.InboundID(inviter: remote, invitation: invite.invitation)
    if invitations.incoming[id] == nil {
      invitations.incoming[id] = PeerInvitations.Incoming(
        invite: invite,
        inviter: Inviter(peer: remote, session: invite.session, ended: invite.ended, time: now),
        senderName: opening.greeting?.displayName ?? remote.short,
        endpoints: endpoints(of: opening))
    }
    handle(
      .inviteReceived(
        opening.link.token,
        InvitationTable.ReceivedInvite(
          invite, from: remote, isAdvertised: advertiser(of: invite.serviceType) != nil,
          membership: membership(of: remote, invite.session))))
    forgetIfEnded(id)
  }

  /// The session of ours of which a peer's session is a member.
  private func membership(of peer: PeerID, _ remote: SessionID) -> SessionID? {
    sessions.values.filter { session in
      session.assumeIsolated { $0.roster.isMember(peer) && $0.roster[peer]?.session == remote }
    }.map(\.id).min()
  }

  private func attach(_ link: Link, _ attach: Attach, from remote: PeerID) {
    let awaited = invitations.table.awaitingAttach(
      from: remote, source: attach.source, destination: attach.destination)
    if let awaited, attach.isProposal || isAwaiting(attach.membership, from: awaited) {
      invitations.incoming[awaited]?.grant = PeerInvitations.Grant(
        membership: attach.membership, window: attach.window, terms: attach.terms)
      handle(.attachReceived(link.token, awaited))
    }
    guard links[link.token] != nil else { return }
    guard let session = sessions[attach.destination] else {
      let pair = EndedMemberships.Pair(
        local: attach.destination, peer: remote, remote: attach.source)
      return closeLink(link.token, ended[pair]?.code ?? .unknownSession)
    }
    guard let opening = links.removeValue(forKey: link.token) else { return }
    let request = AttachRequest(
      link: link, attach: attach, sender: remote, endpoints: endpoints(of: opening))
    session.assumeIsolated { $0.attach(request) }
  }

  private func isAwaiting(_ membership: MembershipID, from id: InvitationTable.InboundID) -> Bool {
    invitations.incoming[id]?.membership == membership
  }

  private func ended(_ link: Link, _ end: LinkEnd) {
    guard let opening = links.removeValue(forKey: link.token) else { return }
    if case .outgoing(let id, let attempt) = opening.purpose, opening.greeting == nil {
      if case .closed(let code) = end { return advance(id, by: .refused(attempt, code)) }
      return advance(id, by: .failed(attempt))
    }
    switch end {
    case .closed(let code): handle(.closeReceived(link.token, code))
    case .unreachable, .broken, .silence, .violation: handle(.linkBroken(link.token))
    }
  }
}
