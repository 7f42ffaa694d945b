/// How an invitation ended, for the peer that sent it.
@nonexhaustive
public enum InvitationOutcome: String, Hashable, Sendable, CaseIterable {
  /// The invited peer is a member of the session.
  case accepted
  /// The invited peer declined.
  case declined
  /// The invited peer did not answer in time.
  case timedOut
  /// The invited peer could not be reached.
  case unreachable
  /// The invited peer has too many open invitations.
  case busy
  /// One of the two sessions has no place left.
  case full
  /// The invited peer does not advertise the service, or speaks another version of the protocol.
  case mismatch
  /// One of the two does not trust the other: the invited peer this one, and its program has not read the invitation; or
  /// this peer the invited one, whose name belongs to another key.
  case untrusted
  /// The invitation was withdrawn, or the session ended.
  case cancelled
}
