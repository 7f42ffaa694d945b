/// When the same question is asked again.
///
/// The first time after a short wait at random, so that a room that wakes at once does not shout at once;
/// then after a second or a little more, and each time at least twice as long, up to an hour. What is added at
/// random grows with the wait: of many that would ask the same, one asks first, and the others need not.
///
/// - SeeAlso: RFC 6762 §5.2, §7.3.
package struct QuerySchedule: Hashable, Sendable {
  private static let firstWait = Duration.milliseconds(20)...Duration.milliseconds(120)
  private static let secondWait = Duration.seconds(1)
  private static let longestWait = Duration.seconds(3_600)

  /// How often it was asked.
  package private(set) var sent = 0
  /// When to ask next.
  package private(set) var due: Instant
  /// Whether it was to be asked before, and was put off.
  package private(set) var isPutOff = false
  private var previous: Instant
  private var wait: Duration

  /// Asks first in 20 to 120 ms.
  package init(at now: Instant, random: inout RandomStream) {
    previous = now
    wait = random.duration(in: Self.firstWait)
    due = now + wait
  }

  /// The question was asked, by this browser or by another one whose answers it hears too.
  package mutating func noteAsked(at now: Instant, random: inout RandomStream) {
    let least = sent == 0 ? Self.secondWait : wait * 2
    sent += 1
    wait = least + random.duration(below: least.scaled(by: .percent(25)))
    if wait > Self.longestWait {
      wait = Self.longestWait - random.duration(below: Self.longestWait.scaled(by: .percent(10)))
    }
    (previous, isPutOff) = (now, false)
    due = now + wait
  }

  /// Puts the question off when less than a time has passed since it was asked, or since the beginning.
  ///
  /// - Returns: Whether it must wait.
  package mutating func putsOff(
    until least: Duration, at now: Instant, random: inout RandomStream
  ) -> Bool {
    let least = min(least, Self.longestWait.scaled(by: .percent(60)))
    guard now - previous < least else { return false }
    wait = least + random.duration(below: least.scaled(by: .percent(50)))
    due = previous + wait
    isPutOff = true
    return true
  }

  /// Whether more than half of the wait is over, so that another host's question may stand for this one.
  package func isDueSoon(at now: Instant) -> Bool { sent == 0 || now - previous > due - now }
}
