import EarshotCore

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

  /// Counts the answer to one of them.
  package mutating func addAnswer(after time: Duration) { times.append(time) }

  /// Everything in two lines, or in one if nothing was answered; ends with a line break.
  package var text: String {
    let lost = sent == 0 ? 0 : (sent - answered) * 100 / sent
    let counts = "\(sent) sent, \(answered) answered, \(lost) % lost\n"
    let sorted = times.sorted()
    guard let min = sorted.first, let max = sorted.last else { return counts }
    let (median, high) = (Self.quantile(0.5, of: sorted), Self.quantile(0.95, of: sorted))
    return counts
      + "round trip min \(min.millisecondsText), median \(median.millisecondsText), "
      + "p95 \(high.millisecondsText), max \(max.millisecondsText)\n"
  }

  /// The smallest time that so many of the times do not exceed (the nearest rank).
  private static func quantile(_ share: Double, of sorted: [Duration]) -> Duration {
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted[Swift.max(rank, 1) - 1]
  }
}

extension Duration {
  /// Milliseconds with three decimals, such as `0.412 ms`.
  var millisecondsText: String {
    let microseconds = nanoseconds / 1_000
    return "\(microseconds / 1_000).\(String(1_000 + microseconds % 1_000).dropFirst()) ms"
  }
}
