/// The place at which a loop over a stream of events begins.
public enum EventStart: Hashable, Sendable {
  /// At the first event that no loop has got yet.
  ///
  /// What such a loop gets, no later one gets.
  case unread
  /// At the present state, told as events, and from there on at every event that follows.
  ///
  /// What such a loop gets is there for other loops as well.
  case present
}
