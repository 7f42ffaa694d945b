extension Peer {
  // MARK: Inviting

  /// Asks a peer into a session.
  ///
  /// Asking a member changes nothing. Two peers that ask each other at once are joined by one link, and
  /// neither application is asked. Asking the same peer into the same session while an invitation is open
  /// waits for that one's outcome. Cancelling the task withdraws the invitation.
  ///
  /// - Parameters:
  ///   - peer: Whom to ask: somebody whom one of our browsers has found, unless endpoints are given.
  ///   - session: Where to: one of our own sessions.
  ///   - context: What the peer's application should know before it answers; at most 16,384 bytes.
  ///   - timeout: How long to wait for the answer.
  ///   - endpoints: Where the peer listens, if no browser has found it; with the service type it advertises.
  /// - Returns: How it ended.
  /// - Throws: `unknownPeer`, `contextTooLarge`, `invalidServiceType`, `sessionEnded`, `suspended`,
  ///   `stopped`, before anything was sent.
  @discardableResult
  public func invite(
    _ peer: PeerID, to session: Session, context: [UInt8] = [], timeout: Duration = .seconds(30),
    at endpoints: (serviceType: String, endpoints: [Endpoint])? = nil
  ) async throws(EarshotError) -> InvitationOutcome {
    try checkRunning()
    try Checked.context(context)
    guard isOpen(session) else {
      throw EarshotError(.sessionEnded, "That is no open session of \(name).")
    }
    let (serviceType, endpoints) = try target(peer, endpoints)
    if let open = openInvitation(of: peer, to: session) { return await outcome(of: open) }
    switch reserve(peer, in: session) {
    case .alreadyMember: return .accepted
    case .full: return .full
    case .ourselves:
      throw EarshotError(.unknownPeer, "\(name) cannot invite itself.", peers: [peer])
    case .reserved: break
    }
    let id = InvitationID(random: &random)
    invitations.outgoing[id] = PeerInvitations.Outgoing(
      peer: peer, session: session, serviceType: serviceType, context: context,
      deadline: now + timeout, endpoints: endpoints)
    handle(
      .inviteRequested(
        InvitationDesk.Wish(
          invitation: id, peer: peer, session: session.id, serviceType: serviceType,
          timeout: timeout)))
    return await outcome(of: id)
  }

  private func target(
    _ peer: PeerID, _ given: (serviceType: String, endpoints: [Endpoint])?
  ) throws(EarshotError) -> (String, [Endpoint]) {
    if let given { return (try Checked.service(given.serviceType).text, given.endpoints) }
    guard let found = discovered(peer) else {
      throw EarshotError(
        .unknownPeer,
        "No browser of \(name) has found \(peer.short); browse for its service, or give endpoints.",
        peers: [peer])
    }
    return (found.serviceType, found.peer.endpoints)
  }

  /// Whether a session is one of ours, and nobody has begun to leave it.
  private func isOpen(_ session: Session) -> Bool {
    guard session.peer === self, sessions[session.id] === session else { return false }
    return session.assumeIsolated { $0.phase == .open }
  }

  private func openInvitation(of peer: PeerID, to session: Session) -> InvitationID? {
    invitations.outgoing.first { $0.value.peer == peer && $0.value.session === session }?.key
  }

  private func reserve(_ peer: PeerID, in session: Session) -> Roster.Reservation {
    session.assumeIsolated { $0.roster.reserve(for: peer) }
  }

  private func outcome(of id: InvitationID) async -> InvitationOutcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if invitations.outgoing[id] == nil { return continuation.resume(returning: .cancelled) }
        invitations.outgoing[id]?.waiters.append(continuation)
      }
    } onCancel: {
      cancellations.add(id)
      attention.raise()
    }
  }

  func endInvitations() {
    for id in invitations.outgoing.keys.sorted() { handle(.cancelRequested(id)) }
    let offered = invitations.incoming.keys.sorted { $0.invitation < $1.invitation }
    for id in offered { decline(id) }
  }

  /// Ends all invitations without a word to anybody else.
  func abandonInvitations() {
    for id in invitations.outgoing.keys.sorted() { ended(id, .cancelled) }
    let open = invitations.incoming.values
    invitations.incoming = [:]
    for incoming in open { incoming.waiter?.resume(returning: false) }
    invitations.timer = nil
  }

  func withdrawInvitations(to session: Session) {
    for (id, outgoing) in invitations.outgoing.sorted(by: { $0.key < $1.key })
    where outgoing.session === session {
      handle(.cancelRequested(id))
    }
  }

  /// A peer became a member of a session by an introduction, perhaps while it was being invited.
  func joined(_ peer: PeerID, _ session: Session) {
    guard let id = openInvitation(of: peer, to: session) else { return }
    handle(.peerJoined(id))
  }

  // MARK: Answering

  func accept(
    _ invitation: Invitation, into session: Session?
  ) async throws(EarshotError) -> Session {
    try checkRunning()
    let id = invitation.id
    guard let incoming = invitations.incoming[id], incoming.session == nil else {
      if let session, await isJoined(invitation.sender, session) { return session }
      throw Self.ended(invitation)
    }
    let session = if let session { session } else { try makeSession() }
    guard isOpen(session) else {
      throw EarshotError(.sessionEnded, "That is no open session of \(name).")
    }
    switch reserve(invitation.sender, in: session) {
    case .full:
      throw EarshotError(.sessionFull, "The session has no seat left; accept into another one.")
    case .ourselves, .alreadyMember, .reserved: break
    }
    invitations.incoming[id]?.session = session
    let joined = await withCheckedContinuation { continuation in
      invitations.incoming[id]?.waiter = continuation
      handle(.acceptRequested(id, session.id))
    }
    guard joined else {
      session.unreserve(invitation.sender)
      throw Self.ended(invitation)
    }
    return session
  }

  /// Whether a peer is a member of a session, or about to become one by other means than an invitation.
  private func isJoined(_ peer: PeerID, _ session: Session) async -> Bool {
    await withCheckedContinuation { continuation in
      session.assumeIsolated { $0.whenJoined(peer, isComing: false, continuation) }
    }
  }

  private static func ended(_ invitation: Invitation) -> EarshotError {
    EarshotError(
      .invitationEnded,
      "The invitation of \(invitation.senderName) was answered, withdrawn, or came too late.",
      peers: [invitation.sender])
  }

  func decline(_ id: InvitationDesk.InboundID) {
    handle(.declineRequested(id, .declined))
    forgetIfEnded(id)
  }

  func forgetIfEnded(_ id: InvitationDesk.InboundID) {
    if !invitations.desk.isOpen(id) { invitations.incoming[id] = nil }
  }

  nonisolated func released(_ id: InvitationDesk.InboundID) {
    releases.add(id)
    attention.raise()
  }

  /// Looks at what other threads have left behind.
  func attend() {
    for id in releases.take() where invitations.incoming[id]?.session == nil { decline(id) }
    for id in cancellations.take() { handle(.cancelRequested(id)) }
  }

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

  private func ended(_ id: InvitationID, _ outcome: InvitationOutcome) {
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
