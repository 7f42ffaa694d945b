/// How long to wait for an acknowledgement.
///
/// - SeeAlso: RFC 6298; the least wait is Linux's 200 ms instead of one second.
struct RetransmissionClock {
  private var smoothed: Int64?
  private var variation: Int64 = 0
  private var base: Int64 = 1_000_000_000
  private(set) var retries = 0
  private var timed: (position: Int, at: Int64)?

  /// The wait, doubled for every attempt in vain, at most a minute.
  var timeout: Int64 { min(base << Int64(min(retries, 10)), 60_000_000_000) }

  /// Notes when a position was sent, unless one is being timed already.
  mutating func sent(upTo position: Int, at now: Int64) {
    if timed == nil { timed = (position, now) }
  }

  /// Takes the time of what is acknowledged.
  mutating func acknowledged(upTo position: Int, at now: Int64) {
    retries = 0
    guard let (awaited, start) = timed, position >= awaited else { return }
    timed = nil
    sample(now - start)
  }

  /// Something is sent again: its acknowledgement would say nothing (Karn).
  mutating func resent() { timed = nil }

  /// There is room again after a time without: what was in vain then says nothing about now.
  mutating func restart() { (timed, retries) = (nil, 0) }

  mutating func backOff() { (timed, retries) = (nil, retries + 1) }

  private mutating func sample(_ time: Int64) {
    if let smoothed {
      variation = (3 * variation + abs(smoothed - time)) / 4
      self.smoothed = (7 * smoothed + time) / 8
    } else {
      (smoothed, variation) = (time, time / 2)
    }
    base = max(200_000_000, (smoothed ?? time) + 4 * variation)
  }
}
