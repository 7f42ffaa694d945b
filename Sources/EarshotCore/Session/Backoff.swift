/// Pauses between attempts that double from one to the next, with jitter.
///
/// Each pause is drawn from the upper half of its range, so that two peers that failed together do not try again
/// together, and none tries again at once.
package struct Backoff: Hashable, Sendable {
  private let first: Duration
  private let longest: Duration
  private var attempts = 0

  /// Pauses of up to `first`, twice that, and so on, up to `longest`.
  ///
  /// - Precondition: `0 < first && first <= longest`.
  package init(from first: Duration, to longest: Duration) {
    precondition(.zero < first && first <= longest, "pauses are positive and grow")
    (self.first, self.longest) = (first, longest)
  }

  /// How many pauses were drawn.
  package var count: Int { attempts }

  /// The pause after one more failure.
  package mutating func next(using random: inout RandomStream) -> Duration {
    let doublings = min(attempts, 16)
    attempts += 1
    let pause = min(first * (1 << doublings), longest)
    return pause / 2 + random.duration(below: pause / 2)
  }
}
