/// A listening TCP socket of a simulated host.
///
/// Sendable as its engine is: one thread drives both.
final class SimulatedListener: Listener, @unchecked Sendable {
  let localEndpoint: Endpoint
  let host: SimulatedHost
  private var handler: (any ListenerHandler)?
  /// Connections that were begun and not yet handed over.
  private var pending: [SimulatedConnection] = []

  init(_ host: SimulatedHost, _ endpoint: Endpoint, _ handler: any ListenerHandler) {
    (self.host, localEndpoint, self.handler) = (host, endpoint, handler)
  }

  func close() {
    guard handler != nil else { return }
    handler = nil
    host.listeners.removeAll { $0 === self }
    for connection in pending {
      if connection.state == .established { connection.send(.rst) }
      connection.forget()
    }
  }

  /// Whether so many wait to be accepted that a further SYN is as good as lost.
  var isFull: Bool { pending.count >= Self.backlog }

  /// Answers a SYN.
  func begin(_ segment: Segment) {
    let source = host.engine.fabric.host(at: segment.source.address, from: host.index)
    let connection = SimulatedConnection(
      host, local: segment.destination, remote: segment.source,
      link: source.map { host.engine.fabric.link(from: host.index, to: $0) }, state: .synReceived,
      options: ConnectionOptions(userTimeout: nil))
    connection.listener = self
    pending.append(connection)
    host.connections[connection.key] = connection
    connection.inbound.noteSYN(segment)
    connection.sendSYN()
  }

  /// Hands a connection over that is open now.
  func offer(_ connection: SimulatedConnection) {
    host.life.perform { [self] in
      guard let handler, connection.listener === self, connection.state == .established else {
        return
      }
      drop(connection)
      connection.handler = handler.listener(self, accepted: connection)
      if connection.handler == nil {
        connection.send(.rst)
        connection.forget()
      } else {
        connection.callPump()
      }
    }
  }

  func drop(_ connection: SimulatedConnection) {
    connection.listener = nil
    pending.removeAll { $0 === connection }
  }

  /// Takes the listener out of the kernel.
  func forget() {
    host.listeners.removeAll { $0 === self }
    for connection in pending { connection.forget() }
  }

  /// Tells the handler that the listener is gone.
  func fail(_ code: NetworkError.Code, errno: Int32) {
    host.life.perform { [self] in
      guard let handler else { return }
      self.handler = nil
      handler.listener(
        self, failed: NetworkError(code, call: "accept \(localEndpoint)", errno: errno))
    }
  }

  private static let backlog = 128
}
