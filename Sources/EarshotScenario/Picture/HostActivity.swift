import EarshotSimulator

/// How much a host did in a run.
package struct HostActivity: Hashable, Sendable {
  /// The packets that it sent, received and did not receive.
  private(set) var (sent, received, lost) = (0, 0, 0)
  private(set) var (timers, notes) = (0, 0)
  /// The time of its last event.
  private(set) var last: Duration = .zero

  /// Counts an event of the host.
  mutating func add(_ event: TraceEvent) {
    switch event.kind {
    case .sent: sent += 1
    case .delivered: received += 1
    case .lost: lost += 1
    case .timer: timers += 1
    case .note: notes += 1
    case .fault: break
    }
    last = event.time - .zero
  }
}
