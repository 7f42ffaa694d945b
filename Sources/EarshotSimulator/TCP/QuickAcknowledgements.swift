/// Which segments are acknowledged at once, and not only together with the next: the first sixteen, those after a long
/// silence, and those after one that came twice, as Linux does (its quick-ack mode).
///
/// A connection that answers what it receives waits for the answer instead.
struct QuickAcknowledgements {
  /// How many acknowledgements more are sent at once.
  private var left = 0
  private var isInteractive = false
  private var lastArrival = Int64.min

  var isDue: Bool { !isInteractive && left > 0 }

  /// Notes that a segment with payload has arrived.
  ///
  /// - Parameters:
  ///   - now: When.
  ///   - timeout: The retransmission timeout of the other direction: a longer silence has the sender begin anew.
  ///   - isDuplicate: Whether all of it was here already.
  mutating func noteArrival(at now: Int64, timeout: Int64, isDuplicate: Bool) {
    if isDuplicate || lastArrival == .min || now - lastArrival > timeout { left = Self.most }
    if isDuplicate { isInteractive = false }
    lastArrival = now
  }

  /// Notes that a segment is sent, which acknowledges what has arrived.
  mutating func noteSent(hasPayload: Bool, at now: Int64) {
    left = max(0, left - 1)
    guard hasPayload, lastArrival > .min else { return }
    if now - lastArrival < TCP.delayedAcknowledgement { isInteractive = true }
  }

  private static let most = 16
}
