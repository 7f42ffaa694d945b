/// When a timer of a kernel goes off: not at the time that it is set to, but at the next turn of a wheel.
///
/// Linux's timers count ticks, here 250 a second, and the farther away they are the coarser: from 252 ms on they are
/// up to 32 ms late, from 2 s on 256 ms, from 16 s on 2 s.
///
/// - SeeAlso: Linux's `kernel/time/timer.c`.
enum TimerWheel {
  /// When a timer goes off that is set at one time to another.
  static func expiry(of deadline: Int64, setAt now: Int64) -> Int64 {
    let ticks = (max(0, deadline - now) + tick - 1) / tick
    var shift: Int64 = 0
    while ticks >= (63 << shift), shift < 24 { shift += 3 }
    let expiry = now / tick + ticks
    return ((expiry + (1 << shift)) >> shift) << shift * tick
  }

  private static let tick: Int64 = 4_000_000
}
