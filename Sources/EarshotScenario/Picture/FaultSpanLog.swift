import EarshotSimulator

/// The faults of a run as its trace has them, from their beginnings to their ends.
///
/// For runs without a timeline. Faults of plans and those that a test injects are alike.
struct FaultSpanLog {
  private struct Entry {
    let event: TraceEvent
    var end: Duration?
  }
  private var entries: [Entry] = []

  /// The faults, in the order in which they began.
  ///
  /// - Parameter end: The end of the run, which is that of faults that go on.
  /// - Returns: The faults.
  func spans(until end: Duration) -> [FaultSpan] {
    entries.map { entry in
      FaultSpan(phrase: entry.event.phrase, start: entry.event.time - .zero, end: entry.end ?? end)
    }
  }

  /// Takes in an event of a trace.
  mutating func add(_ event: TraceEvent) {
    guard event.kind == .fault else { return }
    let host = event.from
    switch event.label {
    case "ended": end(at: event) { $0.from == host && $0.detail == event.detail }
    case "heal":
      end(at: event) { open in
        (open.label == "cut" || open.label == "partition")
          && (open.from, open.to, open.detail) == (host, event.to, event.detail)
      }
    case "restart": end(at: event) { $0.from == host && $0.label == "crash" }
    case "resume":
      end(at: event) { $0.from == host && ($0.label == "suspend" || $0.label == "freeze") }
    case "readdress": begin(Entry(event: event, end: event.time - .zero))
    default: begin(Entry(event: event, end: nil))
    }
  }

  private mutating func begin(_ entry: Entry) {
    if entries.count < Self.entriesMax { entries.append(entry) }
  }

  /// Ends the fault that began last of those that are meant.
  private mutating func end(at event: TraceEvent, _ isMeant: (TraceEvent) -> Bool) {
    let place = entries.lastIndex { $0.end == nil && isMeant($0.event) }
    if let place { entries[place].end = event.time - .zero }
  }

  private static let entriesMax = 10_000
}

extension TraceEvent {
  /// A fault in words: its description, or its name and its hosts.
  fileprivate var phrase: String {
    if !detail.isEmpty { return label == "partition" ? "\(label) \(detail)" : detail }
    return to.isEmpty ? "\(label) of \(from)" : "\(label) \(from) → \(to)"
  }
}
