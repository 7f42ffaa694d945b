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
    let end = window.upperBound
    guard !flows.isEmpty else {
      let isRight = pattern.delivery?.allowsNone ?? false && pattern.ending == nil
      return isRight
        ? .held("no stream was opened")
        : .missed(
          "no stream was opened", absence(.absent, by: end, Self.pairs(pattern.from, pattern.to)))
    }
    let amount = "\(read) of \(planned) bytes read"
    if let wanted = pattern.ending,
      let other = flows.first(where: { $0.ending(by: end) != wanted })
    {
      let words = other.ending(by: end).map { "ended as \($0.rawValue)" } ?? "goes on"
      return .missed(
        "one of \(flows.count) \(words); \(amount)", focus(on: other, by: end, wanting: wanted))
    }
    func finding(_ isRight: Bool, _ observed: String, isTooMuch: Bool = false) -> Finding {
      guard !isRight else { return .held(observed) }
      guard !isTooMuch else {
        let last = flows.flatMap(\.reads).map(\.time).filter { $0 <= end }.max() ?? end
        let pairs = flows.map { Verdict.Focus.Pair($0.direction.from, $0.direction.to) }
        return .missed(observed, Verdict.Focus(.excess, at: last, isEvent: true, pairs: pairs))
      }
      let late = flows.first { $0.read(by: end) < $0.planned || $0.ending(by: end) != .complete }
      return .missed(observed, focus(on: late ?? flows[0], by: end))
    }
    switch pattern.delivery {
    case .all:
      let open = flows.count { $0.isEndPlanned && $0.ending(by: end) != .complete }
      guard read == planned, open > 0 else { return finding(read == planned, amount) }
      return finding(false, "\(amount), and \(open) of \(flows.count) not to the end")
    case .share(let share):
      let seen = planned == 0 ? .one : Ratio(Double(read) / Double(planned)) ?? .zero
      return finding(seen >= share, amount + (seen >= share ? "" : ", not \(share)"))
    case .count(let count):
      return finding(
        count.allows(read), amount + (count.allows(read) ? "" : ", not \(count.size)"),
        isTooMuch: read > count.atMost ?? .max)
    case nil: return .held(amount)
    }
  }

  /// The focus on a stream that was not read, or has not ended, as it had to by a time.
  private func focus(
    on flow: StreamLog.Flow, by end: Duration, wanting wanted: Verdict.Stream.Ending = .complete
  ) -> Verdict.Focus {
    let pairs = [Verdict.Focus.Pair(flow.direction.from, flow.direction.to)]
    guard let ended = flow.readerEnd, ended.time <= end, ended.ending != wanted else {
      return absence(by: end, pairs)
    }
    return Verdict.Focus(.ending, at: ended.time, isEvent: true, pairs: pairs)
  }
}

extension StreamLog.Flow {
  /// How it had ended for the reader by a time; `nil` if it went on.
  fileprivate func ending(by time: Duration) -> Verdict.Stream.Ending? {
    readerEnd.flatMap { $0.time <= time ? $0.ending : nil }
  }
}
