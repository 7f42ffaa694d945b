package import EarshotSimulator

/// What is known of the run of a test besides its packets: its faults, and how much each host did.
package struct TestLog {
  /// The faults as the trace has them.
  private(set) var faults = FaultSpanLog()
  /// How much each host did, by its name.
  private(set) var activities: [String: HostActivity] = [:]

  /// A log without events.
  package init() {}

  /// Takes in an event of a trace.
  package mutating func add(_ event: TraceEvent) {
    faults.add(event)
    let host = event.kind == .delivered || event.kind == .lost ? event.to : event.from
    activities[host, default: HostActivity()].add(event)
  }
}

/// How much a host did in a run.
struct HostActivity: Hashable, Sendable {
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
