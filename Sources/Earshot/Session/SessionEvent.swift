/// A change in who is a member of a session, or can be reached.
@nonexhaustive
public enum SessionEvent: Hashable, Sendable {
  /// A peer is about to become a member: its invitation is being accepted here, it has accepted one, or a member has
  /// introduced it.
  ///
  /// It is followed by `joined`, or by `left` when nothing comes of it.
  case joining(Member)
  /// A peer is connected: both sides can send from now on.
  case joined(Member)
  /// The link to a member broke. The session tries to take it up again for as long as its patience lasts;
  /// what is sent meanwhile is kept.
  case interrupted(Member, InterruptionReason)
  /// The link to a member is back, and nothing was lost.
  case resumed(Member)
  /// A member is gone for good, or a peer that was joining does not join; its state is the last one that it had.
  ///
  /// `undelivered` counts the messages that were sent to it and that its host has not acknowledged. It never counts too
  /// few. It may count too many: what arrived is among them when its acknowledgement did not come back before the end,
  /// because the link was broken, or because the time for leaving was over. A message that counts as delivered is in
  /// the hands of its host; its program may have ended before it took it.
  case left(Member, DepartureReason, undelivered: Int)
}

/// An event or a message of a session.
@nonexhaustive
public enum SessionActivity: Hashable, Sendable {
  /// A change of a member.
  case event(SessionEvent)
  /// A member sent a message.
  case message(Message)
}
