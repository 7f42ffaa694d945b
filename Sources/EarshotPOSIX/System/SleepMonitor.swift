import EarshotNetwork

/// Notices that the computer slept, by a clock that stood still meanwhile.
///
/// Systems keep sockets through a sleep, so nothing else tells: whoever is advertised would stay forgotten by those who were
/// awake, and believe what it knew before (RFC 6762 §8.3, §10.4).
///
/// Sendable because it is made and called on the loop's thread alone.
final class SleepMonitor: @unchecked Sendable {
  private weak var host: POSIXHostState?
  private var timer: LoopTimer?
  private let interval: Duration
  private let asleep: @Sendable () -> Int64
  private var sleep: Int64

  /// The clocks are not read in one instant.
  private static let leastNanoseconds: Int64 = 1_000_000_000

  /// Looks from time to time; a deadline that passes in a sleep is met at its end.
  init(
    _ host: POSIXHostState, every interval: Duration, by asleep: @escaping @Sendable () -> Int64
  ) {
    (self.host, self.interval, self.asleep, sleep) = (host, interval, asleep, asleep())
    timer = LoopTimer(host) { [weak self] in self?.look() }
    arm()
  }

  private func arm() { timer?.arm(at: Instant(nanoseconds: System.now) + interval) }

  private func look() {
    guard let host, host.isUp else { return }
    let before = sleep
    sleep = asleep()
    arm()
    if sleep - before >= Self.leastNanoseconds { host.tell(.waking) }
  }
}
