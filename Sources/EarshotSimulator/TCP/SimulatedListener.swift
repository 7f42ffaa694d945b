/// A listening TCP socket of a simulated host.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class SimulatedListener: Listener, @unchecked Sendable {
  let localEndpoint: Endpoint
  /// The event during which it was opened.
  let origin: Int
  private let kernel: HostKernel
  private var handler: (any ListenerHandler)?
  /// Connections that were begun and not yet handed over.
  private var pending: [SimulatedConnection] = []

  init(_ kernel: HostKernel, _ endpoint: Endpoint, _ handler: any ListenerHandler) {
    (self.kernel, localEndpoint, self.handler) = (kernel, endpoint, handler)
    origin = kernel.scheduler.cause.handled
  }

  func close() {
    guard handler != nil else { return }
    handler = nil
    kernel.listeners.remove(self)
    for connection in pending {
      if connection.tcb.state == .established { connection.send(.rst) }
      connection.forget()
    }
  }

  /// Whether so many wait to be accepted that a further SYN is as good as lost.
  var isFull: Bool { pending.count > Self.backlog }

  /// Answers a SYN.
  func begin(_ segment: borrowing Segment) {
    let source = kernel.fabric.hosts.host(at: segment.source.address, from: kernel.index)
    let connection = SimulatedConnection(
      kernel, local: segment.destination, remote: segment.source,
      link: source.map { kernel.fabric.link(from: kernel.index, to: $0) }, state: .synReceived,
      options: ConnectionOptions(userTimeout: nil))
    connection.listener = self
    pending.append(connection)
    kernel.fabric.watch.gauges.backlog.note(pending.count)
    kernel.connections.add(connection)
    connection.tcb.inbound.noteSYN(segment)
    connection.sendSYN()
  }

  /// Hands a connection over that is open now.
  func offer(_ connection: SimulatedConnection) {
    kernel.process.perform { [self] in
      guard let handler, connection.listener === self, connection.tcb.state == .established else {
        return
      }
      drop(connection)
      connection.upcalls.handler = handler.listener(self, accepted: connection)
      if connection.upcalls.handler == nil {
        connection.send(.rst)
        connection.forget()
      } else {
        connection.scheduleUpcalls()
      }
    }
  }

  func drop(_ connection: SimulatedConnection) {
    connection.listener = nil
    pending.removeAll { $0 === connection }
  }

  /// Takes the listener out of the kernel.
  func forget() {
    kernel.listeners.remove(self)
    for connection in pending { connection.forget() }
  }

  /// Tells the handler that the listener is gone.
  func fail(_ code: NetworkError.Code, errno: Int32) {
    kernel.process.perform { [self] in
      guard let handler else { return }
      self.handler = nil
      handler.listener(
        self, failed: NetworkError(code, call: "accept \(localEndpoint)", errno: errno))
    }
  }

  /// The length of the queue that a program may ask for at most (`somaxconn`).
  ///
  /// That of Darwin, and of Linux before 5.4; Linux takes one connection more than the length.
  private static let backlog = 128
  static let pendingMax = backlog + 1
}

extension SimulatedListener: HostSocket {
  /// Whether another listener must not be bound beside this one.
  func excludes(_ endpoint: Endpoint) -> Bool {
    guard localEndpoint.port == endpoint.port else { return false }
    let (address, candidate) = (localEndpoint.address, endpoint.address)
    return address == candidate || address.covers(candidate) || candidate.covers(address)
  }
}
