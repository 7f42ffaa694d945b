/// A deadline on a host's clock.
///
/// Sendable as its engine is: one thread drives both.
final class SimulatedTimer: EngineTimer, NetworkTimer, @unchecked Sendable {
  private let host: Incarnation
  private let fire: @Sendable () -> Void

  init(_ host: Incarnation, _ fire: @escaping @Sendable () -> Void) {
    (self.host, self.fire) = (host, fire)
    super.init(host.engine)
  }

  func arm(at deadline: Instant) {
    guard engine.isOpen else { return }
    forgetOverdue()
    setDeadline(deadline.nanoseconds)
  }

  func disarm() {
    forgetOverdue()
    clearDeadline()
  }

  private func forgetOverdue() {
    if !host.held.isEmpty { host.held.removeAll { $0.isTimer(self) } }
  }

  override func fall() {
    guard host.mayRun else { return host.held.append(.timer(WeakTimer(self))) }
    engine.recordTimer(host.index)
    engine.current = host
    fire()
    engine.current = nil
  }

  /// Comes due anew, now that its host goes on.
  func catchUp() { setDeadline(engine.now) }

  /// Calls back at the end of the world, so that whoever waits sees that the host is down.
  func fireLast() { host.perform(fire) }
}

/// A timer that came due while its host stood still, unless it has been released since.
struct WeakTimer {
  weak var timer: SimulatedTimer?
  init(_ timer: SimulatedTimer) { self.timer = timer }
}

/// A wake-up, which fires once for any number of raises before.
///
/// Sendable as its engine is: one thread drives both.
final class SimulatedSignal: NetworkSignal, @unchecked Sendable {
  private let host: Incarnation
  private let fire: @Sendable () -> Void
  private var isRaised = false

  init(_ host: Incarnation, _ fire: @escaping @Sendable () -> Void) {
    (self.host, self.fire) = (host, fire)
  }

  func raise() {
    host.engine.checkThread("a signal of host '\(host.name)'")
    guard !isRaised else { return }
    isRaised = true
    host.perform { [weak self] in self?.fall() }
  }

  private func fall() {
    isRaised = false
    fire()
  }
}
