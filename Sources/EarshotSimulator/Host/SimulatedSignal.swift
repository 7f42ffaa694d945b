/// A wake-up, which fires once for any number of raises before.
///
/// Sendable because ``raise()`` from a thread that does not drive the world traps or is left to
/// that thread, on which the rest runs.
final class SimulatedSignal: NetworkSignal, @unchecked Sendable {
  let host: HostProcess
  private let body: @Sendable () -> Void
  /// The number of the call that fires it, while it is raised.
  private var call: Int?

  init(_ host: HostProcess, _ body: @escaping @Sendable () -> Void) {
    (self.host, self.body) = (host, body)
  }

  func raise() {
    guard !host.scheduler.receive(self, of: host) else { return }
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
