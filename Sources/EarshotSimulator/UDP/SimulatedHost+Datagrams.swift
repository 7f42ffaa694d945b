extension SimulatedHost {
  /// Opens a UDP socket.
  ///
  /// - Parameters:
  ///   - endpoint: Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - options: Sharing of the port, and how multicast is sent.
  ///   - handler: Held until the socket is closed.
  /// - Returns: The socket, which receives from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `hostDown`.
  public func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket {
    try checkUp("bind \(endpoint)")
    var endpoint = endpoint
    try checkLocal(endpoint)
    if endpoint.port == 0 {
      endpoint.port = try freePort { port in
        sockets.contains { $0.localEndpoint.port == port }
      }
    } else if sockets.contains(where: { $0.excludes(endpoint, options) }) {
      throw NetworkError(.addressInUse, call: "bind \(endpoint)", errno: 98)
    }
    let socket = SimulatedDatagramSocket(self, endpoint, options, handler)
    sockets.append(socket)
    return socket
  }

  func checkLocal(_ endpoint: Endpoint) throws(NetworkError) {
    let address = endpoint.address
    guard !address.isUnspecified else { return }
    guard engine.fabric.host(at: address, from: index) == index || address.isMulticast else {
      throw NetworkError(.addressNotAvailable, call: "bind \(endpoint)", errno: 99)
    }
  }

  /// Who receives a datagram: of a multicast all that have joined its group, of others one.
  func receivers(of destination: Endpoint) -> [SimulatedDatagramSocket] {
    guard destination.address.isMulticast else {
      return socket(bound: destination.address, port: destination.port).map { [$0] } ?? []
    }
    return sockets.filter {
      $0.localEndpoint.port == destination.port && $0.groups.contains(destination.address)
    }
  }

  /// Why none of them receives a datagram of so many bytes, if so.
  func refusal(of count: Int, by receivers: [SimulatedDatagramSocket]) -> TraceEvent.Loss? {
    guard life.condition != .crashed else { return .down }
    guard let first = receivers.first else { return .unbound }
    guard let refusal = first.refusal(of: count) else { return nil }
    return receivers.allSatisfy { $0.refusal(of: count) != nil } ? refusal : nil
  }

  /// The socket that is bound to the address itself, or else one for all addresses; the latest of several.
  func socket(bound address: IPAddress, port: UInt16) -> SimulatedDatagramSocket? {
    var found: SimulatedDatagramSocket?
    for socket in sockets where socket.localEndpoint.port == port {
      if socket.localEndpoint.address == address {
        found = socket
      } else if socket.localEndpoint.address.covers(address),
        found?.localEndpoint.address != address
      {
        found = socket
      }
    }
    return found
  }
}

extension SimulatedDatagramSocket {
  /// Whether another socket must not be bound beside this one.
  func excludes(_ endpoint: Endpoint, _ other: DatagramOptions) -> Bool {
    guard localEndpoint.port == endpoint.port else { return false }
    if options.sharesPort && other.sharesPort { return false }
    let (mine, theirs) = (localEndpoint.address, endpoint.address)
    return mine == theirs || mine.covers(theirs) || theirs.covers(mine)
  }
}

extension IPAddress {
  var isV4: Bool { if case .v4 = self { true } else { false } }

  /// Whether the address stands for all addresses of a family, that of the other one.
  func covers(_ other: IPAddress) -> Bool { isUnspecified && isV4 == other.isV4 }
}
