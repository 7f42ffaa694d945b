/// How much happens in a second of virtual time.
///
/// Code that goes on for ever without waiting, and timers that set themselves again at once, would never come to the
/// second's end.
struct Pace {
  /// How many events a second may have: several times as many as the largest worlds, and some ten seconds of real time.
  static let eventsMax = 100_000_000
  private static let samplesMax = 10_000
  /// What a world that has been stopped may still do to end its tasks.
  private static let lastEventsMax = 1_000_000
  private static let second: Int64 = 1_000_000_000

  let eventsMax: Int
  private var left: Int
  private var end = second
  private var samples: [String: Int] = [:]
  private var sampleCount = 0
  /// Whether nothing more is to run.
  private(set) var isExceeded = false
  /// Whether the world was stopped, and what is still to run ends it.
  private(set) var isLast = false

  init(eventsMax: Int) {
    self.eventsMax = eventsMax
    left = eventsMax
  }

  /// Counts an event or a piece of work.
  ///
  /// - Returns: Whether there have been too many.
  @inline(__always)
  mutating func count() -> Bool {
    left &-= 1
    return left < 0
  }

  /// Takes in that time has passed.
  @inline(__always)
  mutating func reach(_ time: Int64) {
    if time >= end { begin(at: time) }
  }

  private mutating func begin(at time: Int64) {
    (left, end) = (eventsMax, time &+ Self.second)
    (samples, sampleCount) = ([:], 0)
  }

  /// Takes in what there was too much of.
  ///
  /// - Returns: What there is most of, once that is known; nothing more is to run then.
  mutating func sample(_ name: String) -> String? {
    samples[name, default: 0] += 1
    sampleCount += 1
    guard sampleCount >= Self.samplesMax else { return nil }
    isExceeded = true
    let busiest = samples.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
    let list = busiest.map { "\($0.key) (\(100 * $0.value / sampleCount) %)" }
    return "Busiest in the last \(sampleCount) events: " + list.joined(separator: ", ")
  }

  /// Lets a world that was stopped come to its end.
  mutating func beginEnd() {
    guard isExceeded else { return }
    (isExceeded, isLast, left) = (false, true, min(eventsMax, Self.lastEventsMax))
    (samples, sampleCount) = ([:], 0)
  }
}
