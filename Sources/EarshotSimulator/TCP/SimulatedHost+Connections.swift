extension SimulatedHost {
  /// Accepts TCP connections.
  ///
  /// - Parameters:
  ///   - endpoint: Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - handler: Held until the listener is closed.
  /// - Returns: The listener, which accepts from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `hostDown`.
  public func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener {
    try checkUp("listen \(endpoint)")
    try checkLocal(endpoint)
    var endpoint = endpoint
    if endpoint.port == 0 {
      endpoint.port = try freePort { port in isListening(at: port) || isConnected(at: port) }
    } else if listeners.contains(where: { $0.excludes(endpoint) }) {
      throw NetworkError(.addressInUse, call: "bind \(endpoint)", errno: 98)
    }
    let listener = SimulatedListener(self, endpoint, handler)
    listeners.append(listener)
    return listener
  }

  /// Begins a TCP connection; the handler is told when it is open or has failed.
  ///
  /// An address of the segment that no host has fails with `hostUnreachable` after the time that the world's
  /// configuration says; a host that has crashed is as silent as one behind a cut, which is `timedOut`.
  ///
  /// - Parameters:
  ///   - endpoint: Where to.
  ///   - options: Timeouts of the transport.
  ///   - handler: Held until the connection is closed or has failed.
  /// - Returns: The connection, which is not open yet.
  /// - Throws: `invalidArgument`, `networkUnreachable`, `hostDown`.
  public func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection {
    try checkUp("connect \(endpoint)")
    try checkRemote(endpoint)
    let port = try freePort { port in isListening(at: port) || isConnected(at: port) }
    let local = Endpoint(Fabric.localAddress(of: index, towards: endpoint.address), port: port)
    let target = engine.fabric.host(at: endpoint.address, from: index)
    let connection = SimulatedConnection(
      self, local: local, remote: endpoint,
      link: target.map { engine.fabric.link(from: index, to: $0) }, state: .synSent,
      options: options)
    connection.handler = handler
    connections[connection.key] = connection
    let patience =
      target == nil
      ? min(options.connectTimeout, engine.configuration.unreachableAfter)
      : options.connectTimeout
    connection.deadlines.giveUp = engine.now + max(0, patience.nanoseconds)
    connection.sendSYN()
    return connection
  }

  private func checkRemote(_ endpoint: Endpoint) throws(NetworkError) {
    guard endpoint.port > 0, !endpoint.address.isUnspecified else {
      throw NetworkError(.invalidArgument, call: "connect \(endpoint)", errno: 22)
    }
    guard Fabric.isOnSegment(endpoint.address) else {
      throw NetworkError(.networkUnreachable, call: "connect \(endpoint)", errno: 101)
    }
  }

  private func isListening(at port: UInt16) -> Bool {
    listeners.contains { $0.localEndpoint.port == port }
  }

  private func isConnected(at port: UInt16) -> Bool {
    connections.keys.contains { $0.local.port == port }
  }

  /// Why a segment is lost that has arrived, if so.
  func refusal(of segment: Segment) -> TraceEvent.Loss? {
    guard life.condition != .crashed else { return .down }
    guard segment.flags == .syn, let listener = listener(at: segment.destination) else {
      return nil
    }
    let key = ConnectionKey(local: segment.destination, remote: segment.source)
    return listener.isFull && connections[key] == nil ? .backlog : nil
  }

  /// Takes a segment that arrived at this host.
  func receive(_ segment: Segment) {
    let key = ConnectionKey(local: segment.destination, remote: segment.source)
    if let connection = connections[key] { return connection.receive(segment) }
    if segment.flags == .syn, let listener = listener(at: segment.destination) {
      return listener.begin(segment)
    }
    refuse(segment)
  }

  private func listener(at endpoint: Endpoint) -> SimulatedListener? {
    listeners.first { $0.localEndpoint == endpoint }
      ?? listeners.first {
        $0.localEndpoint.port == endpoint.port && $0.localEndpoint.address.covers(endpoint.address)
      }
  }

  private func refuse(_ segment: Segment) {
    guard !segment.flags.contains(.rst) else { return }
    guard let target = engine.fabric.host(at: segment.source.address, from: index) else { return }
    engine.send(
      Segment(source: segment.destination, destination: segment.source, flags: .rst),
      over: engine.fabric.link(from: index, to: target))
  }
}

extension SimulatedListener {
  /// Whether another listener must not be bound beside this one.
  func excludes(_ endpoint: Endpoint) -> Bool {
    guard localEndpoint.port == endpoint.port else { return false }
    let (mine, theirs) = (localEndpoint.address, endpoint.address)
    return mine == theirs || mine.covers(theirs) || theirs.covers(mine)
  }
}
