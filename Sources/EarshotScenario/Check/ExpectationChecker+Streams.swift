import EarshotSimulator

extension ExpectationChecker {
  /// Whether the streams that were opened within a window were read, and ended, as they must by its
  /// end.
  func streamed(_ pattern: StreamPattern, _ window: Window, _ scope: Scope) -> Finding {
    guard scope.hasLinks(from: pattern.from, to: pattern.to) else { return Scope.noLink }
    let flows = streams.flows.filter {
      pattern.contains($0) && window.contains($0.opened)
        && scope.contains($0.direction.from, $0.direction.to)
    }
    let read = flows.reduce(0) { $0 + $1.read(by: window.upperBound) }
    let planned = flows.reduce(0) { $0 + $1.planned }
    guard !flows.isEmpty else {
      let isRight = pattern.delivery?.allowsNone ?? false && pattern.ending == nil
      return (isRight, "no stream was opened")
    }
    let amount = "\(read) of \(planned) bytes read"
    if let wanted = pattern.ending,
      let other = flows.first(where: { $0.ending(by: window.upperBound) != wanted })
    {
      let end = other.ending(by: window.upperBound).map { "ended as \($0.rawValue)" } ?? "goes on"
      return (false, "one of \(flows.count) \(end); \(amount)")
    }
    switch pattern.delivery {
    case .all:
      let open = flows.count { $0.isEndPlanned && $0.ending(by: window.upperBound) != .complete }
      guard read == planned, open > 0 else { return (read == planned, amount) }
      return (false, "\(amount), and \(open) of \(flows.count) not to the end")
    case .share(let share):
      let seen = planned == 0 ? .one : Ratio(Double(read) / Double(planned)) ?? .zero
      return (seen >= share, amount + (seen >= share ? "" : ", not \(share)"))
    case .count(let count):
      return (count.allows(read), amount + (count.allows(read) ? "" : ", not \(count.size)"))
    case nil: return (true, amount)
    }
  }
}

extension StreamLog.Flow {
  /// How it had ended for the reader by a time; `nil` if it went on.
  fileprivate func ending(by time: Duration) -> Verdict.Stream.Ending? {
    readerEnd.flatMap { $0.time <= time ? $0.ending : nil }
  }
}
