import EarshotSimulator

extension ExpectationChecker {
  func delivered(_ pattern: MessagePattern, _ window: Window, _ scope: Scope) -> Finding {
    let (senders, receivers) = (Set(pattern.from), Set(pattern.to))
    let isWanted = { (series: Traffic.Series) in
      let direction = series.direction
      return senders.contains(direction.from) && receivers.contains(direction.to)
        && scope.contains(direction.from, direction.to)
        && pattern.isReliable.map { $0 == series.isReliable } ?? true
    }
    guard scope.hasLinks(from: pattern.from, to: pattern.to) else { return Scope.noLink }
    let meant = Meant(isWanted: isWanted, window: window, pattern: pattern)
    let counted = pattern.delivery.map { delivered($0, meant) }
    guard !pattern.latency.isEmpty else { return counted ?? .held("") }
    if let counted, !counted.held { return counted }
    var timely = timely(pattern.latency, meant)
    if let counted { timely.observed = "\(counted.observed); \(timely.observed)" }
    return timely
  }

  /// The messages that are meant.
  private struct Meant {
    let isWanted: (Traffic.Series) -> Bool
    let window: Window
    let pattern: MessagePattern

    /// The focus pairs where there is no message to name.
    var pairs: [Verdict.Focus.Pair] { ExpectationChecker.pairs(pattern.from, pattern.to) }
  }

  private func delivered(
    _ delivery: MessagePattern.Delivery, _ meant: Meant
  ) -> Finding {
    let (sent, delivered) = traffic.count(meant.isWanted, in: meant.window)
    func finding(_ isRight: Bool, _ observed: String, most: Int? = nil) -> Finding {
      isRight ? .held(observed) : .missed(observed, focus(on: meant, most: most))
    }
    switch delivery {
    case .all:
      let observed = sent > 0 ? "\(delivered) of \(sent) delivered" : "nothing was sent"
      return finding(sent > 0 && delivered == sent, observed)
    case .share(let share):
      guard sent > 0 else { return finding(false, "nothing was sent") }
      let isEnough = Ratio(Double(delivered) / Double(sent)).map { $0 >= share } ?? false
      let missed = isEnough ? "" : ", not \(share)"
      return finding(isEnough, "\(delivered) of \(sent) delivered\(missed)")
    case .count(let count):
      // It speaks of that number, whatever was sent.
      let isRight = count.allows(delivered)
      let missed = isRight ? "" : ", not \(count.amount)"
      return finding(
        isRight, "\(delivered) arrived\(missed); \(sent) sent",
        most: delivered >= count.atLeast ? count.atMost : nil)
    }
  }

  /// The focus of messages of which too few have arrived by the end of their window, or one more than so many.
  private func focus(on meant: Meant, most: Int?) -> Verdict.Focus {
    let (window, end) = (meant.window, meant.window.upperBound)
    let sent = traffic.messages(meant.isWanted, sentIn: window)
    if let most {
      let arrivals = sent.compactMap(\.arrived).filter { $0 <= end }.sorted()
      let late = sent.first { $0.arrived == arrivals[most] }.map { [$0] } ?? []
      return Verdict.Focus(
        .excess, at: arrivals[most], isEvent: true, note: Recorder.receivedLabel,
        pairs: Self.pairs(of: late), messages: late)
    }
    let missing = sent.filter { $0.arrived.map { $0 > end } ?? true }
    guard let first = missing.first else {
      return absence(sent.isEmpty ? .absent : .missing, by: end, meant.pairs)
    }
    var focus = absence(by: end, Self.pairs(of: missing), missing)
    // A parting before the first of them was sent is not why.
    if focus.time < first.sent { (focus.time, focus.isEvent, focus.note) = (end, false, nil) }
    return focus
  }

  private static func pairs(of messages: [Verdict.Focus.Message]) -> [Verdict.Focus.Pair] {
    var seen: Set<Verdict.Focus.Pair> = []
    return messages.map { Verdict.Focus.Pair($0.from, $0.to) }.filter { seen.insert($0).inserted }
  }

  /// Whether messages were as fast as they must be: those that never arrived took to the end of the run at least.
  private func timely(_ limits: [MessagePattern.LatencyLimit], _ meant: Meant) -> Finding {
    let delays = traffic.delays(meant.isWanted, sentIn: meant.window, until: end)
    guard !delays.isEmpty else {
      return .missed(
        "nothing was sent, or nothing has arrived",
        absence(.absent, by: meant.window.upperBound, meant.pairs))
    }
    let seen = limits.map { limit in
      (limit, delay: delays[max(0, (delays.count * limit.percentile + 99) / 100 - 1)])
    }
    let late = seen.first { $0.delay > $0.0.limit }
    let phrases = (late.map { [$0] } ?? seen).map { limit, delay in
      "\(limit.percentile)% within \(Quantity.moment(delay))"
    }
    guard let limit = late?.0 else { return .held(phrases.joined(separator: ", ")) }
    let observed = "\(phrases.joined(separator: ", ")), not \(Quantity.moment(limit.limit))"
    return .missed(observed, focus(on: meant, over: limit, count: delays.count))
  }

  /// The focus of messages of which too many were late: when the one was late that was too many.
  private func focus(
    on meant: Meant, over limit: MessagePattern.LatencyLimit, count: Int
  ) -> Verdict.Focus {
    let allowed = count - (count * limit.percentile + 99) / 100
    let late = traffic.messages(meant.isWanted, sentIn: meant.window)
      .filter { ($0.arrived ?? end) - $0.sent > limit.limit }
      .filter { $0.arrived != nil || traffic.allSeries[$0.series].isReliable }
    let decisive = late.dropFirst(allowed).first ?? late.last
    let messages = decisive.map { first in [first] + late.filter { $0 != first } } ?? late
    return Verdict.Focus(
      .late, at: decisive.map { $0.sent + limit.limit } ?? end,
      pairs: Self.pairs(of: messages), messages: messages)
  }

  // MARK: Outages

  /// Whether no two peers were without a connection for too long, from the first one on.
  func interrupted(
    _ couples: [(String, String)], _ limit: OutageLimit, _ window: Window, _ scope: Scope
  ) -> Finding {
    let spans = Dictionary(
      grouping: MembershipSpans(timeline).all.filter {
        scope.session == nil || scope.session == $0.key.session
      }
    ) { Direction($0.key.observer, $0.key.subject).couple }
    var (longest, total) = (Outage(), Outage())
    var excess: [(time: Duration, couple: Direction)] = []
    for couple in couples.map({ Direction($0.0, $0.1) }) {
      guard let seen = spans[couple.couple] else { continue }
      let gaps = LinkPhases(seen, until: end).all.drop { !$0.isUp }.filter { !$0.isUp }
        .map { (start: max($0.start, window.lowerBound), end: min($0.end, window.upperBound)) }
        .filter { $0.start < $0.end }
      let lengths = gaps.map { $0.end - $0.start }
      longest.raise(to: lengths.max() ?? .zero, of: couple)
      total.raise(to: lengths.reduce(.zero, +), of: couple)
      if let time = limit.excess(of: gaps) { excess.append((time, couple)) }
    }
    let observed =
      spans.isEmpty || couples.isEmpty
      ? "never connected" : "\(total.phrase) in all, \(longest.phrase) at a time"
    guard let first = excess.min(by: { $0.time < $1.time }) else { return .held(observed) }
    let pairs = excess.sorted { $0.time < $1.time }
      .map { Verdict.Focus.Pair($0.couple.from, $0.couple.to) }
    return .missed(observed, Verdict.Focus(.late, at: first.time, pairs: pairs))
  }

  /// How long two peers were without a connection.
  private struct Outage {
    var length = Duration.zero
    var couple: Direction?

    /// Keeps the longer one.
    mutating func raise(to length: Duration, of couple: Direction) {
      if length > self.length { (self.length, self.couple) = (length, couple) }
    }

    var phrase: String {
      Quantity.moment(length) + (couple.map { " (\($0.from)–\($0.to))" } ?? "")
    }
  }
}

extension OutageLimit {
  /// When gaps, which are in order, have become too long at a time or in all; `nil` if they have not.
  fileprivate func excess(of gaps: [(start: Duration, end: Duration)]) -> Duration? {
    var sum = Duration.zero
    for gap in gaps {
      let length = gap.end - gap.start
      let allowed = min(longest ?? length, total.map { $0 - sum } ?? length)
      if length > allowed { return gap.start + allowed }
      sum += length
    }
    return nil
  }
}
