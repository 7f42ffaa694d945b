extension HostKernel {
  func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener {
    try checkUp("listen \(endpoint)")
    try checkLocal(endpoint)
    var endpoint = endpoint
    if endpoint.port == 0 {
      endpoint.port = try freePort(isStreamPortTaken)
    } else if listeners.excludes(endpoint) {
      throw NetworkError(.addressInUse, call: "bind \(endpoint)", errno: 98)
    }
    let listener = SimulatedListener(self, endpoint, handler)
    listeners.add(listener)
    return listener
  }

  func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection {
    let options = options.bounded
    try checkUp("connect \(endpoint)")
    try checkRemote(endpoint)
    guard exhaustedPorts == 0 else {
      throw NetworkError(.addressNotAvailable, call: "connect \(endpoint)", errno: 99)
    }
    let port = try freePort(isStreamPortTaken)
    let local = Endpoint(
      fabric.hosts.localAddress(of: index, towards: endpoint.address), port: port)
    let target = fabric.hosts.host(at: endpoint.address, from: index)
    let connection = SimulatedConnection(
      self, local: local, remote: endpoint, link: target.map { fabric.link(from: index, to: $0) },
      state: .synSent, options: options)
    connection.upcalls.handler = handler
    connections.add(connection)
    let timeout =
      target == nil
      ? min(options.connectTimeout, fabric.configuration.unreachableAfter.clamped(to: .settings))
      : options.connectTimeout
    connection.tcb.deadlines.failure = scheduler.now + timeout.nanoseconds
    connection.sendSYN()
    return connection
  }

  private func checkRemote(_ endpoint: Endpoint) throws(NetworkError) {
    guard endpoint.port > 0, !endpoint.address.isUnspecified else {
      throw NetworkError(.invalidArgument, call: "connect \(endpoint)", errno: 22)
    }
    guard HostTable.isOnSegment(endpoint.address), !isUnplugged || endpoint.address.isLoopback
    else {
      throw NetworkError(.networkUnreachable, call: "connect \(endpoint)", errno: 101)
    }
  }

  private func isStreamPortTaken(_ port: UInt16) -> Bool {
    listeners.isBound(port) || connections.isBound(port)
  }

  /// Why a segment is lost that has arrived, if so.
  func refusal(of segment: borrowing Segment) -> TraceEvent.Loss? {
    guard process.condition != .crashed else { return .down }
    guard segment.flags == .syn, let listener = listeners.listener(at: segment.destination) else {
      return nil
    }
    return listener.isFull && connections[segment.key] == nil ? .backlog : nil
  }

  /// Takes a segment that arrived at this host.
  func receive(_ segment: borrowing Segment) {
    if let connection = connections[segment.key] { return connection.receive(segment) }
    if segment.flags == .syn, let listener = listeners.listener(at: segment.destination) {
      return listener.begin(segment)
    }
    refuse(segment)
  }

  private func refuse(_ segment: borrowing Segment) {
    guard !segment.flags.contains(.rst) else { return }
    guard let target = fabric.hosts.host(at: segment.source.address, from: index) else { return }
    fabric.send(
      Segment(source: segment.destination, destination: segment.source, flags: .rst),
      over: fabric.link(from: index, to: target))
  }
}
