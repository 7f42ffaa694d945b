/// The UDP sockets of a host, in the order of their opening.
struct DatagramSocketTable {
  private(set) var all: [SimulatedDatagramSocket] = []

  mutating func add(_ socket: SimulatedDatagramSocket) { all.append(socket) }

  mutating func remove(_ socket: SimulatedDatagramSocket) { all.removeAll { $0 === socket } }

  func isBound(_ port: UInt16) -> Bool { all.contains { $0.localEndpoint.port == port } }

  /// Whether a socket must not be bound beside those that are there.
  func excludes(_ endpoint: Endpoint, _ options: DatagramOptions) -> Bool {
    all.contains { $0.excludes(endpoint, options) }
  }

  /// The sockets that receive a datagram: of a multicast all that have joined its group, of others one.
  func receivers(of destination: Endpoint) -> [SimulatedDatagramSocket] {
    all.filter {
      $0.localEndpoint.port == destination.port && $0.groups.contains(destination.address)
    }
  }

  /// The socket that is bound to the address itself, or else one for all addresses; the latest of several.
  func socket(bound address: IPAddress, port: UInt16) -> SimulatedDatagramSocket? {
    var found: SimulatedDatagramSocket?
    for socket in all where socket.localEndpoint.port == port {
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
