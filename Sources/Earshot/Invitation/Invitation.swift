import EarshotCore

/// A request of another peer to be joined with this one in a session.
///
/// Answer it once, with ``accept(into:)`` or ``decline(_:)``. An invitation that is released without an
/// answer is declined; one that is not answered in time expires. A program that shows it for a while
/// learns from ``waitForEnd()`` when the question is no longer worth an answer.
public final class Invitation: Sendable {
  /// The identifier of the peer that invites.
  public var sender: PeerID { id.inviter }
  /// The display name of the sender: decoration, not identity.
  public let senderName: String
  /// The data that the sender's application sent along: at most 16,384 bytes, as trustworthy as the sender.
  public let context: [UInt8]
  /// The time at which the sender stops waiting, on the clock of this peer's host.
  public let deadline: Instant

  /// A way in which an invitation ends.
  public enum Ending: String, Hashable, Sendable, CaseIterable {
    /// The sender is in the session that accepted it.
    case accepted
    /// This side declined it, took its acceptance back, or had it give way to newer ones.
    case declined
    /// The sender took it back.
    case withdrawn
    /// The sender waits no longer, or was not heard of again after it was accepted.
    case timedOut
    /// This side invited the sender meanwhile, and is joined with it by that.
    case superseded
    /// This peer was stopped.
    case stopped
  }

  let id: InvitationTable.InboundID
  let inviter: MembershipLedger.Inviter
  let peer: Peer
  private let conclusion = Conclusion<Ending>()

  init(
    id: InvitationTable.InboundID, inviter: MembershipLedger.Inviter, senderName: String,
    context: [UInt8],
    deadline: Instant, peer: Peer
  ) {
    self.id = id
    self.inviter = inviter
    self.senderName = senderName
    self.context = context
    self.deadline = deadline
    self.peer = peer
  }

  deinit { peer.core.released(.invitation(id)) }

  /// The way in which the invitation ended, or `nil` while it awaits an answer or the confirmation of one.
  public var ending: Ending? { conclusion.ending }

  /// Waits until the invitation has ended: answered, withdrawn, or timed out.
  ///
  /// - Returns: The way in which it ended, at once if it has already; `nil` if the task was
  ///   cancelled before.
  public func waitForEnd() async -> Ending? {
    defer { withExtendedLifetime(self) {} }
    return await conclusion.wait()
  }

  func end(_ ending: Ending) { conclusion.end(ending) }

  /// Joins the sender in a new session of this peer, or in the one into which it is being accepted already.
  ///
  /// The session is left when it is released, so keep it, or a loop over its events. In all else as
  /// ``accept(into:)``.
  ///
  /// - Returns: The session, of which the sender is a member now.
  /// - Throws: As ``accept(into:)``.
  public func accept() async throws(EarshotError) -> Session {
    try await peer.core.accept(self, into: nil)
  }

  /// Joins the sender's session with one of this peer.
  ///
  /// Accepting again while the first acceptance is under way waits for the same outcome. Once the sender is a
  /// member of the session, accepting into that session again returns it; a membership that the sender's former
  /// session has left behind is none. Cancelling the task takes the acceptance back, unless another call waits
  /// for it, too: the sender, if it has joined meanwhile, is left.
  ///
  /// - Parameter session: A session of this peer.
  /// - Returns: The session, of which the sender is a member now.
  /// - Throws: `invitationEnded` when the sender gave up before it heard of the answer, or when the
  ///   invitation was answered otherwise before; `sessionFull`, `suspended`, `cancelled` before it had an
  ///   effect: the invitation is still open then; `sessionEnded` or `stopped` also when that came meanwhile.
  @discardableResult
  public func accept(into session: Session) async throws(EarshotError) -> Session {
    try await peer.core.accept(self, into: session)
  }

  /// Declines the invitation.
  ///
  /// An invitation that was answered or has ended already stays as it is.
  ///
  /// - Parameter reason: What the sender is told; by default `declined`, or `full` after an attempt to accept the
  ///   invitation into a session without a free place.
  public func decline(_ reason: DeclineReason? = nil) async {
    await peer.core.decline(id, reason)
  }
}
