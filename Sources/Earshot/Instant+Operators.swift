import EarshotCore

// An import of a type by its name does not bring its operators.
extension Instant {
  /// The instant a duration later; saturates at the ends of the range.
  @_disfavoredOverload
  public static func + (instant: Instant, duration: Duration) -> Instant {
    instant.advanced(by: duration)
  }

  /// The instant a duration earlier; saturates at the ends of the range.
  @_disfavoredOverload
  public static func - (instant: Instant, duration: Duration) -> Instant {
    instant.moved(backBy: duration)
  }

  /// The time from the right instant to the left one; negative when the left comes first.
  @_disfavoredOverload
  public static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }
}
