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
