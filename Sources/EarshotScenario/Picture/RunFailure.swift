import EarshotCore
import EarshotSimulator

/// A failure of a run, with the moment that a picture shows of it.
package struct RunFailure: Hashable, Sendable {
  /// The expectation or the invariant that was violated.
  package let result: Verdict.Result
  /// When it happened, or by when something should have happened.
  package let time: Duration
  /// The peers concerned.
  let peers: Set<String>
  /// Whether something happened; otherwise something did not happen by the time.
  let isEvent: Bool

  /// The failures of a run, in the order of its report.
  package static func all(_ verdict: Verdict) -> [RunFailure] {
    verdict.results.filter { !$0.held }.map { RunFailure($0, of: verdict) }
  }

  /// The one place that finds the moment of a failure.
  private init(_ result: Verdict.Result, of verdict: Verdict) {
    let focus = result.focus(among: verdict.peers, in: verdict)
    self.result = result
    (time, peers, isEvent) = (focus.time, Set(focus.peers), focus.isEvent)
  }

  /// The number of the event that a picture selects: the last one of the peers up to the moment.
  ///
  /// Of something that happened, it is what was noted at the moment.
  ///
  /// - Parameter events: The events that are kept, in their order.
  /// - Returns: The number; `nil` without an event up to the moment.
  package func event(in events: [RecordedEvent]) -> Int? {
    let end = events.firstIndex { $0.time > time + .microseconds(1) } ?? events.count
    let past = events[..<end].reversed().lazy.map(\.event)
    let own = past.filter { $0.kind != .timer && peers.contains($0.from) }
    let noted = own.prefix { $0.time - Instant.zero >= time - .microseconds(1) }
      .first { $0.kind == .note }
    return (isEvent ? noted : nil)?.number ?? own.first?.number ?? past.first?.number
  }
}
