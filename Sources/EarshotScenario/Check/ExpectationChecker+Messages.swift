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
    let counted = pattern.delivery.map { delivered($0, isWanted, window) }
    guard !pattern.latency.isEmpty else { return counted ?? (true, "") }
    if let counted, !counted.held { return counted }
    let timely = timely(pattern.latency, isWanted, window)
    return counted.map { (timely.held, "\($0.observed); \(timely.observed)") } ?? timely
  }

  private func delivered(
    _ delivery: MessagePattern.Delivery, _ isWanted: (Traffic.Series) -> Bool, _ window: Window
  ) -> Finding {
    let (sent, delivered) = traffic.count(isWanted, in: window)
    switch delivery {
    case .all:
      let observed = sent > 0 ? "\(delivered) of \(sent) delivered" : "nothing was sent"
      return (sent > 0 && delivered == sent, observed)
    case .share(let share):
      guard sent > 0 else { return (false, "nothing was sent") }
      let isEnough = Ratio(Double(delivered) / Double(sent)).map { $0 >= share } ?? false
      let missed = isEnough ? "" : ", not \(share)"
      return (isEnough, "\(delivered) of \(sent) delivered\(missed)")
    case .count(let count):
      // It speaks of that number, whatever was sent.
      let isRight = count.allows(delivered)
      let missed = isRight ? "" : ", not \(count.amount)"
      return (isRight, "\(delivered) arrived\(missed); \(sent) sent")
    }
  }

  /// Whether messages were as fast as they must be: those that never arrived took to the end of the run at least.
  private func timely(
    _ limits: [MessagePattern.LatencyLimit], _ isWanted: (Traffic.Series) -> Bool, _ window: Window
  ) -> Finding {
    let delays = traffic.delays(isWanted, sentIn: window, until: end)
    guard !delays.isEmpty else { return (false, "nothing was sent, or nothing has arrived") }
    let seen = limits.map { limit in
      (limit, delay: delays[max(0, (delays.count * limit.percentile + 99) / 100 - 1)])
    }
    let late = seen.first { $0.delay > $0.0.limit }
    let phrases = (late.map { [$0] } ?? seen).map { limit, delay in
      "\(limit.percentile)% within \(Quantity.moment(delay))"
    }
    let missed = late.map { ", not \(Quantity.moment($0.0.limit))" } ?? ""
    return (late == nil, phrases.joined(separator: ", ") + missed)
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
    for couple in couples.map({ Direction($0.0, $0.1) }) {
      guard let seen = spans[couple.couple] else { continue }
      let gaps = LinkPhases(seen, until: end).all.drop { !$0.isUp }.filter { !$0.isUp }
      let lengths = gaps.map { gap in
        max(.zero, min(gap.end, window.upperBound) - max(gap.start, window.lowerBound))
      }
      longest.raise(to: lengths.max() ?? .zero, of: couple)
      total.raise(to: lengths.reduce(.zero, +), of: couple)
    }
    let isRight =
      limit.total.map { total.length <= $0 } ?? true
      && limit.longest.map { longest.length <= $0 } ?? true
    if spans.isEmpty || couples.isEmpty { return (isRight, "never connected") }
    return (isRight, "\(total.phrase) in all, \(longest.phrase) at a time")
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
