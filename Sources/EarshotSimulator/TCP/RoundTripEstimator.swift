/// The round-trip time of a connection, and the retransmission timeout that follows from it.
///
/// SRTT and RTTVAR are those of RFC 6298, from a sample an acknowledgement. As Linux does, RTTVAR rises at
/// once to the largest deviation of the present round trip and falls by a quarter of the difference once a round
/// trip, since samples that many would forget a deviation within half a round trip (RFC 7323, appendix G); a sample
/// below SRTT raises the deviation by an eighth only (Ludwig and Katz, *The Eifel algorithm*, 2000); and the
/// least wait is SRTT and 200 ms, not one second.
struct RoundTripEstimator {
  /// SRTT; `nil` before the first sample.
  private(set) var smoothed: Int64?
  private(set) var least = Int64.max
  /// Four times the mean deviation, as is the largest of the present round trip.
  private var deviation: Int64 = 0
  private var largestDeviation: Int64 = 0
  /// What is waited beyond SRTT.
  private var variation: Int64 = 0
  /// Where the present round trip ends: what had been sent when it began.
  private var roundEnd = 0
  private(set) var backOffs = 0

  /// The retransmission timeout, RTO: doubled for every one since the last sample, at most two minutes.
  var retransmissionTimeout: Int64 {
    let base = smoothed.map { $0 + variation } ?? Self.initialTimeout
    return min(min(base, Self.timeoutMax) << Int64(min(backOffs, 16)), Self.timeoutMax)
  }

  /// Takes the time from a segment to its acknowledgement.
  ///
  /// - Parameters:
  ///   - time: Since the first segment that is acknowledged now.
  ///   - shortest: Since the last of them.
  ///   - acknowledged: Up to where everything has arrived.
  ///   - next: Up to where everything has been sent.
  mutating func sample(_ time: Int64, shortest: Int64, acknowledged: Int, next: Int) {
    backOffs = 0
    least = min(least, shortest)
    guard let smoothed else {
      (self.smoothed, deviation) = (time, 2 * time)
      variation = max(deviation, Self.leastVariation)
      (largestDeviation, roundEnd) = (variation, next)
      return
    }
    let error = time - smoothed
    let growth = abs(error) - deviation / 4
    deviation += error < 0 && growth > 0 ? growth / 8 : growth
    self.smoothed = smoothed + error / 8
    largestDeviation = max(largestDeviation, deviation)
    variation = max(variation, largestDeviation)
    guard acknowledged > roundEnd else { return }
    variation -= (variation - largestDeviation) / 4
    (roundEnd, largestDeviation) = (next, Self.leastVariation)
  }

  /// A time-out was in vain (RFC 6298 §5.5).
  mutating func backOff() { backOffs += 1 }

  /// What was in vain says nothing about now.
  mutating func forgetBackOffs() { backOffs = 0 }

  private static let initialTimeout: Int64 = 1_000_000_000
  private static let leastVariation: Int64 = 200_000_000
  private static let timeoutMax: Int64 = 120_000_000_000
}
