/// How often something may be done: a few times at once, less often all the time.
package struct TokenBucket: Hashable, Sendable {
  private let interval: Duration
  private let slack: Duration
  private var earliest = Instant.zero  // When the next one would be due, without a burst.

  /// A bucket that is full.
  ///
  /// - Parameters:
  ///   - rate: How often a second, all the time.
  ///   - burst: How often at once, after a rest.
  /// - Precondition: Both are positive.
  package init(perSecond rate: Int, burst: Int) {
    precondition(rate > 0 && burst > 0, "an empty bucket that stays empty is none")
    interval = .seconds(1) / rate
    slack = interval * (burst - 1)
  }

  /// From when on a token can be taken; in the past if one can be already.
  package var next: Instant { earliest - slack }

  /// Takes a token, if there is one.
  package mutating func take(at now: Instant) -> Bool {
    guard next <= now else { return false }
    earliest = max(earliest, now) + interval
    return true
  }

  /// Puts a token back that was taken, unless it has been replaced by now.
  package mutating func giveBack(at now: Instant) {
    earliest = max(min(earliest, now), earliest - interval)
  }
}
