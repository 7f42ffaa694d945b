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
    return try await invitations.invite(
      peer, to: session, context: context, timeout: timeout, for: serviceType, at: endpoints)
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

  func accept(
    _ invitation: Invitation, into session: Session?
  ) async throws(EarshotError) -> Session {
    try await invitations.accept(invitation, into: session)
  }

  func decline(_ id: InvitationTable.InboundID) { invitations.assumeIsolated { $0.decline(id) } }
}
