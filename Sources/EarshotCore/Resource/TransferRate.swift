/// The rate of a transfer over the last seconds.
///
/// Keeps the count of bytes at some thirty times, of which the oldest is the last one that is three
/// seconds old or older.
package struct TransferRate: Hashable, Sendable {
  private struct Sample: Hashable {
    let time: Instant
    let count: Int64
  }
  private var samples: [Sample]

  /// A rate of nothing yet.
  ///
  /// - Parameters:
  ///   - start: When the transfer begins, or goes on.
  ///   - count: How many bytes there are at that time.
  package init(from start: Instant, count: Int64 = 0) {
    samples = [Sample(time: start, count: count)]
  }

  /// Takes in how many bytes there are in all.
  package mutating func note(_ count: Int64, at now: Instant) {
    let isDue = samples.count < 2 || now - samples[samples.count - 2].time >= Self.spacing
    if !isDue { samples.removeLast() }
    samples.append(Sample(time: now, count: count))
    while samples.count > 2, now - samples[1].time >= Self.span { samples.removeFirst() }
  }

  /// The bytes of a second, on the average of the last seconds; `nil` before any time has passed.
  package func bytesPerSecond(at now: Instant) -> Double? {
    guard let first = samples.first, let last = samples.last, now > first.time else { return nil }
    let seconds = (now - first.time) / .seconds(1)
    return Double(last.count - first.count) / seconds
  }

  private static let span = Duration.seconds(3)
  private static let spacing = Duration.milliseconds(100)
}
