import EarshotSimulator

/// The hosts of a test, and how much each of them did.
struct TestHostTable {
  private let run: RunPicture
  private let log: TestLog

  init(_ run: RunPicture, _ log: TestLog) { (self.run, self.log) = (run, log) }

  /// The table.
  var html: String {
    PageParts.table(
      "All hosts; numbers of packets and events",
      [
        "host", "at the failure", "sent", "received", "lost on the way", "timers", "notes",
        "last event (s)",
      ], run.verdict.peers.map(row))
  }

  private func row(_ host: String) -> String {
    let activity = log.activities[host] ?? HostActivity()
    let time = run.failures.first?.time ?? run.verdict.virtualDuration
    let state = run.states.spans.last { $0.peer == host && $0.start <= time }?.state
    let cells = [
      host, state?.rawValue ?? "–", "\(activity.sent)", "\(activity.received)",
      "\(activity.lost)", "\(activity.timers)", "\(activity.notes)",
      activity.last.plainSecondsText,
    ]
    return PageParts.row(cells)
  }
}

/// The faults of a test.
struct TestFaultTable {
  private let run: RunPicture

  init(_ run: RunPicture) { self.run = run }

  /// The table; empty without faults.
  var html: String {
    guard !run.faults.isEmpty else { return "" }
    let shown = run.faults.prefix(Self.rowsMax)
    let caption =
      shown.count < run.faults.count
      ? "The first \(shown.count) of \(run.faults.count)" : "All faults"
    return PageParts.table(caption, ["from (s)", "to (s)", "fault"], shown.map(row))
  }

  private func row(_ fault: FaultSpan) -> String {
    let cells = [fault.start.plainSecondsText, fault.end.plainSecondsText, fault.phrase]
    return PageParts.row(cells)
  }

  private static let rowsMax = 300
}
