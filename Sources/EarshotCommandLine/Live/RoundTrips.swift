import EarshotCore
import EarshotScenario

/// How long answers took.
package struct RoundTrips: Hashable, Sendable {
  /// How many messages were sent.
  package private(set) var sent = 0
  private var times: [Duration] = []

  /// Nothing sent yet.
  package init() {}

  /// How many of them were answered.
  package var answered: Int { times.count }

  /// Counts a message that was sent.
  package mutating func addSent() { sent += 1 }

  /// Counts one message less, since its answer was not waited for.
  package mutating func removeSent() { sent -= 1 }

  /// Counts the answer to one of them.
  package mutating func addAnswer(after time: Duration) { times.append(time) }

  /// Whether there were answers, and to everything.
  package var areAllAnswered: Bool { answered > 0 && answered == sent }

  /// Everything in two lines, or in one if nothing was answered; ends with a line break.
  package var text: String {
    let counts = "\(sent) sent, \(answered) answered, \(lostPercent) % lost\n"
    guard !times.isEmpty else { return counts }
    let figures = figures.map { "\($0) \($1.millisecondsText)" }.joined(separator: ", ")
    return counts + "round trip \(figures)\n"
  }

  /// Everything as members of a JSON object.
  package var members: [(String, String)] {
    let milliseconds = figures.map { ($0, $1.millisecondsDigits) }
    return [
      ("sent", "\(sent)"), ("answered", "\(answered)"), ("lostPercent", lostPercent),
      ("milliseconds", JSONText.object(milliseconds)),
    ]
  }

  /// A whole number, or one decimal; rounded up, so that what was lost is never 0.
  private var lostPercent: String {
    guard sent > 0 else { return "0" }
    let tenths = ((sent - answered) * 1_000 + sent - 1) / sent
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private var figures: [(String, Duration)] {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return [] }
    return [
      ("min", sorted[0]), ("median", Self.quantile(0.5, of: sorted)),
      ("p95", Self.quantile(0.95, of: sorted)), ("max", Self.quantile(1, of: sorted)),
    ]
  }

  /// The smallest time that so many of the times do not exceed (the nearest rank).
  private static func quantile(_ share: Double, of sorted: [Duration]) -> Duration {
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted[Swift.max(rank, 1) - 1]
  }
}

extension Duration {
  /// Milliseconds with three decimals, such as `0.412 ms`.
  var millisecondsText: String { "\(millisecondsDigits) ms" }

  /// Milliseconds with three decimals, without the unit.
  var millisecondsDigits: String {
    let microseconds = nanoseconds / 1_000
    return "\(microseconds / 1_000).\(String(1_000 + microseconds % 1_000).dropFirst())"
  }
}
