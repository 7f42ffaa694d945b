/// The time after which an unreliable message counts as lost.
///
/// Follows the round trips that were seen: the smoothed round trip and four times its variation, as
/// the retransmission timer of TCP, with a floor of 200 ms against jitter.
///
/// - SeeAlso: RFC 6298 §2.
package struct LossTimer: Hashable, Sendable {
  private let limit: Duration
  private var smoothed: Duration?
  private var variation = Duration.zero

  /// A timer without a round trip so far.
  ///
  /// - Parameter limit: The longest wait.
  package init(limit: Duration) { self.limit = limit }

  /// Whether a round trip was seen.
  package var hasSample: Bool { smoothed != nil }

  /// Takes a round trip into account.
  package mutating func add(_ time: Duration) {
    guard let before = smoothed else { return (smoothed, variation) = (time, time / 2) }
    let distance = before > time ? before - time : time - before
    variation = variation * 3 / 4 + distance / 4
    smoothed = before * 7 / 8 + time / 8
  }

  /// The wait for an answer: one second before the first round trip, and never more than the limit.
  package var wait: Duration {
    let wait = smoothed.map { max(Self.floor, $0 + variation * 4) } ?? Self.initial
    return min(limit, wait)
  }

  private static let floor = Duration.milliseconds(200)
  private static let initial = Duration.seconds(1)
}
