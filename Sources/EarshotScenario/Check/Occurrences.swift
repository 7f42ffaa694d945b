/// When something happened, by the peers that `each` stands for.
struct Occurrences {
  /// One time that it happened.
  struct Occurrence: Hashable {
    let time: Duration
    /// Its place in the timeline.
    let order: Int
  }
  private struct Pair: Hashable {
    let left: String?
    let right: String?
  }
  private var all: [Pair: [Occurrence]] = [:]

  /// What a timeline has of it.
  ///
  /// - Parameters:
  ///   - timeline: All that happened.
  ///   - left: Who saw it.
  ///   - right: Whom it was about.
  ///   - isMeant: Whether an entry is one, whatever peers it is about.
  init(
    in timeline: Timeline, _ left: Party, _ right: Party, where isMeant: (Timeline.Entry) -> Bool
  ) {
    let (lefts, rights) = (left.names.map { Set($0) }, right.names.map { Set($0) })
    for (order, entry) in timeline.entries.enumerated() where isMeant(entry) {
      guard let observer = entry.observer, let subject = entry.subject,
        lefts?.contains(observer) ?? true, rights?.contains(subject) ?? true
      else { continue }
      let pair = Pair(left: left.isEach ? observer : nil, right: right.isEach ? subject : nil)
      all[pair, default: []].append(Occurrence(time: entry.time, order: order))
    }
  }

  /// Those of the peers that were chosen, in the order of time.
  func of(_ peers: [String?]) -> [Occurrence] { all[Pair(left: peers[0], right: peers[1])] ?? [] }
}

extension [Occurrences.Occurrence] {
  /// Those from one time to another, both included; found by halving.
  func within(_ range: ClosedRange<Duration>) -> ArraySlice<Occurrences.Occurrence> {
    self[place { $0.time < range.lowerBound }..<place { $0.time <= range.upperBound }]
  }

  /// How many of the first ones are so; no later one is.
  private func place(_ isBefore: (Occurrences.Occurrence) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension EventPattern {
  /// Whether something is what is meant, whatever peers it is about.
  func matches(_ entry: Timeline.Entry) -> Bool {
    guard entry.kind.rawValue == kind.rawValue else { return false }
    guard let reason else { return true }
    return entry.detail == reason || entry.detail.hasPrefix("\(reason), ")
  }
}
