/// When a disk serves the calls of a host: one after the other, those of one body in their order.
struct DiskSchedule {
  /// When the last call so far is over.
  private var busyUntil: Int64 = 0
  /// When the last call of the present body is over; before the first one, when the body began.
  private var bodyTime: Int64?
  private var isUsed = false

  /// Begins a body, whose calls take their time from now on.
  mutating func beginBody(at now: Int64) { (bodyTime, isUsed) = (now, false) }

  /// Ends the body.
  ///
  /// - Returns: When the last of its calls is over; `nil` if it has made none.
  mutating func endBody() -> Int64? {
    defer { bodyTime = nil }
    return isUsed ? bodyTime : nil
  }

  /// Takes in that a call, or a part of one, takes some nanoseconds; those outside of bodies take
  /// none.
  mutating func take(_ nanoseconds: Int128) {
    guard let time = bodyTime else { return }
    busyUntil = Int64(clamping: Int128(max(time, busyUntil)) + nanoseconds)
    (bodyTime, isUsed) = (busyUntil, true)
  }
}
