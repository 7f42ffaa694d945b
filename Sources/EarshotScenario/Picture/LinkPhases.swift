/// When two peers had each other as members of one session, with links that were up.
struct LinkPhases: Hashable {
  /// A time in which it was so, or was not.
  struct Phase: Hashable {
    let isUp: Bool
    let start: Duration
    var end: Duration

    var length: Duration { end - start }
  }
  /// All phases of a run, in the order of time; of two neighbours one is up.
  private(set) var all: [Phase] = []
  /// The end of the run.
  let end: Duration

  /// One end begins or ceases to have a link to the other.
  private struct Change {
    let time: Duration
    let side: MembershipSpan.Key
    let amount: Int
  }

  /// The phases, from what both of them saw of each other.
  init(_ spans: [MembershipSpan], until end: Duration) {
    self.end = end
    let changes = spans.flatMap { Self.changes($0, until: end) }.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    var links: [MembershipSpan.Key: Int] = [:]
    var (isUp, start) = (false, Duration.zero)
    for (index, change) in changes.enumerated() {
      links[change.side, default: 0] += change.amount
      // What happens at one instant counts as a whole.
      if index + 1 < changes.count, changes[index + 1].time == change.time { continue }
      let isUpNow = links.contains { $0.value > 0 && links[$0.key.opposite] ?? 0 > 0 }
      guard isUpNow != isUp else { continue }
      append(isUp, start, change.time)
      (isUp, start) = (isUpNow, change.time)
    }
    append(isUp, start, end)
  }

  private mutating func append(_ isUp: Bool, _ start: Duration, _ end: Duration) {
    if end > start { all.append(Phase(isUp: isUp, start: start, end: end)) }
  }

  private static func changes(_ span: MembershipSpan, until end: Duration) -> [Change] {
    let last = min(span.end ?? end, end)
    var changes = [Change(time: span.start, side: span.key, amount: 1)]
    for interruption in span.interruptions where interruption.start < last {
      changes.append(Change(time: interruption.start, side: span.key, amount: -1))
      changes.append(Change(time: min(interruption.end ?? last, last), side: span.key, amount: 1))
    }
    return changes + [Change(time: last, side: span.key, amount: -1)]
  }
}

extension MembershipSpan.Key {
  /// What the subject sees of the observer.
  fileprivate var opposite: MembershipSpan.Key {
    reversed
  }
}
