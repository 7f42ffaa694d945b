/// What speaks against a loss that was answered by a smaller window, and the window to return to.
struct LossEvidence {
  /// The congestion window, and the slow start threshold, before the answer.
  let bytes: Int
  let slowStartThreshold: Int
  /// When something was first retransmitted.
  private(set) var retransmittedAt: Int64?
  /// How many retransmissions there were of which it is not known that they were superfluous.
  private var openRetransmissions: Int?

  /// Nothing yet.
  ///
  /// - Parameters:
  ///   - bytes: The congestion window.
  ///   - slowStartThreshold: The slow start threshold.
  ///   - earlier: What is in flight that was retransmitted before, and when the first of such was.
  init(bytes: Int, slowStartThreshold: Int, earlier: Retransmissions) {
    (self.bytes, self.slowStartThreshold) = (bytes, slowStartThreshold)
    if earlier.inFlight > 0 {
      (retransmittedAt, openRetransmissions) = (earlier.firstAt, earlier.inFlight)
    }
  }

  mutating func noteRetransmission(at now: Int64) {
    if retransmittedAt == nil { retransmittedAt = now }
    openRetransmissions = (openRetransmissions ?? 0) + 1
  }

  /// A segment has arrived twice.
  mutating func noteDuplicate() {
    if let count = openRetransmissions, count > 0 { openRetransmissions = count - 1 }
  }

  /// Whether all that was retransmitted had arrived before (RFC 2883).
  var isAllDuplicate: Bool { openRetransmissions == 0 }

  /// Whether an acknowledgement of new bytes answers a segment that was sent before any retransmission (RFC 3522).
  func isOvertaken(echo: Int64) -> Bool { retransmittedAt.map { echo < $0 } ?? true }

  /// Whether nothing was lost.
  func isRefuted(echo: Int64) -> Bool { isAllDuplicate || isOvertaken(echo: echo) }
}

/// The segments in flight that were sent again.
struct Retransmissions {
  var inFlight = 0
  /// When the first of them was, and of those before them since none was in flight.
  var firstAt: Int64?
}
