/// How much may be sent while a congestion window is being reduced: as much less than arrives as the window shrinks.
///
/// Counts in segments, rounded up, as Linux does.
///
/// - SeeAlso: RFC 6937.
struct RateReduction {
  /// The congestion window before (prior_cwnd), and that to arrive at (ssthresh).
  private let before: Int
  private let target: Int
  private var delivered = 0
  private var sent = 0

  /// A reduction from one window to another, both in bytes.
  init(from before: Int, to target: Int) {
    (self.before, self.target) = (Self.segments(before), Self.segments(target))
  }

  mutating func noteSent(_ bytes: Int) { sent += Self.segments(bytes) }

  /// Takes in what has arrived.
  ///
  /// - Parameters:
  ///   - bytes: How many have newly arrived.
  ///   - inFlight: How many are in flight.
  ///   - isClean: Whether the acknowledgement advanced and showed no further loss.
  /// - Returns: How many bytes may be sent now.
  mutating func allowance(delivered bytes: Int, inFlight: Int, isClean: Bool) -> Int {
    let news = Self.segments(bytes)
    delivered += news
    let room = target - Self.segments(inFlight)
    var count: Int
    if room < 0 {
      count = (target * delivered + before - 1) / max(1, before) - sent
    } else {
      count = min(room, max(delivered - sent, news) + (isClean ? 1 : 0))
    }
    // Fast recovery begins with a retransmission.
    count = max(count, sent > 0 ? 0 : 1)
    return count * TCP.segmentBytes
  }

  private static func segments(_ bytes: Int) -> Int {
    (bytes + TCP.segmentBytes - 1) / TCP.segmentBytes
  }
}
