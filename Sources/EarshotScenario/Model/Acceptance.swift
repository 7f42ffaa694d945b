package import EarshotCore

/// What a peer says to invitations.
package enum Acceptance: Hashable, Sendable {
  case always, never, decline
  /// Answers after a time.
  case late(LateAnswer)
  /// Accepts with this chance, declines otherwise.
  case chance(Ratio)
}

/// An answer that takes its time.
package struct LateAnswer: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case accept, decline
    /// Lets the invitation go without an answer.
    case release
    /// Accepts and declines at once.
    case both
  }
  package var after: Duration = .zero
  package var kind = Kind.accept
  /// The wait after which accepting is cancelled; `nil` for never.
  package var cancel: Duration?
}
