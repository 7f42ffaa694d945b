extension Peer {
  // MARK: The desk

  func handle(_ event: InvitationDesk.Event) {
    deskEvents.append(event)
    guard deskEvents.count == 1 else { return }  // Whoever is at work below goes on with it.
    while let event = deskEvents.first {
      var actions: [InvitationDesk.Action] = []
      invitations.desk.handle(event, at: now, into: &actions)
      for action in actions { perform(action) }
      if deskEvents.count == 1 { forgetEnded() }
      deskEvents.removeFirst()
    }
  }

  private func perform(_ action: InvitationDesk.Action) {
    switch action {
    case .dial(let id): dial(id)
    case .cancelDial(let id): cancelDial(id)
    case .sendInvite(let token, let id): sendInvite(id, on: token)
    case .sendAttached(let token, let id): sendAttached(id, on: token)
    case .sendCancel(let token, let id, let reason):
      send(Cancel(invitation: id, reason: reason), on: token)
    case .sendAccept(let token, let id, let session): sendAccept(id, session, on: token)
    case .sendDecline(let token, let id, let reason):
      send(Decline(invitation: id.invitation, reason: reason), on: token)
    case .closeLink(let token, let code): closeLink(token, code)
    case .wake(let deadline): invitations.timer?.arm(at: deadline)
    case .cancelWake: invitations.timer?.disarm()
    case .reportOffered(let id): offer(id)
    case .reportWithdrawn(let id, let reason): withdrawn(id, reason)
    case .reportFailed(let id, let reason): failed(id, reason)
    case .reportOutcome(let id, let outcome): ended(id, InvitationOutcome(outcome))
    case .reportJoined(let joining): join(joining, attaching: false)
    case .reportAttaching(let joining): join(joining, attaching: true)
    }
  }

  /// Forgets what ended without a report, since no application had heard of it.
  private func forgetEnded() {
    for (id, incoming) in invitations.incoming
    where incoming.waiter == nil && !invitations.desk.isOpen(id) {
      incoming.delivery?.end()
      invitations.incoming[id] = nil
    }
  }

  private func dial(_ id: InvitationID) {
    guard let outgoing = invitations.outgoing[id] else { return }
    let link = Link(
      makeToken(), dialling: endpoints(of: outgoing.peer, besides: outgoing.endpoints),
      expecting: outgoing.peer, context: linkContext, owner: self)
    links[link.token] = OpeningLink(link: link, purpose: .outgoing(id))
    invitations.outgoing[id]?.dialling = link
    link.assumeIsolated { $0.start() }
  }

  private func cancelDial(_ id: InvitationID) {
    guard let link = invitations.outgoing[id]?.dialling else { return }
    invitations.outgoing[id]?.dialling = nil
    closeLink(link.token, .duplicate)
  }

  private func send(_ payload: some FramePayload & Sendable, on token: LinkToken) {
    links[token]?.link.assumeIsolated { $0.send(payload) }
  }

  private func sendInvite(_ id: InvitationID, on token: LinkToken) {
    guard let outgoing = invitations.outgoing[id] else { return }
    let left = max((outgoing.deadline - now).nanoseconds, 0) / 1_000_000
    send(
      Invite(
        invitation: id, session: outgoing.session.id, timeoutMilliseconds: UInt64(left),
        serviceType: outgoing.serviceType, context: outgoing.context), on: token)
  }

  private func sendAttached(_ id: InvitationID, on token: LinkToken) {
    guard let session = invitations.outgoing[id]?.session else { return }
    let delivery = session.assumeIsolated { $0.makeDelivery() }
    invitations.outgoing[id]?.delivery = delivery
    let (received, window) = delivery.position()
    send(Attached(epoch: 1, received: received, window: window), on: token)
  }

  private func sendAccept(
    _ id: InvitationDesk.InboundID, _ session: SessionID, on token: LinkToken
  ) {
    guard let session = sessions[session] else { return closeLink(token, .unknownSession) }
    let delivery =
      invitations.incoming[id]?.delivery ?? session.assumeIsolated { $0.makeDelivery() }
    invitations.incoming[id]?.delivery = delivery
    invitations.incoming[id]?.session = session
    let window = delivery.position().window
    send(Accept(invitation: id.invitation, session: session.id, window: window), on: token)
  }

  func closeLink(_ token: LinkToken, _ code: CloseCode) {
    guard let opening = links.removeValue(forKey: token) else { return }
    opening.link.assumeIsolated { $0.close(code) }
  }

  // MARK: Reports

  private func offer(_ id: InvitationDesk.InboundID) {
    guard let incoming = invitations.incoming[id] else { return }
    let serviceType = incoming.invite.serviceType
    guard let advertiser = advertisers.first(where: { $0.advertiser.serviceType == serviceType })
    else { return decline(id) }
    let timeout = Duration.milliseconds(Int64(clamping: incoming.invite.timeoutMilliseconds))
    advertiser.advertiser.offer(
      Invitation(
        id: id, senderName: incoming.senderName, context: incoming.invite.context,
        deadline: now + timeout, peer: self))
  }

  private func withdrawn(
    _ id: InvitationDesk.InboundID, _ reason: InboundInvitationMachine.Reason
  ) {
    if invitations.incoming[id]?.waiter != nil { return failed(id, reason) }
    if invitations.desk.isOpen(id) { return }  // It is accepted in place of one of ours.
    invitations.incoming[id] = nil
  }

  /// An acceptance led to nothing, or to what comes about another way.
  private func failed(
    _ id: InvitationDesk.InboundID, _ reason: InboundInvitationMachine.Reason
  ) {
    guard let incoming = invitations.incoming.removeValue(forKey: id) else { return }
    incoming.delivery?.end()
    guard let waiter = incoming.waiter else { return }
    guard let session = incoming.session else { return waiter.resume(returning: false) }
    session.assumeIsolated { $0.whenJoined(id.inviter, isComing: reason == .superseded, waiter) }
  }

  func ended(_ id: InvitationID, _ outcome: InvitationOutcome) {
    guard let outgoing = invitations.outgoing.removeValue(forKey: id) else { return }
    if outcome != .accepted { outgoing.session.unreserve(outgoing.peer) }
    if outcome == .unreachable { doubt(outgoing.peer) }
    for waiter in outgoing.waiters { waiter.resume(returning: outcome) }
  }

  /// A membership begins, over a link that goes to its session.
  private func join(_ joining: InvitationDesk.Joining, attaching: Bool) {
    guard let opening = links.removeValue(forKey: joining.link),
      let session = sessions[joining.session]
    else { return closeLink(joining.link, .unknownSession) }
    let (delivery, window) = takeStreams(of: joining.origin, in: session)
    let name = opening.greeting?.displayName ?? joining.peer.short
    let entry = Roster.Entry(
      peer: joining.peer, session: joining.remoteSession, displayName: name,
      endpoints: endpoints(of: opening))
    let joined = session.assumeIsolated { session in
      if attaching { return session.expectAttaching(entry, delivery) }
      return session.join(opening.link, entry, delivery, window: window)
    }
    if !joined { opening.link.assumeIsolated { $0.close(.full) } }
    if case .inbound(let id) = joining.origin {
      invitations.incoming.removeValue(forKey: id)?.waiter?.resume(returning: joined)
    }
  }

  private func takeStreams(
    of origin: InvitationDesk.Origin, in session: Session
  ) -> (Delivery, window: UInt64) {
    let (delivery, window): (Delivery?, UInt64)
    switch origin {
    case .outbound(let id):
      (delivery, window) =
        (invitations.outgoing[id]?.delivery, invitations.outgoing[id]?.window ?? 0)
    case .inbound(let id):
      (delivery, window) =
        (invitations.incoming[id]?.delivery, invitations.incoming[id]?.window ?? 0)
    }
    return (delivery ?? session.assumeIsolated { $0.makeDelivery() }, window)
  }
}

extension InvitationOutcome {
  init(_ outcome: OutboundInvitationMachine.Outcome) {
    self =
      switch outcome {
      case .accepted: .accepted
      case .declined: .declined
      case .timedOut: .timedOut
      case .unreachable: .unreachable
      case .busy: .busy
      case .full: .full
      case .mismatch: .mismatch
      case .cancelled: .cancelled
      }
  }
}
