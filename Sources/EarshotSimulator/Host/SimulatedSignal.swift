/// A wake-up, which fires once for any number of raises before.
///
/// Sendable as its scheduler is: one thread drives both.
final class SimulatedSignal: NetworkSignal, @unchecked Sendable {
  private let host: HostProcess
  private let body: @Sendable () -> Void
  private var isRaised = false

  init(_ host: HostProcess, _ body: @escaping @Sendable () -> Void) {
    (self.host, self.body) = (host, body)
  }

  func raise() {
    host.scheduler.checkThread("a signal of host '\(host.name)'")
    guard !isRaised else { return }
    isRaised = true
    host.perform { [weak self] in self?.fire() }
  }

  private func fire() {
    isRaised = false
    body()
  }
}

/// Something that is observed until it is cancelled or released.
///
/// Sendable as its scheduler is: one thread drives both.
final class SimulatedObservation: NetworkObservation, @unchecked Sendable {
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  func cancel() { end() }

  deinit { end() }
}
