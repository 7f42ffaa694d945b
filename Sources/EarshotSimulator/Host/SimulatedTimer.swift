/// A deadline of a host's code.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class SimulatedTimer: ScheduledTimer, NetworkTimer, @unchecked Sendable {
  private let trace: TraceRecorder
  private let body: @Sendable () -> Void
  /// Whether the deadline moves when the host's clock changes.
  let isOfHostClock: Bool

  init(_ kernel: HostKernel, isOfHostClock: Bool = true, _ body: @escaping @Sendable () -> Void) {
    (trace, self.body, self.isOfHostClock) = (kernel.fabric.trace, body, isOfHostClock)
    super.init(kernel.process)
  }

  func arm(at deadline: Instant) {
    guard scheduler.isOpen else { return }
    host.forget(self)
    setDeadline(host.worldTime(of: deadline.nanoseconds))
  }

  /// The process whose code the timer calls.
  var process: HostProcess { host }

  func disarm() {
    host.forget(self)
    clearDeadline()
  }

  override func fire() {
    if host.hold(self) { return }
    trace.recordTimer(host.index)
    scheduler.run(as: host) { body() }
  }

  /// Comes due anew, now that its host goes on.
  func catchUp() { setDeadline(scheduler.now) }

  /// Calls back at the end of the world, so that what waits sees that the host is down.
  func fireLast() { host.perform(body) }
}
