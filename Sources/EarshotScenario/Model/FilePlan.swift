/// A file that a peer sends.
package struct FilePlan: Hashable, Sendable {
  /// The label under which it is offered, unique among the files of its peer.
  package var name = FilePlan.nameOfMost
  /// The members that get it; empty for all members at the time of sending.
  package var receivers: [String] = []
  /// How many bytes it has.
  package var bytes = 1 << 20
  /// When it is sent; waits for the first member if there is none yet.
  package var start: Duration = .zero
  /// When the program pauses the transfer; `nil` for never.
  package var pause: ClosedRange<Duration>?
  /// How long after its offer the program cancels the transfer; `nil` for never.
  package var cancel: Duration?
  /// In which of its sessions.
  package var session = SessionPlan.nameOfFirst

  /// The name of a file that the scenario gives none.
  package static let nameOfMost = "file.bin"
}

/// How a program treats files that members offer.
package struct FileReceiving: Hashable, Sendable {
  /// The answer to an offer.
  package enum Answer: String, Hashable, Sendable, CaseIterable {
    /// The program accepts.
    case accept
    /// The session accepts by a rule, and the program where the rule cannot be carried out.
    case policy
    /// The program declines.
    case decline
    /// The program lets go of the offer.
    case release
    /// The program keeps the offer, and never answers.
    case never
  }
  package var answer = Answer.accept
  /// The wait before the program answers.
  package var after: Duration = .zero
  /// The reason that a program gives when it declines.
  package var reason = ""
  /// When the program pauses what it receives; `nil` for never.
  package var pause: ClosedRange<Duration>?
  /// How long after its acceptance the program cancels a transfer; `nil` for never.
  package var cancel: Duration?
}
