/// The reason why a member is gone for good.
@nonexhaustive
public enum DepartureReason: String, Hashable, Sendable, CaseIterable {
  /// The member left the session, and said so.
  case left
  /// The link to the member broke and did not come back within the session's patience, or the member had given
  /// this peer up when it could be reached again.
  case lost
  /// The member came back without its memory of this session, or with another session: it was restarted.
  case restarted
  /// One of the two peers removed the other.
  case removed
  /// More peers had joined the group than fit, and one of the two had to go.
  case full
  /// The member broke the protocol.
  case violation
  /// This peer left the session.
  case disconnected
  /// The peer was joining and never joined: it could not be reached, or had given up before.
  case unreachable
}

/// The reason why the link to a member broke.
@nonexhaustive
public enum InterruptionReason: String, Hashable, Sendable, CaseIterable {
  /// The transport ended: the member's process died, or its system closed the connection.
  case linkBroken
  /// Nothing was heard for too long.
  case silence
  /// The member said that it is being suspended.
  case suspending
  /// This peer is being suspended.
  case suspended
}
