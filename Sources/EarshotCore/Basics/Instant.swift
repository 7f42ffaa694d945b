/// A point in time of one host's clock.
///
/// Counts nanoseconds from that clock's own zero: the start of a simulated world, or the boot of a
/// machine. Instants of two networks are not comparable. The range is 292 years either way;
/// arithmetic saturates instead of trapping, so `.distantFuture` stays what it says.
public struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's zero.
  public let nanoseconds: Int64

  /// An instant so many nanoseconds after the clock's zero.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The clock's zero.
  public static var zero: Instant { Instant(nanoseconds: 0) }

  /// Later than any instant that a clock will show.
  public static var distantFuture: Instant { Instant(nanoseconds: .max) }

  /// Whether the left instant comes first.
  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant a duration later; saturates at the ends of the range.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    instant.advanced(nanoseconds: duration.nanoseconds)
  }

  /// The instant a duration earlier; saturates at the ends of the range.
  public static func - (instant: Instant, duration: Duration) -> Instant {
    instant.moved(backBy: duration)
  }

  /// The time from the right instant to the left one; negative when the left comes first.
  @inlinable
  public static func - (left: Instant, right: Instant) -> Duration {
    let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    if overflow { return .nanoseconds(left.nanoseconds < right.nanoseconds ? Int64.min : .max) }
    return .nanoseconds(difference)
  }

  /// The instant a duration earlier; saturates at the ends of the range.
  package func moved(backBy duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.subtractingReportingOverflow(duration.nanoseconds)
    return Instant(nanoseconds: overflow ? (duration < .zero ? .max : .min) : sum)
  }

  /// The instant so many nanoseconds later; saturates at the ends of the range.
  @inlinable
  public func advanced(nanoseconds distance: Int64) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(distance)
    return Instant(nanoseconds: overflow ? (distance < 0 ? .min : .max) : sum)
  }
}

extension Duration {
  /// Whole nanoseconds, rounded towards zero; saturates at ±292 years.
  public var nanoseconds: Int64 {
    let whole = attoseconds
    // In 64 bits up to 292 years: a tenth of the time that a division of 128 bits takes.
    let (high, low) = (UInt64(truncatingIfNeeded: whole >> 64), UInt64(truncatingIfNeeded: whole))
    if high < 500_000_000 {
      return Int64(clamping: (1_000_000_000 as UInt64).dividingFullWidth((high, low)).quotient)
    }
    return Int64(clamping: whole / 1_000_000_000)
  }

  /// A duration scaled by a fraction; for jitter and for percentages of a lifetime.
  package func scaled(by ratio: Ratio) -> Duration {
    .nanoseconds(ratio.of(nanoseconds))
  }
}

extension Instant: CustomStringConvertible {
  /// Seconds since the clock's zero with six decimals: `12.345678`.
  public var description: String {
    let magnitude = nanoseconds.magnitude / 1_000
    let fraction = String(magnitude % 1_000_000)
    let padding = String(repeating: "0", count: 6 - fraction.count)
    return "\(nanoseconds < 0 ? "-" : "")\(magnitude / 1_000_000).\(padding)\(fraction)"
  }
}

extension Instant: InstantProtocol {
  /// The instant a duration later; saturates at the ends of the range.
  public func advanced(by duration: Duration) -> Instant { self + duration }

  /// The time from this instant to another one; negative when the other comes first.
  public func duration(to other: Instant) -> Duration { other - self }
}
