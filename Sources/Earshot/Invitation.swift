/// A peer that asks us into a session.
///
/// Answer it once, with ``accept(into:)`` or ``decline()``. An invitation that is released without an
/// answer is declined; one that is not answered in time expires.
public final class Invitation: Sendable {
  /// Who asks.
  public var sender: PeerID { id.inviter }
  /// What the sender calls itself; decoration, not identity.
  public let senderName: String
  /// What the sender's application has to say; at most 16,384 bytes, as trustworthy as the sender.
  public let context: [UInt8]
  /// When the sender gives up, on our network's clock.
  public let deadline: Instant

  let id: InvitationDesk.InboundID
  private let peer: Peer

  init(
    id: InvitationDesk.InboundID, senderName: String, context: [UInt8], deadline: Instant,
    peer: Peer
  ) {
    self.id = id
    self.senderName = senderName
    self.context = context
    self.deadline = deadline
    self.peer = peer
  }

  deinit { peer.released(id) }

  /// Joins the sender's session.
  ///
  /// - Parameter session: A session of our own to be joined with the sender's; a new one by default.
  /// - Returns: The session, of which the sender is a member now.
  /// - Throws: `invitationEnded` when the sender gave up before it heard of our answer, or when the
  ///   invitation was answered before; `sessionFull`; `sessionEnded`; `cancelled`.
  @discardableResult
  public func accept(into session: Session? = nil) async throws(EarshotError) -> Session {
    try await peer.accept(self, into: session)
  }

  /// Says no.
  ///
  /// An invitation that has ended already stays as it is.
  public func decline() async { await peer.decline(id) }
}
