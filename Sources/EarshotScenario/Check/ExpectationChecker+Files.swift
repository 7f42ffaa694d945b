import EarshotSimulator

extension ExpectationChecker {
  /// Whether the files that were offered within a window are in their place, and their transfers
  /// ended and stood still, as they must by its end.
  func received(_ pattern: FilePattern, _ window: Window, _ scope: Scope) -> Finding {
    guard scope.hasLinks(from: pattern.from, to: pattern.to) else { return Scope.noLink }
    let end = window.upperBound
    let transfers = files.transfers.filter { transfer in
      pattern.contains(transfer) && window.contains(transfer.offered)
        && scope.contains(transfer.direction.from, transfer.direction.to)
    }
    guard !transfers.isEmpty else {
      return pattern.allowsNone
        ? .held("no file was offered")
        : .missed(
          "no file was offered", absence(.absent, by: end, Self.pairs(pattern.from, pattern.to)))
    }
    let placed = transfers.count { $0.isInPlace(by: end) }
    let amount = "\(placed) of \(transfers.count) in their place"
    let complaint =
      pattern.ending.flatMap { other(than: $0, transfers, .sender, by: end) }
      ?? pattern.receiverEnding.flatMap { other(than: $0, transfers, .receiver, by: end) }
      ?? pattern.pause.flatMap { unpaused($0, transfers, by: end) }
    if var complaint {
      complaint.observed += "; \(amount)"
      return complaint
    }
    func finding(_ isRight: Bool, _ observed: String, isTooMuch: Bool = false) -> Finding {
      guard !isRight else { return .held(observed) }
      let last = transfers.last { $0.isInPlace(by: end) }
      guard isTooMuch, let last else {
        return .missed(
          observed, focus(on: transfers.first { !$0.isInPlace(by: end) } ?? transfers[0], by: end))
      }
      return .missed(
        observed,
        Verdict.Focus(
          .excess, at: last.receiver.end?.time ?? end, isEvent: true, pairs: [last.pair]))
    }
    switch pattern.delivery {
    case .all: return finding(placed == transfers.count, amount + progress(transfers, placed))
    case .share(let share):
      let seen = Ratio(Double(placed) / Double(transfers.count)) ?? .zero
      return finding(seen >= share, amount + (seen >= share ? "" : ", not \(share)"))
    case .count(let count):
      let isRight = count.allows(placed)
      return finding(
        isRight, amount + (isRight ? "" : ", not \(count.amount)"),
        isTooMuch: placed > count.atMost ?? .max)
    case nil: return .held(amount)
    }
  }

  /// The focus on a transfer that was not as it had to be by a time: on its end on a side, if it has ended.
  private func focus(
    on transfer: FileLog.Transfer, _ side: Verdict.File.Side = .sender, by end: Duration
  ) -> Verdict.Focus {
    let ended = (side == .sender ? transfer.sender : transfer.receiver).end
    guard let ended, ended.time <= end else { return absence(by: end, [transfer.pair]) }
    return Verdict.Focus(.ending, at: ended.time, isEvent: true, pairs: [transfer.pair])
  }

  /// How far the first file has come that is not in its place.
  private func progress(_ transfers: [FileLog.Transfer], _ placed: Int) -> String {
    guard placed < transfers.count, let late = transfers.first(where: { $0.place == nil }) else {
      return ""
    }
    let ending = late.sender.end.map { ", and ended as \($0.ending.rawValue)" } ?? ""
    let written = "\(late.receiver.completed) of \(late.bytes) bytes of \(late.name)"
    return "; \(written) are written\(ending)"
  }

  private func other(
    than wanted: Verdict.File.Ending, _ transfers: [FileLog.Transfer], _ side: Verdict.File.Side,
    by time: Duration
  ) -> Finding? {
    func ending(_ transfer: FileLog.Transfer) -> Verdict.File.Ending? {
      let end = side == .sender ? transfer.sender.end : transfer.receiver.end
      return end.flatMap { $0.time <= time ? $0.ending : nil }
    }
    guard let other = transfers.first(where: { ending($0) != wanted }) else { return nil }
    let words = ending(other).map { "ended as \($0.rawValue)" } ?? "has not ended"
    return .missed(
      "for its \(side.rawValue) one of \(transfers.count) \(words)",
      focus(on: other, side, by: time))
  }

  private func unpaused(
    _ cause: Verdict.File.Pause.Cause, _ transfers: [FileLog.Transfer], by time: Duration
  ) -> Finding? {
    for transfer in transfers {
      for side in Verdict.File.Side.allCases {
        let pauses = side == .sender ? transfer.sender.pauses : transfer.receiver.pauses
        // An offer waits for an answer on its sender alone.
        guard cause != .unanswered || side == .sender,
          !pauses.contains(where: { $0.cause.isSame(as: cause) && $0.start <= time })
        else { continue }
        return .missed(
          "\(transfer.name) did not stand still for its \(side.rawValue) as \(cause.rawValue)",
          Verdict.Focus(.missing, at: time, pairs: [transfer.pair]))
      }
    }
    return nil
  }

  /// Whether as many bytes went over links within a window as must.
  func carried(_ pattern: TrafficPattern, _ window: Window, _ scope: Scope) -> Finding {
    guard scope.hasLinks(from: pattern.from, to: pattern.to) else { return Scope.noLink }
    let meant = { (direction: Direction) in
      pattern.contains(direction) && scope.contains(direction.from, direction.to)
    }
    let bytes = linkTraffic.bytes(meant, in: window)
    let isRight = pattern.count.allows(bytes)
    if isRight { return .held("\(bytes) bytes were sent") }
    let observed = "\(bytes) bytes were sent, not \(pattern.count.size)"
    let pairs = Self.pairs(pattern.from, pattern.to)
    guard let most = pattern.count.atMost, bytes > most else {
      return .missed(observed, absence(by: window.upperBound, pairs))
    }
    let time = linkTraffic.time(of: most, meant, in: window) ?? window.upperBound
    return .missed(observed, Verdict.Focus(.excess, at: time, isEvent: true, pairs: pairs))
  }
}

extension FileLog.Transfer {
  fileprivate var pair: Verdict.Focus.Pair { Verdict.Focus.Pair(direction.from, direction.to) }

  /// Whether it was whole and had its name by a time.
  fileprivate func isInPlace(by time: Duration) -> Bool {
    receiver.end.map { $0.ending == .complete && $0.time <= time } ?? false
  }
}

extension Verdict.File.Pause.Cause {
  /// Whether both are one cause; that the program of either side has paused a transfer is one.
  fileprivate func isSame(as other: Self) -> Bool {
    let causes: [Self] = [.paused, .pausedByRemote]
    return self == other || causes.contains(self) && causes.contains(other)
  }
}
