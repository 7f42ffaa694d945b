/// A wake-up, which fires once for any number of raises before.
///
/// Sendable because ``raise()`` from a thread that does not drive the world traps, and the rest runs on that thread.
final class SimulatedSignal: NetworkSignal, @unchecked Sendable {
  private let host: HostProcess
  private let body: @Sendable () -> Void
  /// The number of the call that fires it, while it is raised.
  private var call: Int?

  init(_ host: HostProcess, _ body: @escaping @Sendable () -> Void) {
    (self.host, self.body) = (host, body)
  }

  func raise() {
    host.scheduler.checkThread("a signal of host '\(host.name)'")
    if call == nil { call = host.fire(self) }
  }

  deinit { if let call { host.scheduler.forgetCall(call) } }

  /// Calls what waits for it.
  func fire() {
    call = nil
    body()
  }
}

/// Something that is observed until it is cancelled or released.
final class SimulatedObservation: NetworkObservation {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  func cancel() { end() }

  deinit { end() }
}
