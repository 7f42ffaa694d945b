extension Peer {
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
}
