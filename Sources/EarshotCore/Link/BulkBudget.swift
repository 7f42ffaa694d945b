/// How much of what a link writes may be under way until streams have to wait: 20 ms beside the
/// path's round trip.
///
/// A message goes behind what was written before it. Streams would fill every buffer along the
/// path, so they stop where a message behind them is hardly late, and where the path is still never
/// idle.
///
/// The story: while the budget is used up, what is acknowledged gives a rate, over a round trip at
/// least. The greatest of the last rates is that of the path, and what it carries in a round trip
/// and 20 ms is the budget. It begins with a round trip more, until three rates in a row are
/// hardly greater than those before. Later, a budget that is too small for the path is acknowledged
/// within a round trip, so that the next one is larger by what 20 ms are of that. Acknowledgements
/// that are late for other reasons, such as those of a single segment, make a rate small, but not
/// the greatest one. Those that come for several segments at once make it great, so that a rate is
/// taken over 50 ms. Where no more was left under way than the path itself holds, nothing waited at
/// its bottleneck: it may be faster than it seems, and a budget of few segments grows by a quarter.
/// Without that it would shrink to the least: the acknowledgement of the last segment is late.
///
/// A budget that a second has hardly used begins anew: the transport has forgotten the path as well
/// (RFC 2861; Linux, `tcp_slow_start_after_idle`), and would hold the whole budget in its queue.
///
/// - SeeAlso: Cardwell et al., "BBR: Congestion-Based Congestion Control" (ACM Queue 2016), for the
///   greatest rate as that of the path, and for the beginning.
package struct BulkBudget: Hashable, Sendable {
  /// How long streams may delay a message, beside the path's own round trip.
  package static let target = Duration.milliseconds(20)
  /// The budget of a link whose speed is unknown.
  package static let bytesAtFirst = 8_192
  /// Three frames of the shortest kind.
  package static let bytesMin = 3 * FlightBudget.partBytesMin
  /// How much may be unacknowledged by the remote peer itself on a path without a delay.
  ///
  /// Two processes on one host take that in less than half a millisecond, and neither has to wait
  /// for the other. With 256 KiB a stream had 0.7 of the rate of messages of 64 KiB there, with
  /// 512 KiB half of the messages beside it took more than half a millisecond.
  package static let bytesUnderWayMin = 393_216

  /// How many bytes may be under way.
  @usableFromInline package private(set) var bytes = bytesAtFirst

  private struct Mark: Hashable {
    let at: Instant
    let acknowledged: Int
  }
  private struct Use: Hashable {
    let at: Instant
    let written: Int
  }
  private var mark: Mark?
  @usableFromInline private(set) var acknowledged = 0
  private var rates = Rates()
  private var leastRoundTrip = Duration.zero
  private var isStarting = true
  private var steadyCount = 0  // Of rates in a row that were hardly greater.
  /// Whether nothing waited at the bottleneck at some time since the mark.
  private var wasIdle = false
  /// When it was last looked at whether the budget is used, and how much had been written.
  private var use: Use?
  private var restTime = restTimeMin

  /// The budget of a new link.
  package init() { follow() }

  /// How many more bytes may be written; negative if there are too many already.
  // Inlined, as the next ones, since they are asked for with every flush of a link.
  @inlinable
  package func room(written: Int) -> Int { bytes - (written - acknowledged) }

  /// The most bytes of a stream in one frame: three fit into what the target allows.
  @usableFromInline package private(set) var partBytesMax = FlightBudget.partBytesMin

  /// How many bytes may be unacknowledged by the remote peer itself: what two round trips take, and
  /// a little more.
  ///
  /// The transport acknowledges what lies in the buffers of the remote host. On a fast path that is
  /// nearly everything.
  @usableFromInline package private(set) var bytesUnderWayMax = bytesUnderWayMin

  /// Takes in how far the transport got, when the budget is used up.
  ///
  /// - Parameters:
  ///   - written: How many bytes were handed to it so far.
  ///   - progress: What it says.
  ///   - now: The time.
  package mutating func observe(written: Int, _ progress: TransportProgress, at now: Instant) {
    acknowledged = max(acknowledged, written - progress.unacknowledgedBytes)
    leastRoundTrip = min(progress.leastRoundTrip ?? .zero, Self.roundTripMax)
    let span = Double((leastRoundTrip + Self.lookTime).nanoseconds)
    if Double(written - acknowledged) <= rates.greatest * span { wasIdle = true }
    defer { follow() }
    guard let mark else { return begin(at: now) }
    let time = now - mark.at
    guard time >= max(leastRoundTrip, isStarting ? Self.timeAtFirst : Self.timeMin) else { return }
    // Beyond that the program had nothing to send, rather than the path.
    if time <= (leastRoundTrip + Self.target) * 4 + Self.timeMax {
      take(Double(acknowledged - mark.acknowledged) / Double(time.nanoseconds))
    }
    begin(at: now)
  }

  /// Begins anew, if the budget was hardly used for a second and the path's round trips.
  ///
  /// - Parameters:
  ///   - written: How many bytes were handed to the transport so far.
  ///   - lastWritten: When the last of them were.
  ///   - now: The time.
  package mutating func rest(written: Int, lastWritten: Instant, at now: Instant) {
    guard let use else { return use = Use(at: now, written: written) }
    let isQuiet = now - lastWritten >= restTime
    guard isQuiet || now - use.at >= restTime else { return }
    self.use = Use(at: now, written: written)
    guard isQuiet || written - use.written < bytes, bytes > Self.bytesAtFirst else { return }
    (bytes, rates, mark) = (Self.bytesAtFirst, Rates(), nil)
    (isStarting, steadyCount) = (true, 0)
    follow()
  }

  private mutating func take(_ rate: Double) {
    steadyCount = rate > rates.greatest * Self.growthMin ? 0 : steadyCount + 1
    if steadyCount >= Self.steadyCountMax { isStarting = false }
    rates.add(rate)
    let span = Double((leastRoundTrip * (isStarting ? 2 : 1) + Self.target).nanoseconds)
    let grown = wasIdle ? min(Double(bytes) * Self.growthMin, Self.bytesGrownMax) : 0
    let fitting = min(max(rates.greatest * span, grown), Double(FlightBudget.bytesMax))
    bytes = max(Int(fitting), Self.bytesMin)
  }

  /// Has the other bounds follow the budget and the round trip.
  private mutating func follow() {
    let span = (Self.target + leastRoundTrip).nanoseconds
    let onTarget = Int(Int64(bytes) * Self.target.nanoseconds / span)
    partBytesMax = min(max(onTarget / 3, FlightBudget.partBytesMin), StreamData.bytesMax)
    bytesUnderWayMax =
      Self.bytesUnderWayMin + 2 * Int(Int64(bytes) * leastRoundTrip.nanoseconds / span)
    restTime = Self.restTimeMin + leastRoundTrip * 4
  }

  private mutating func begin(at now: Instant) {
    mark = Mark(at: now, acknowledged: acknowledged)
    wasIdle = false
  }

  /// The last rates, in bytes a nanosecond.
  private struct Rates: Hashable {
    private var last = SIMD8<Double>()  // No array: a budget is copied with each look at it.
    private var next = 0

    var greatest: Double { last.max() }

    mutating func add(_ rate: Double) {
      last[next] = rate
      next = (next + 1) % last.scalarCount
    }
  }

  private static let restTimeMin = Duration.seconds(1)
  private static let timeAtFirst = Duration.milliseconds(1)  // The finest that is looked at.
  private static let timeMin = Duration.milliseconds(50)
  private static let timeMax = Duration.milliseconds(100)
  /// Eleven segments, of which the last one's acknowledgement hardly counts.
  private static let bytesGrownMax = 16_384.0
  /// What a look at the transport may come too late.
  private static let lookTime = Duration.milliseconds(5)
  private static let growthMin = 1.25
  private static let steadyCountMax = 3
  private static let roundTripMax = Duration.seconds(60)  // With more, there is no difference.
}
