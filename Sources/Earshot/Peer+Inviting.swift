extension Peer {
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
  func isOpen(_ session: Session) -> Bool {
    guard session.peer === self, sessions[session.id] === session else { return false }
    return session.assumeIsolated { $0.phase == .open }
  }

  private func openInvitation(of peer: PeerID, to session: Session) -> InvitationID? {
    invitations.outgoing.first { $0.value.peer == peer && $0.value.session === session }?.key
  }

  func reserve(_ peer: PeerID, in session: Session) -> Roster.Reservation {
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
}
