/// When the same question is asked again.
///
/// The first time after a short wait at random, so that a room that wakes at once does not shout at once;
/// then after one second, two, four, up to an hour.
///
/// - SeeAlso: RFC 6762 §5.2.
package struct QuerySchedule: Hashable, Sendable {
  private static let firstWait = Duration.milliseconds(20)...Duration.milliseconds(120)

  /// How often it was asked.
  package private(set) var sent = 0
  /// When to ask next.
  package private(set) var due: Instant
  private var previous: Instant

  /// Asks first in 20 to 120 ms.
  package init(at now: Instant, random: inout RandomStream) {
    previous = now
    due = now + random.duration(in: Self.firstWait)
  }

  /// The wait before the next query for the same question.
  ///
  /// - Parameter sent: Queries already sent, from 1.
  /// - Returns: 1 s, 2 s, 4 s … 3,600 s.
  package static func interval(after sent: Int) -> Duration {
    .seconds(min(3_600, 1 << min(max(sent, 1) - 1, 12)))
  }

  /// The question was asked, by us or by somebody whose answers we hear too.
  package mutating func noteAsked(at now: Instant) {
    sent += 1
    previous = now
    due = now + Self.interval(after: sent)
  }

  /// Whether more than half of the wait is over, so that somebody else's question may stand for ours.
  package func isDueSoon(at now: Instant) -> Bool { sent == 0 || now - previous > due - now }
}
