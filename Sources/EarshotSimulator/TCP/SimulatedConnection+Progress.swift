extension SimulatedConnection {
  /// What a kernel counts of a connection for those who ask.
  struct Counters {
    var writtenBytes = 0
    var delivered: UInt64 = 0
    var arrived: UInt64 = 0
  }

  /// How far the transport got.
  var progress: TransportProgress {
    guard state == .established, handler != nil else { return TransportProgress() }
    let leastRoundTrip = outbound.roundTrips.least
    return TransportProgress(
      unacknowledgedBytes: max(0, counters.writtenBytes - outbound.acknowledged),
      deliveredCount: counters.delivered, arrivedCount: counters.arrived,
      leastRoundTrip: leastRoundTrip == .max ? nil : .nanoseconds(leastRoundTrip))
  }

  /// Counts what a segment says: that something under way has arrived, or bytes.
  func count(_ segment: Segment) {
    let isNews = segment.acknowledgment > outbound.acknowledged || !segment.selective.isEmpty
    if outbound.isInFlight, isNews { counters.delivered += 1 }
    if !segment.payload.isEmpty { counters.arrived += 1 }
  }
}
