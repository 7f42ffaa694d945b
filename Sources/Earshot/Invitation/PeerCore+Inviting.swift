extension PeerCore {
  func invite(
    _ peer: PeerID, to session: SessionCore, context: [UInt8], timeout: Duration,
    at endpoints: (serviceType: String, endpoints: [Endpoint])?
  ) async throws(EarshotError) -> InvitationOutcome {
    try checkRunning()
    attend()
    try Checked.context(context)
    guard isOpen(session) else {
      throw EarshotError(.sessionEnded, "That is no open session of \(name).")
    }
    let (serviceType, endpoints) = try target(peer, endpoints)
    if Task.isCancelled { return .cancelled }
    let waiter = Promise<InvitationOutcome>()
    if let open = openInvitation(of: peer, to: session) {
      invitations.outgoing[open]?.waiters.append(waiter)
      return await outcome(of: open, for: waiter)
    }
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
      deadline: now + timeout, endpoints: endpoints, waiters: [waiter])
    handle(
      .inviteRequested(
        InvitationTable.Wish(
          invitation: id, peer: peer, session: session.id, serviceType: serviceType,
          timeout: timeout)))
    return await outcome(of: id, for: waiter)
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
  func isOpen(_ session: SessionCore) -> Bool {
    guard session.peer === self, sessions[session.id] === session else { return false }
    return session.assumeIsolated { $0.phase == .open }
  }

  func openInvitation(of peer: PeerID, to session: SessionCore) -> InvitationID? {
    invitations.outgoing.first { $0.value.peer == peer && $0.value.session === session }?.key
  }

  func reserve(_ peer: PeerID, in session: SessionCore) -> Roster.Reservation {
    session.assumeIsolated { $0.roster.reserve(for: peer) }
  }

  private func outcome(
    of id: InvitationID, for waiter: Promise<InvitationOutcome>
  ) async -> InvitationOutcome {
    await waiter.value {
      cancellations.add(.inviting(id, waiter))
      attention.raise()
    }
  }

  /// Lets a call go that was cancelled, and withdraws the invitation if it was the last one that waited.
  func giveUp(_ id: InvitationID, _ waiter: Promise<InvitationOutcome>) {
    waiter.fulfil(.cancelled)
    guard invitations.outgoing[id] != nil else { return }
    invitations.outgoing[id]?.waiters.removeAll { $0 === waiter }
    if invitations.outgoing[id]?.waiters.isEmpty == true { handle(.cancelRequested(id)) }
  }

  /// A peer became a member of a session, perhaps by an introduction while it was being invited, or while its own
  /// invitation was being accepted.
  func joined(_ peer: PeerID, _ remote: SessionID, _ session: SessionCore) {
    if let id = openInvitation(of: peer, to: session) { handle(.peerJoined(id)) }
    for (id, incoming) in invitations.incomingInOrder
    where id.inviter == peer && incoming.invite.session == remote && incoming.session === session {
      conclude(id, .joined)  // First: what the table knows no longer counts as ended.
      handle(.inviterJoined(id))
    }
  }

  // MARK: Dialling

  /// Looks for the invited peer where browsers see it, and last where it was reached and then lost.
  func dial(_ id: InvitationID) {
    guard let outgoing = invitations.outgoing[id] else { return }
    var endpoints = endpoints(of: outgoing.peer, besides: outgoing.endpoints)
    if let last = outgoing.endpoint, let index = endpoints.firstIndex(of: last) {
      endpoints.append(endpoints.remove(at: index))
    }
    let timer = host.makeTimer { [weak self] in
      self?.assumeIsolated { $0.advance(id, by: .deadlineReached) }
    }
    var actions: [DialMachine.Action] = []
    let machine = DialMachine(addresses: endpoints.count, at: now, into: &actions)
    invitations.outgoing[id]?.dialling = PeerInvitations.Dialling(
      machine: machine, endpoints: endpoints, timer: timer)
    for action in actions { perform(action, of: id) }
  }

  func advance(_ id: InvitationID, by event: DialMachine.Event) {
    var actions: [DialMachine.Action] = []
    invitations.outgoing[id]?.dialling?.machine.handle(event, at: now, into: &actions)
    for action in actions { perform(action, of: id) }
  }

  private func perform(_ action: DialMachine.Action, of id: InvitationID) {
    guard let dialling = invitations.outgoing[id]?.dialling else { return }
    switch action {
    case .attempt(let index): attempt(index, of: id, at: dialling.endpoints[index])
    case .abandon(let index): dialling.links[index].map { closeLink($0, .duplicate) }
    case .wake(let instant): dialling.timer.arm(at: instant)
    case .reportOpened(let index):
      invitations.outgoing[id]?.dialling = nil
      invitations.outgoing[id]?.endpoint = dialling.endpoints[index]
      if let token = dialling.links[index] { handle(.dialOpened(id, token)) }
    case .reportFailed:
      invitations.outgoing[id]?.dialling = nil
      handle(.dialFailed(id))
    case .reportRefused(let code):
      invitations.outgoing[id]?.dialling = nil
      handle(.dialRefused(id, code))
    }
  }

  private func attempt(_ index: Int, of id: InvitationID, at endpoint: Endpoint) {
    guard let outgoing = invitations.outgoing[id] else { return }
    let link = makeLink(to: outgoing.peer, at: [endpoint], owner: self)
    links[link.token] = OpeningLink(link: link, purpose: .outgoing(id, attempt: index))
    invitations.outgoing[id]?.dialling?.links[index] = link.token
    link.assumeIsolated { $0.start() }
  }

  func cancelDial(_ id: InvitationID) {
    guard let dialling = invitations.outgoing[id]?.dialling else { return }
    invitations.outgoing[id]?.dialling = nil
    for token in dialling.links.values.sorted() { closeLink(token, .duplicate) }
  }
}
