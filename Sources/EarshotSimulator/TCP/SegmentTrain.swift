/// The segments that are handed to the network in one piece, and whether the next ones wait.
///
/// Linux builds pieces of at least two segments, and of as many as leave in a millisecond. A rest that is smaller than
/// a piece waits for the next acknowledgement, which lets more be sent at once, if something was sent just now and that
/// acknowledgement is near.
///
/// - SeeAlso: Linux's `tcp_tso_should_defer` and `tcp_tso_autosize`.
struct SegmentTrain {
  /// What it depends on.
  struct Conditions {
    /// How much may be sent now, in bytes, and how much a segment carries.
    let limit: Int
    let segmentBytes: Int
    /// How much may be in flight.
    let windowBytes: Int
    let now: Int64
    /// When something was sent last, and when the first was that is not acknowledged.
    let lastSentAt: Int64
    let oldestSentAt: Int64
    let roundTrip: Int64
  }
  /// Where the present piece ends.
  private var end = 0

  /// Whether a segment is sent now, and not later with others.
  mutating func admits(_ sequence: Int, _ conditions: Conditions) -> Bool {
    if sequence < end { return true }
    let size = conditions.segmentBytes
    let sentInBurst = conditions.windowBytes * 2 / max(1, Int(conditions.roundTrip / Self.burst))
    let piece = max(2, sentInBurst / size) * size
    let isSmall = conditions.limit < piece && conditions.limit < conditions.windowBytes / 3
    let isRecent = conditions.now - conditions.lastSentAt <= Self.burst
    let isNear = conditions.now - conditions.oldestSentAt >= conditions.roundTrip / 2
    if isSmall, isRecent, isNear { return false }
    end = sequence + min(piece, conditions.limit / size * size)
    return true
  }

  /// A millisecond.
  private static let burst: Int64 = 1_000_000
}
