/// A deadline that the scheduler keeps: a timer of a host's code, or of its kernel.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
class ScheduledTimer: @unchecked Sendable {
  let host: HostProcess
  let scheduler: Scheduler
  private(set) var index = 0

  init(_ host: HostProcess) {
    (self.host, scheduler) = (host, host.scheduler)
    index = scheduler.addTimer(self)
  }

  deinit { scheduler.removeTimer(index) }

  final func setDeadline(_ time: Int64) { scheduler.armTimer(index, at: time) }

  final func clearDeadline() { scheduler.disarmTimer(index) }

  /// The deadline has come.
  func fire() { preconditionFailure("a timer that does nothing") }
}

/// A timer of a host's kernel, which goes on while the host's code stands still.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class KernelTimer: ScheduledTimer, @unchecked Sendable {
  private let body: () -> Void

  init(_ host: HostProcess, _ body: @escaping () -> Void) {
    self.body = body
    super.init(host)
  }

  func arm(at time: Int64) { setDeadline(time) }

  func disarm() { clearDeadline() }

  override func fire() { body() }
}
