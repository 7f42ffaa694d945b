import EarshotSimulator

/// Which files are meant, and what has to become of them.
package struct FilePattern: Hashable, Sendable {
  /// The peers that send them.
  package var from: [String]
  /// The peers that receive them.
  package var to: [String]
  /// The name that the scenario gives them; `nil` for any.
  package var name: String?
  /// How many of them have to be whole and in their place; `nil` when only the rest counts.
  package var delivery: MessagePattern.Delivery?
  /// How each transfer has to end for its sender; `nil` for any end or none.
  package var ending: Verdict.File.Ending?
  /// How each transfer has to end for its receiver; `nil` for any end or none.
  package var receiverEnding: Verdict.File.Ending?
  /// Why each transfer has to stand still at some time; `nil` for any cause or none.
  package var pause: Verdict.File.Pause.Cause?

  /// The files from some peers to others.
  package init(from: [String], to: [String]) { (self.from, self.to) = (from, to) }

  /// Whether a transfer is one of them.
  func contains(_ transfer: FileLog.Transfer) -> Bool {
    from.contains(transfer.direction.from) && to.contains(transfer.direction.to)
      && name.map { $0 == transfer.name } ?? true && !transfer.isRefused
  }

  /// Whether it asks for no file at all.
  var allowsNone: Bool {
    ending == nil && receiverEnding == nil && pause == nil && delivery?.allowsNone ?? true
  }
}

/// Which bytes of links are meant.
package struct TrafficPattern: Hashable, Sendable {
  /// The peers that send them.
  package var from: [String]
  /// The peers to which they are sent.
  package var to: [String]
  /// Whether the other direction counts, too.
  package var isMutual = false
  /// How many there have to be.
  package var count: AllowedCount

  /// Whether a direction is one of those that are meant.
  func contains(_ direction: Direction) -> Bool {
    from.contains(direction.from) && to.contains(direction.to)
      || isMutual && from.contains(direction.to) && to.contains(direction.from)
  }
}
