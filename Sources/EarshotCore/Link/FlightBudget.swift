/// How much of what a link writes may be under way at once: about half a second's worth.
///
/// Whatever is written lies in the system's buffer and in those along the path until it arrives, and what is
/// written behind it waits for it, be it a question whether the other side is there. A transport fills these
/// buffers, however slow the path is; so the link bounds what it hands to the transport.
///
/// The story: a mark is set at the end of what was written. When the other side's system has acknowledged
/// everything up to the mark, what was under way when it was set has taken so long; the budget is what would
/// have taken the target. A mark that is set while nothing is under way judges what was written and acknowledged
/// behind it before the transport is looked at again, as on a path that is faster than the looks. The budget grows
/// only as far as has been tried, and shrinks only when the target was missed, so that a link with little to say
/// keeps it.
///
/// - SeeAlso: RFC 6817 (LEDBAT), which bounds the delay that it causes in the same spirit.
package struct FlightBudget: Hashable, Sendable {
  /// The budget of a link whose speed is unknown.
  package static let bytesAtFirst = 8_192
  /// With less, headers would take a tenth of a slow link.
  package static let bytesMin = 2_048
  /// With more, there is no difference.
  package static let bytesMax = 4 << 20
  /// The shortest part of a message.
  package static let partBytesMin = 1_024
  /// How long what is under way may take, beside the path's own round trip.
  package static let target = Duration.milliseconds(500)

  private struct Mark: Hashable {
    let position: Int
    let at: Instant
    let underWay: Int
  }
  private static let timeMin = Duration.milliseconds(1)  // The finest that is looked at.
  private static let waitMax = Duration.milliseconds(100)

  /// How many bytes may be under way.
  @usableFromInline package private(set) var bytes: Int
  private var mark: Mark?
  @usableFromInline private(set) var acknowledged = 0
  private var wait = timeMin

  /// The budget of a new link.
  ///
  /// - Precondition: At least ``bytesMin`` and at most ``bytesMax``.
  package init(bytesAtFirst: Int = bytesAtFirst) {
    precondition((Self.bytesMin...Self.bytesMax).contains(bytesAtFirst), "\(bytesAtFirst) bytes")
    bytes = bytesAtFirst
  }

  /// How many more bytes may be written, as far as is known; negative if there are too many already.
  // Inlined, since it is asked three times for every flush of a link.
  @inlinable
  package func room(written: Int) -> Int { bytes - (written - acknowledged) }

  /// The most bytes of a message in one part: two parts fit into the budget.
  package var partBytesMax: Int {
    min(max(bytes / 2, Self.partBytesMin), MessagePart.partBytesMax)
  }

  /// Takes in how far the transport got.
  ///
  /// - Parameters:
  ///   - written: How many bytes were handed to it so far.
  ///   - progress: What it says.
  ///   - now: The time.
  package mutating func observe(written: Int, _ progress: TransportProgress, at now: Instant) {
    let acknowledged = written - progress.unacknowledgedBytes
    if acknowledged > self.acknowledged { wait = Self.timeMin }
    self.acknowledged = max(self.acknowledged, acknowledged)
    if let mark {
      guard acknowledged >= mark.position else { return }
      judge(mark, at: now, roundTrip: progress.leastRoundTrip ?? .zero)
    }
    mark = Mark(position: written, at: now, underWay: written - acknowledged)
  }

  /// How long to wait until it is worth asking the transport again: twice as long as the last time, unless
  /// something was acknowledged meanwhile.
  package mutating func nextWait() -> Duration {
    defer { wait = min(wait * 2, Self.waitMax) }
    return wait
  }

  private mutating func judge(_ mark: Mark, at now: Instant, roundTrip: Duration) {
    // What was under way for long when the mark was set arrives soon after it, and tells no speed: it took a round trip.
    let seen = now - mark.at
    let time = max(seen < roundTrip / 2 ? roundTrip : seen, Self.timeMin)
    let target = Self.target + roundTrip
    let isIdle = mark.underWay == 0
    let count = min(isIdle ? acknowledged - mark.position : mark.underWay, Self.bytesMax)
    let fitting = Int(Int64(count) * target.nanoseconds / time.nanoseconds)
    if fitting > bytes || !isIdle && time > target {
      bytes = min(max(fitting, Self.bytesMin), Self.bytesMax)
    }
  }
}
