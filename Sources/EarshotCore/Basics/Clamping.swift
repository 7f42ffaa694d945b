extension Comparable {
  /// The nearest value of a range, which is the value itself if the range contains it.
  @inlinable
  package func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}

extension ClosedRange<Duration> {
  /// The durations of settings: from zero to ten years of 365 days.
  ///
  /// Sums and multiples of some of them stay far below the 292 years that an ``Instant`` holds.
  package static var settings: ClosedRange<Duration> { .zero ... .seconds(315_360_000) }
}
