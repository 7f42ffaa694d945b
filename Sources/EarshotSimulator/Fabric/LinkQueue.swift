/// The packets that wait until a link can carry them.
struct LinkQueue {
  private var busyUntil = Int64.min
  /// The opportunity of a recorded trace that is in use, and what is left of it.
  private var opportunity = -1
  private var room = 0

  /// When a packet has left the queue, or `nil` when the queue has no room for it.
  mutating func departure(of bytes: Int, at now: Int64, _ conditions: LinkConditions) -> Int64? {
    if let rates = conditions.rates { return departure(of: bytes, at: now, rates, conditions) }
    guard let bandwidth = conditions.bandwidth else { return now }
    let start = max(now, busyUntil)
    let waiting = Int128(start - now) * Int128(bandwidth) / 1_000_000_000
    guard start == now || waiting + Int128(bytes) <= conditions.queueBytes else { return nil }
    busyUntil = start + Int64(bytes) * 1_000_000_000 / Int64(bandwidth)
    return busyUntil
  }

  private mutating func departure(
    of bytes: Int, at now: Int64, _ rates: RateTrace, _ conditions: LinkConditions
  ) -> Int64? {
    let next = rates.opportunity(at: now)
    if next > opportunity { (opportunity, room) = (next, RateTrace.bytes) }
    let waiting = max(0, opportunity - next) * RateTrace.bytes
    guard waiting == 0 || waiting + bytes <= conditions.queueBytes else { return nil }
    var left = bytes
    if room == 0 { (opportunity, room) = (opportunity + 1, RateTrace.bytes) }
    while left > room {
      left -= room
      (opportunity, room) = (opportunity + 1, RateTrace.bytes)
    }
    room -= left
    return max(now, rates.time(of: opportunity))
  }
}
