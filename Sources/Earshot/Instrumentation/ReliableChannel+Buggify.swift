import EarshotNetwork

extension Instrumentation {
  /// How much of the log is gathered at once, and in what parts.
  func bounds(_ room: ReliableChannelMachine.Room) -> ReliableChannelMachine.Room {
    var room = room
    if occurs(.smallBatch) { room.bytesMax = min(room.bytesMax, 1_024) }
    if let more = draw(.smallParts, below: 1_024) {
      room.partBytesMax = min(room.partBytesMax, 256 + more)
      room.bulkPartBytesMax = min(room.bulkPartBytesMax, 256 + more)
    }
    return room
  }

  /// How much of a stream a call reads.
  func shortened(_ amount: StreamWaits.Reader.Amount) -> StreamWaits.Reader.Amount {
    guard case .upTo(let count) = amount, let more = draw(.smallRead, below: min(count, 1_024))
    else { return amount }
    return .upTo(more + 1)
  }
}

extension ReliableChannel {
  /// Reserves memory by which the window of a stream may grow.
  ///
  /// - Returns: Whether there was as much left.
  func reserve(_ bytes: Int) -> Bool {
    buggify?.occurs(.narrowWindow) != true && budget.reserve(bytes)
  }
}

extension ReliableChannelMachine.Configuration {
  /// Takes other bounds, no larger than these, and another delay.
  mutating func draw(_ buggify: Instrumentation) {
    let least = ReceiveWindow.windowBytesMin
    if let more = buggify.draw(.smallWindow, below: windowBytes - least + 1) {
      windowBytes = least + more
    }
    let delays = Duration.milliseconds(1) ... .milliseconds(100)
    acknowledgementDelay = buggify.draw(.acknowledgementDelay, in: delays) ?? acknowledgementDelay
  }
}
