/// A fault of a scenario, from its beginning to its end.
package struct FaultSpan: Hashable, Sendable {
  /// The fault in words.
  package let phrase: String
  package let start: Duration
  /// Its end, or that of the run.
  package var end: Duration

  /// The faults of a run, in the order in which they began.
  ///
  /// The end of a fault is that of the one that began last under its name and has not ended.
  package static func all(_ verdict: Verdict) -> [FaultSpan] {
    var spans: [FaultSpan] = []
    var open: [String: [Int]] = [:]
    for entry in verdict.timeline.entries {
      if entry.kind == .fault {
        open[entry.detail, default: []].append(spans.count)
        spans.append(
          FaultSpan(phrase: entry.detail, start: entry.time, end: verdict.virtualDuration))
      } else if entry.kind == .faultEnded, let place = open[entry.detail]?.popLast() {
        spans[place].end = entry.time
      }
    }
    return spans
  }
}
