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
    guard !transfers.isEmpty else { return (pattern.allowsNone, "no file was offered") }
    let placed = transfers.count { $0.isInPlace(by: end) }
    let amount = "\(placed) of \(transfers.count) in their place"
    let complaint =
      pattern.ending.flatMap { Self.other(than: $0, transfers, .sender, by: end) }
      ?? pattern.receiverEnding.flatMap { Self.other(than: $0, transfers, .receiver, by: end) }
      ?? pattern.pause.flatMap { Self.unpaused($0, transfers, by: end) }
    if let complaint { return (false, "\(complaint); \(amount)") }
    switch pattern.delivery {
    case .all: return (placed == transfers.count, amount + progress(transfers, placed))
    case .share(let share):
      let seen = Ratio(Double(placed) / Double(transfers.count)) ?? .zero
      return (seen >= share, amount + (seen >= share ? "" : ", not \(share)"))
    case .count(let count):
      let isRight = count.allows(placed)
      return (isRight, amount + (isRight ? "" : ", not \(count.amount)"))
    case nil: return (true, amount)
    }
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

  private static func other(
    than wanted: Verdict.File.Ending, _ transfers: [FileLog.Transfer], _ side: Verdict.File.Side,
    by time: Duration
  ) -> String? {
    let endings = transfers.map { transfer in
      let end = side == .sender ? transfer.sender.end : transfer.receiver.end
      return end.flatMap { $0.time <= time ? $0.ending : nil }
    }
    guard let other = endings.first(where: { $0 != wanted }) else { return nil }
    let words = other.map { "ended as \($0.rawValue)" } ?? "has not ended"
    return "for its \(side.rawValue) one of \(transfers.count) \(words)"
  }

  private static func unpaused(
    _ cause: Verdict.File.Pause.Cause, _ transfers: [FileLog.Transfer], by time: Duration
  ) -> String? {
    for transfer in transfers {
      for side in Verdict.File.Side.allCases {
        let pauses = side == .sender ? transfer.sender.pauses : transfer.receiver.pauses
        // An offer waits for an answer on its sender alone.
        guard cause != .unanswered || side == .sender,
          !pauses.contains(where: { $0.cause.isSame(as: cause) && $0.start <= time })
        else { continue }
        return "\(transfer.name) did not stand still for its \(side.rawValue) as \(cause.rawValue)"
      }
    }
    return nil
  }

  /// Whether as many bytes went over links within a window as must.
  func carried(_ pattern: TrafficPattern, _ window: Window, _ scope: Scope) -> Finding {
    guard scope.hasLinks(from: pattern.from, to: pattern.to) else { return Scope.noLink }
    let bytes = linkTraffic.bytes(
      { pattern.contains($0) && scope.contains($0.from, $0.to) }, in: window)
    let isRight = pattern.count.allows(bytes)
    return (isRight, "\(bytes) bytes were sent" + (isRight ? "" : ", not \(pattern.count.size)"))
  }
}

extension FileLog.Transfer {
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
