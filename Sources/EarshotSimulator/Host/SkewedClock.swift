/// The clock of a host whose time is not that of its world.
///
/// It never goes back. Times of the host and of the world are lines with a place where both are known.
struct SkewedClock {
  /// A time of the world, and what the clock showed then.
  private var world: Int64
  private var host: Int64
  /// How much faster it runs, in millionths.
  private var drift: Int64
  /// The sum of what was asked for, which the drift is as long as it is in range.
  private var wanted: Int64 = 0

  /// A clock that is right until something changes it.
  init(at world: Int64) { (self.world, host, drift) = (world, world, 0) }

  /// What the clock shows at a time of the world.
  func hostTime(at time: Int64) -> Int64 {
    let passed = Int128(time - world)
    return Int64(clamping: Int128(host) + passed + passed * Int128(drift) / 1_000_000)
  }

  /// The first time of the world at which the clock shows a time or a later one.
  func worldTime(of time: Int64) -> Int64 {
    let missing = Int128(time) - Int128(host)
    guard missing > 0 else { return world }
    let speed = Int128(1_000_000 + drift)
    var result = Int64(clamping: Int128(world) + (missing * 1_000_000 + speed - 1) / speed)
    while hostTime(at: result) < time, result < .max { result += 1 }
    return result
  }

  /// Changes the clock at a time of the world: it jumps ahead, and runs so many millionths faster than before.
  mutating func change(jump: Int64, drift change: Int64, at time: Int64) {
    (host, world) = (Int64(clamping: Int128(hostTime(at: time)) + Int128(jump)), time)
    wanted += change
    drift = min(max(wanted, -500_000), 1_000_000)
  }
}
