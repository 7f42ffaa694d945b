extension PeerCore {
  func accept(
    _ invitation: Invitation, into given: Session?
  ) async throws(EarshotError) -> Session {
    try checkRunning()
    if Task.isCancelled { throw Self.cancelled }
    let (id, waiter) = (invitation.id, Promise<PeerInvitations.Acceptance>())
    let session = try answer(invitation, into: given, waiter)
    let acceptance = await waiter.value {
      cancellations.add(.accepting(id, waiter))
      attention.raise()
    }
    switch acceptance {
    case .joined: return session
    case .ended: throw Self.ended(invitation)
    case .sessionEnded:
      throw EarshotError(.sessionEnded, "The session was left before the sender had joined it.")
    case .stopped: throw Self.stopped(name)
    case .cancelled: throw Self.cancelled
    }
  }

  /// Has a call wait for the sender; answers with the session that it will be in.
  private func answer(
    _ invitation: Invitation, into given: Session?, _ waiter: Promise<PeerInvitations.Acceptance>
  ) throws(EarshotError) -> Session {
    if let accepted = invitations.incoming[invitation.id]?.session {
      let session = accepted.assumeIsolated { $0.handle }
      guard let session, given == nil || given === session else { throw Self.ended(invitation) }
      invitations.incoming[invitation.id]?.waiters.append(waiter)
      return session
    }
    if invitations.incoming[invitation.id] != nil {
      let session = if let given { given } else { Session(try makeSession(), of: invitation.peer) }
      try beginAccepting(invitation, into: session.core, waiter)
      return session
    }
    guard let given, isOpen(given.core) else { throw Self.ended(invitation) }
    awaitMember(invitation.inviter, in: given.core, waiter)
    return given
  }

  private func beginAccepting(
    _ invitation: Invitation, into session: SessionCore,
    _ waiter: Promise<PeerInvitations.Acceptance>
  ) throws(EarshotError) {
    let id = invitation.id
    guard isOpen(session) else {
      throw EarshotError(.sessionEnded, "That is no open session of \(name).")
    }
    switch reserve(invitation.sender, in: session) {
    case .full:
      invitations.incoming[id]?.wasFull = true
      throw EarshotError(.sessionFull, "The session has no seat left; accept into another one.")
    case .reserved: invitations.incoming[id]?.isReserved = true
    case .ourselves, .alreadyMember: break
    }
    invitations.incoming[id]?.session = session
    invitations.incoming[id]?.waiters = [waiter]
    handle(.acceptRequested(id, session.id))
    if session.assumeIsolated({ $0.isMember(invitation.inviter) }) { fulfil(id) }
  }

  /// Answers once it is known whether a peer is a member of a session, or about to become one by other means
  /// than an invitation.
  private func awaitMember(
    _ inviter: Inviter, in session: SessionCore, _ waiter: Promise<PeerInvitations.Acceptance>
  ) {
    session.assumeIsolated { session in
      session.whenJoined(inviter, isComing: false) { isMember in
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

  // MARK: Saying no

  func decline(_ id: InvitationTable.InboundID) {
    decline(id, invitations.incoming[id]?.wasFull == true ? .full : .declined)
  }

  func decline(_ id: InvitationTable.InboundID, _ reason: DeclineReason) {
    guard let incoming = invitations.incoming[id], incoming.session == nil else { return }
    incoming.invitation?.end(reason == .stopped ? .stopped : .declined)
    handle(.declineRequested(id, reason))
    forgetIfEnded(id)
  }

  func forgetIfEnded(_ id: InvitationTable.InboundID) {
    guard let incoming = invitations.incoming[id], incoming.joining == nil else { return }
    if !invitations.table.isOpen(id) { conclude(id, .ended) }
  }

  /// Lets a call go that was cancelled, and takes the acceptance back if it was the last one that waited.
  func giveUp(
    _ id: InvitationTable.InboundID, _ waiter: Promise<PeerInvitations.Acceptance>
  ) {
    waiter.fulfil(.cancelled)
    guard invitations.incoming[id] != nil else { return }
    invitations.incoming[id]?.waiters.removeAll { $0 === waiter }
    if invitations.incoming[id]?.waiters.isEmpty == true { takeBack(id, .cancelled) }
  }

  /// Takes an acceptance back: the sender is left, if it has joined meanwhile.
  func takeBack(_ id: InvitationTable.InboundID, _ acceptance: PeerInvitations.Acceptance) {
    guard let incoming = invitations.incoming[id], let session = incoming.session else { return }
    for waiter in incoming.waiters { waiter.fulfil(acceptance) }
    invitations.incoming[id]?.waiters = []
    switch incoming.joining {
    case .attaching:
      conclude(id, acceptance)
      session.assumeIsolated { $0.remove(id.inviter) }
    case .otherwise: conclude(id, acceptance)
    case nil:
      handle(.dismissRequested(id))
      forgetIfEnded(id)
    }
  }

  /// Answers that an inviter is a member, who may still be told so.
  private func fulfil(_ id: InvitationTable.InboundID) {
    guard let incoming = invitations.incoming[id] else { return }
    invitations.incoming[id]?.waiters = []
    incoming.invitation?.end(.accepted)
    for waiter in incoming.waiters { waiter.fulfil(.joined) }
  }

  /// Ends an invitation that the table knows no longer.
  func conclude(
    _ id: InvitationTable.InboundID, _ acceptance: PeerInvitations.Acceptance,
    ending: Invitation.Ending? = nil
  ) {
    guard let incoming = invitations.incoming.removeValue(forKey: id) else { return }
    if incoming.isReserved { incoming.session?.unreserve(id.inviter) }
    if case .joined = acceptance {
      incoming.invitation?.end(.accepted)
    } else {
      incoming.invitation?.end(ending ?? .declined)
      incoming.stream?.end()
      forgetAcceptance(incoming, of: id.inviter)
      if case .attaching? = incoming.joining, let session = incoming.session {
        handle(.attachingFailed(id, session.id))
      }
    }
    for waiter in incoming.waiters { waiter.fulfil(acceptance) }
  }

  /// Has an inviter that confirms too late hear so.
  private func forgetAcceptance(_ incoming: PeerInvitations.Incoming, of inviter: PeerID) {
    let remote = incoming.invite.session
    guard let session = incoming.session, let membership = incoming.membership,
      !session.assumeIsolated({ $0.isMember(inviter, remote, by: membership) })
    else { return }
    ended.remember(membership, of: session.pair(inviter, remote), .expired)
  }
}
