import EarshotNetwork

/// Which of its session's sources of messages it is, former ones included.
struct MessageSourceID: Hashable, Sendable { let rawValue: UInt64 }

/// Where messages come from, and what gets their room back once the program has taken them.
protocol MessageSource: AnyObject, Sendable {
  var id: MessageSourceID { get }

  /// Takes note that every consumer has taken some messages.
  func release(messages: Int, bytes: Int, at now: Instant)
}
