struct PeerInvitations {
  init(of: PeerID, _ c: Peer.Configuration) {}
}
struct OpeningLink { }
extension Peer: ListenerHandler {
  public nonisolated func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)? { nil }
  public nonisolated func listener(_ listener: any Listener, failed error: NetworkError) {}
  func startInvitationTimer() {}
  func endInvitations(_ o: InvitationOutcome) {}
  func withdrawInvitations(to s: Session) {}
  func endpoints(of: PeerID, besides: [Endpoint]) -> [Endpoint] { besides }
  func accept(_ i: Invitation, into: Session?) async throws(EarshotError) -> Session { throw EarshotError(.stopped, "") }
  func decline(_ i: InvitationID) {}
  nonisolated func released(_ i: InvitationID) {}
}
