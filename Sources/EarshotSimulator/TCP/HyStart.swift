/// When slow start ends before anything is lost: once acknowledgements arrive in a train as long as the path,
/// or later than they did.
///
/// - SeeAlso: Ha and Rhee, *Hybrid Slow Start for High-Bandwidth and Long-Distance Networks* (2008); Linux's
///   `net/ipv4/tcp_cubic.c`, which waits for half a round trip of acknowledgements that follow each other within 2 ms.
package struct HyStart {
  /// Nothing was measured yet.
  package init() {}

  /// Whether the end of slow start was found.
  package private(set) var isOver = false
  /// When the present round trip began, and what had been sent by then.
  private var roundStart: Int64 = 0
  private var roundEnd = 0
  /// When the last acknowledgement of the train arrived.
  private var trainEnd: Int64 = 0
  /// The least round-trip time of the first samples of the round trip.
  private var roundTrip = Int64.max
  private var sampleCount = 0

  /// A round-trip time that was measured in slow start.
  package struct Sample {
    let roundTrip: Int64
    let least: Int64
    let now: Int64
    let acknowledged: Int
    let next: Int
    let window: Int

    /// A sample.
    ///
    /// - Parameters:
    ///   - roundTrip: The round-trip time.
    ///   - least: The least of all.
    ///   - now: When it was measured.
    ///   - acknowledged: Up to where everything has arrived.
    ///   - next: Up to where everything has been sent.
    ///   - window: How large the congestion window is, in segments.
    package init(
      roundTrip: Int64, least: Int64, now: Int64, acknowledged: Int, next: Int, window: Int
    ) {
      (self.roundTrip, self.least, self.now) = (roundTrip, least, now)
      (self.acknowledged, self.next, self.window) = (acknowledged, next, window)
    }
  }

  /// A time-out: slow start begins again.
  package mutating func reset(at now: Int64, next: Int) {
    isOver = false
    beginRound(at: now, next)
  }

  private mutating func beginRound(at now: Int64, _ next: Int) {
    (roundStart, trainEnd, roundEnd) = (now, now, next)
    (roundTrip, sampleCount) = (.max, 0)
  }

  /// Takes a sample in.
  package mutating func note(_ sample: Sample) {
    guard !isOver else { return }
    if sample.acknowledged > roundEnd { beginRound(at: sample.now, sample.next) }
    guard sample.window >= Self.leastWindow else { return }
    isOver = isTrainLong(sample)
    roundTrip = min(roundTrip, sample.roundTrip)
    if sampleCount < Self.samples {
      sampleCount += 1
    } else {
      let tolerance = min(max(sample.least / 8, Self.leastDelay), Self.largestDelay)
      if roundTrip > sample.least + tolerance { isOver = true }
    }
  }

  private mutating func isTrainLong(_ sample: Sample) -> Bool {
    guard sample.now - trainEnd <= Self.trainGap else { return false }
    trainEnd = sample.now
    return sample.now - roundStart > (sample.least + Self.segmentationDelay) / 2
  }

  private static let leastWindow = 16
  private static let samples = 8
  private static let trainGap: Int64 = 2_000_000
  /// What is allowed for pieces that segmentation offload builds.
  private static let segmentationDelay: Int64 = 1_000_000
  private static let leastDelay: Int64 = 4_000_000
  private static let largestDelay: Int64 = 16_000_000
}
