import EarshotNetwork

extension Instrumentation {
  /// How much of a stream is gathered at once, and in what parts.
  func bounds(_ max: Int, _ partBytesMax: Int) -> (max: Int, partBytesMax: Int) {
    (
      occurs(.smallBatch) ? min(max, 1_024) : max,
      draw(.smallParts, below: 1_024).map { min(partBytesMax, 256 + $0) } ?? partBytesMax
    )
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
