import EarshotCore

extension Invitations {
  /// Accepts an invitation, and waits until its sender is a member.
  func accept(
    _ invitation: Invitation, into given: Session?
  ) async throws(EarshotError) -> Session {
    try peer.isolated { peer throws(EarshotError) in try peer.checkRunning() }
    if Task.isCancelled { throw Self.cancelled }
    let (id, waiter) = (invitation.id, Promise<InboundInvitation.Acceptance>())
    let session = try answer(invitation, into: given, waiter)
    let acceptance = await waiter.value { cancel(.accepting(id, waiter)) }
    switch acceptance {
    case .joined:
      peer.isolated { $0.noteSessions() }
      return session
    case .ended: throw Self.ended(invitation)
    case .sessionEnded:
      throw EarshotError(.sessionEnded, "The session was left before the sender had joined it.")
    case .stopped: throw PeerCore.stopped(peer.name)
    case .cancelled: throw Self.cancelled
    }
  }

  /// Has a call wait for the sender; answers with the session that it will be in.
  private func answer(
    _ invitation: Invitation, into given: Session?, _ waiter: Promise<InboundInvitation.Acceptance>
  ) throws(EarshotError) -> Session {
    if let accepted = inbound[invitation.id]?.session {
      let session = accepted.assumeIsolated { $0.handle }
      guard let session, given == nil || given === session else { throw Self.ended(invitation) }
      if isMember(invitation.inviter, of: accepted) {
        waiter.fulfil(.joined)
      } else {
        inbound[invitation.id]?.waiters.append(waiter)
      }
      return session
    }
    if inbound[invitation.id] != nil {
      let session = if let given { given } else { try makeSession(of: invitation.peer) }
      try beginAccepting(invitation, into: session.core, [waiter])
      return session
    }
    guard let given, isOpen(given.core) else { throw Self.ended(invitation) }
    awaitMember(invitation.inviter, in: given.core, waiter)
    return given
  }

  private func makeSession(of handle: Peer) throws(EarshotError) -> Session {
    let session = try peer.isolated { peer throws(EarshotError) in
      try peer.makeProvisionalSession()
    }
    return Session(session, of: handle)
  }

  private func isOpen(_ session: SessionCore) -> Bool { peer.assumeIsolated { $0.isOpen(session) } }

  private func beginAccepting(
    _ invitation: Invitation, into session: SessionCore,
    _ waiters: [Promise<InboundInvitation.Acceptance>]
  ) throws(EarshotError) {
    let id = invitation.id
    try peer.isolated { peer throws(EarshotError) in try peer.checkOpen(session) }
    // A member may come back with another session, which needs the place of the first.
    var reservation = reserve(invitation.sender, in: session, evenIfMember: true)
    if reservation == .full, let rival = table.unconfirmed(in: session.id, at: now),
      inbound[rival]?.isReserved == true
    {
      reservation = session.assumeIsolated {
        $0.roster.reserve(for: id.inviter, inPlaceOf: rival.inviter)
      }
      if reservation != .full { giveWay(rival) }
    }
    switch reservation {
    case .full:
      peer.host.reached(.acceptanceWithoutRoom)
      inbound[id]?.wasFull = true
      throw EarshotError(.sessionFull, "The session has no free place; accept into another one.")
    case .reserved, .alreadyMember: inbound[id]?.isReserved = true
    case .local: break
    }
    inbound[id]?.session = session
    inbound[id]?.waiters = waiters
    handle(.acceptRequested(id, session.id))
    if isMember(invitation.inviter, of: session) { fulfil(id) }
  }

  /// Ends an acceptance that is still to be confirmed, and whose place another one has.
  private func giveWay(_ id: InvitationTable.InboundID) {
    peer.host.reached(.acceptanceGaveWay)
    inbound[id]?.isReserved = false
    handle(.expiryRequested(id))
    conclude(id, .ended, ending: .timedOut)  // Unless that was done by this, and not put off.
  }

  /// Answers once it is known whether a peer is a member of a session, or about to become one by other means
  /// than an invitation.
  private func awaitMember(
    _ inviter: MembershipLedger.Inviter, in session: SessionCore,
    _ waiter: Promise<InboundInvitation.Acceptance>
  ) {
    session.assumeIsolated { session in
      session.whenJoined(inviter) { isMember in
        let isOpen = session.assumeIsolated { $0.phase == .open }
        waiter.fulfil(isMember ? .joined : isOpen ? .ended : .sessionEnded)
      }
    }
  }

  private static let cancelled = EarshotError(.cancelled, "Accepting was cancelled.")

  private static func ended(_ invitation: Invitation) -> EarshotError {
    EarshotError(
      .invitationEnded,
      "The invitation of \(invitation.senderName) was answered, withdrawn, or came too late.",
      peers: [invitation.sender])
  }

  func sendAccept(_ id: InvitationTable.InboundID, _ session: SessionID, on token: LinkToken) {
    guard let session = self.session(session), let invitation = inbound[id] else {
      return closeLink(token, .unknownSession)
    }
    let invite = invitation.invite
    let (wasNamed, naming) = peer.assumeIsolated {
      let wasNamed = $0.ledger.named(by: id) != nil
      return (wasNamed, $0.ledger.name(for: id, of: invitation.inviter, by: session.id))
    }
    peer.host.reached(.acceptSentAgain, if: wasNamed)
    let (channel, next, terms) = session.assumeIsolated { session in
      if case .new(_, let replacement?) = naming {
        peer.host.reached(.inviterGaveUp)
        session.tell(id.inviter, .endRequested(replacement.departure, replacement.code))
      }
      let next = session.roster.nextSeniority
      session.roster.takeSeniority(max(invite.nextSeniority, 1))
      return (invitation.reliable ?? session.makeChannel(with: id.inviter), next, session.terms)
    }
    inbound[id]?.reliable = channel
    inbound[id]?.session = session
    let name = invitation.senderName
    session.assumeIsolated { $0.accepting(id.inviter, named: name) }
    send(
      Accept(
        invitation: id.invitation, session: session.id, membership: naming.membership,
        nextSeniority: next, grant: channel.position().grant, terms: terms), on: token)
  }

  // MARK: Reports

  func offer(_ id: InvitationTable.InboundID) {
    guard let inbound = inbound[id] else { return }
    let serviceType = inbound.invite.serviceType
    guard let advertiser = peer.assumeIsolated({ $0.advertiser(of: serviceType) }) else {
      return decline(id, .notAdvertising)
    }
    let timeout = Duration.milliseconds(Int64(clamping: inbound.invite.timeoutMilliseconds))
    let invitation = Invitation(
      id: id, inviter: inbound.inviter, senderName: inbound.senderName,
      context: inbound.invite.context,
      deadline: now + timeout, peer: advertiser.peer)
    self.inbound[id]?.invitation = invitation
    guard let session = advertiser.assumeIsolated({ $0.session(for: invitation) }) else {
      return advertiser.offer(invitation)
    }
    // Who is welcome finds a place, or hears that there is none.
    do { try beginAccepting(invitation, into: session, []) } catch { decline(id) }
  }

  func withdrawn(_ id: InvitationTable.InboundID, _ reason: InboundInvitationMachine.Reason) {
    inbound[id]?.invitation?.end(Invitation.Ending(reason))
    forgetIfEnded(id)  // Unless it is accepted in place of one of this peer.
  }

  /// An acceptance led to nothing.
  func failed(_ id: InvitationTable.InboundID, _ reason: InboundInvitationMachine.Reason) {
    guard let invitation = inbound[id] else { return }
    peer.host.reached(.waitForJoiningExpired, if: reason == .notJoined)
    let hasJoined = invitation.session.map { isMember(invitation.inviter, of: $0) } ?? false
    conclude(id, hasJoined ? .joined : .ended, ending: Invitation.Ending(reason))
  }

  /// An acceptance led to what comes about another way.
  func superseded(_ id: InvitationTable.InboundID) {
    guard let invitation = inbound[id] else { return }
    peer.host.reached(.crossedInvitations)
    invitation.reliable?.end()
    inbound[id]?.reliable = nil
    concludeIfJoined(id)
  }

  /// Ends an invitation whose inviter is a member already; otherwise its machine waits for that.
  func concludeIfJoined(_ id: InvitationTable.InboundID) {
    guard let invitation = inbound[id], let session = invitation.session else { return }
    let hasJoined = peer.assumeIsolated { [id = session.id] in
      $0.ledger.hasJoined(invitation.inviter, id)
    }
    if hasJoined { conclude(id, .joined) }
  }

  private func isMember(
    _ inviter: MembershipLedger.Inviter, of session: SessionCore
  ) -> Bool {
    peer.assumeIsolated { [id = session.id] in $0.ledger.isMember(inviter, of: id) }
  }

  // MARK: Saying no

  /// Declines an invitation that is not answered; as `full` after that was found, unless a reason is given.
  func decline(_ id: InvitationTable.InboundID, _ reason: DeclineReason? = nil) {
    guard let invitation = inbound[id], invitation.session == nil else { return }
    let reason = reason ?? (invitation.wasFull ? .full : .declined)
    invitation.invitation?.end(reason == .stopped ? .stopped : .declined)
    handle(.declineRequested(id, reason))
    forgetIfEnded(id)
  }

  func forgetIfEnded(_ id: InvitationTable.InboundID) {
    if inbound[id] != nil, !table.isOpen(id) { conclude(id, .ended) }
  }

  /// Lets a call go that was cancelled, and takes the acceptance back if it was the last one that waited.
  func giveUp(
    _ id: InvitationTable.InboundID, _ waiter: Promise<InboundInvitation.Acceptance>
  ) {
    waiter.fulfil(.cancelled)
    guard inbound[id] != nil else { return }
    inbound[id]?.waiters.removeAll { $0 === waiter }
    if inbound[id]?.waiters.isEmpty == true { takeBack(id, .cancelled) }
  }

  /// Takes an acceptance back: the sender is left, if it has joined meanwhile.
  func takeBack(_ id: InvitationTable.InboundID, _ acceptance: InboundInvitation.Acceptance) {
    guard let invitation = inbound[id], let session = invitation.session else { return }
    peer.host.reached(.acceptanceTakenBack)
    for waiter in invitation.waiters { waiter.fulfil(acceptance) }
    inbound[id]?.waiters = []
    if table.isAttaching(id) {
      conclude(id, acceptance)
      session.assumeIsolated { $0.remove(id.inviter) }
    } else {
      handle(.dismissRequested(id))
      forgetIfEnded(id)
    }
  }

  /// Answers that an inviter is a member, who may still be told so.
  private func fulfil(_ id: InvitationTable.InboundID) {
    guard let invitation = inbound[id] else { return }
    inbound[id]?.waiters = []
    invitation.invitation?.end(.accepted)
    for waiter in invitation.waiters { waiter.fulfil(.joined) }
  }

  /// Ends an invitation, of which the table hears so.
  func conclude(
    _ id: InvitationTable.InboundID, _ acceptance: InboundInvitation.Acceptance,
    ending: Invitation.Ending? = nil
  ) {
    guard let invitation = inbound.removeValue(forKey: id) else { return }
    if !invitation.isDeclined {
      let ending = acceptance == .joined ? .accepted : ending ?? invitation.invitation?.ending
      peer.log.noteEnded(invitation, from: id.inviter, (ending ?? .declined).rawValue)
    }
    peer.assumeIsolated { $0.ledger.close(id, isFulfilled: acceptance == .joined) }
    if invitation.isReserved { invitation.session?.unreserve(id.inviter) }
    if case .joined = acceptance {
      invitation.invitation?.end(.accepted)
    } else {
      invitation.invitation?.end(ending ?? .declined)
      invitation.reliable?.end()
      invitation.session?.assumeIsolated { $0.acceptanceFailed(of: id.inviter) }
    }
    for waiter in invitation.waiters { waiter.fulfil(acceptance) }
    guard let session = invitation.session else { return }
    if case .joined = acceptance {
      handle(.inviterJoined(id))
    } else {
      handle(.joiningFailed(id, session.id))
    }
  }
}

extension Invitation.Ending {
  fileprivate init(_ reason: InboundInvitationMachine.Reason) {
    self =
      switch reason {
      case .cancelled: .withdrawn
      case .timedOut, .unconfirmed, .notJoined: .timedOut
      case .superseded: .superseded
      case .dismissed: .declined
      }
  }
}
