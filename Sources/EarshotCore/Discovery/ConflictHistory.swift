/// How often a name was contested lately, and so how long to wait before the next attempt to own one.
///
/// A name of a host's own choosing is contested once, by another that chose it too. One that is contested again and again
/// has an opponent that only wants to contradict: after fifteen conflicts within ten seconds each attempt waits for five
/// seconds (RFC 6762 §8.1), and for twice as long as the one before while conflicts go on, up to a minute. A minute in
/// peace ends that.
struct ConflictHistory: Hashable, Sendable {
  private struct Storm: Hashable, Sendable {
    var pause: Duration
    var last: Instant
  }

  private static let stormy = 15
  private static let window = Duration.seconds(10)
  private static let firstPause = Duration.seconds(5)
  private static let longestPause = Duration.seconds(60)
  private static let calm = Duration.seconds(60)

  private var recent: [Instant] = []
  private var storm: Storm?

  /// A name was contested.
  ///
  /// - Returns: How long to wait, or `nil` when a little will do.
  mutating func note(at now: Instant) -> Duration? {
    if let storm, now - storm.last < storm.pause + Self.calm {
      let pause = min(storm.pause * 2, Self.longestPause)
      self.storm = Storm(pause: pause, last: now)
      return pause
    }
    recent.removeAll { now - $0 >= Self.window }
    recent.append(now)
    let isStorm = recent.count >= Self.stormy
    if isStorm { recent = [] }
    storm = isStorm ? Storm(pause: Self.firstPause, last: now) : nil
    return storm?.pause
  }
}
