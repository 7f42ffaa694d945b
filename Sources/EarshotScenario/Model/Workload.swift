/// Messages that a peer sends at regular times.
package struct Workload: Hashable, Sendable {
  /// The receivers; empty for all members at the time of sending.
  package var receivers: [String] = []
  package var count = 1
  /// How many bytes a message has.
  package var size = 64
  package var every: Duration = .milliseconds(100)
  /// Whether they are sent reliably; others may be lost.
  package var isReliable = true
  /// When the first one is sent; waits for the first member if there is none yet.
  package var start: Duration = .zero
  /// The wait after which sending is cancelled; `nil` for never.
  package var cancel: Duration?
  /// In which of its sessions.
  package var session = SessionPlan.nameOfFirst
}
