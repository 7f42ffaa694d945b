import EarshotNetwork

/// Accepts TCP connections of the system.
///
/// Sendable because its state is used on the loop's thread alone: `close` and the like go there from other threads, and
/// what else a program calls traps on them, as ``EventLoop/check(_:)`` sees to.
final class POSIXListener: Listener, HostSocket, @unchecked Sendable {
  private let host: POSIXHostState
  private var descriptor: Int32
  private var handler: (any ListenerHandler)?
  let localEndpoint: Endpoint
  var number = 0

  /// How many connections one turn of the loop accepts, so that others have theirs.
  private static let acceptsMax = 64

  init(
    _ host: POSIXHostState, _ endpoint: Endpoint, _ handler: any ListenerHandler
  ) throws(SystemFailure) {
    (self.host, self.handler) = (host, handler)
    descriptor = try System.openSocket(endpoint.address, .stream) {
      descriptor throws(SystemFailure) in
      try System.set(descriptor, .reuseAddress, to: 1)  // Past a connection in TIME_WAIT.
      if endpoint.address.family == .v6 { try System.set(descriptor, .ipv6Only, to: 1) }
      try System.bind(descriptor, endpoint)
      try System.listen(descriptor)
    }
    localEndpoint = System.localEndpoint(descriptor) ?? endpoint
    try host.adopt(descriptor, .reading, self)
  }

  func ready(_ readiness: Readiness) {
    for _ in 0..<Self.acceptsMax where descriptor >= 0 {
      do throws(SystemFailure) {
        let (accepted, remote) = try System.accept(descriptor)
        greet(accepted, remote)
      } catch {
        if error.isOutOfDescriptors { return refuseOne() }
        if !error.concernsOneConnection { return }
      }
    }
  }

  private func greet(_ accepted: Int32, _ remote: Endpoint) {
    let connection = POSIXConnection(host, accepted: accepted, from: remote, at: localEndpoint)
    guard host.interfaces.admits(connection.localEndpoint.address),
      let handler = handler?.listener(self, accepted: connection)
    else { return connection.reset() }
    connection.start(handler)
  }

  /// Accepts a connection for lack of descriptors only to end it; it would be told again and again.
  private func refuseOne() {
    System.close(host.loop.spare)
    if let (accepted, _) = try? System.accept(descriptor) {
      System.makeCloseReset(accepted)
      System.close(accepted)
    }
    host.loop.spare = System.openSpare()
  }

  func close() { host.loop.perform { [self] in release() } }

  func fail(_ error: NetworkError) {
    guard descriptor >= 0 else { return }
    let handler = handler
    release()
    handler?.listener(self, failed: error)
  }

  private func release() {
    guard descriptor >= 0 else { return }
    handler = nil
    // A process that is being started has the descriptor, too, until it runs its own program.
    System.stopListening(descriptor)
    host.release(descriptor, of: self)
    descriptor = -1
  }
}
