/// The UDP sockets of a host, in the order of their opening.
struct DatagramSocketTable: ~Copyable {
  private(set) var all: [SimulatedDatagramSocket] = []

  mutating func add(_ socket: SimulatedDatagramSocket) { all.append(socket) }

  mutating func remove(_ socket: SimulatedDatagramSocket) { all.removeAll { $0 === socket } }

  func isBound(_ port: UInt16) -> Bool { all.contains { $0.localEndpoint.port == port } }

  /// Whether a socket must not be bound beside those that are there.
  func excludes(_ endpoint: Endpoint, _ options: DatagramOptions) -> Bool {
    all.contains { $0.excludes(endpoint, options) }
  }

  /// The sockets that receive a multicast: all that have joined its group.
  func receivers(of destination: Endpoint) -> [SimulatedDatagramSocket] {
    all.filter { $0.receives(destination) }
  }

  /// The socket that receives a multicast, unless several do, or none.
  func onlyReceiver(of destination: Endpoint) -> SimulatedDatagramSocket? {
    guard let first = all.firstIndex(where: { $0.receives(destination) }),
      !all[(first + 1)...].contains(where: { $0.receives(destination) })
    else { return nil }
    return all[first]
  }

  /// The socket that is bound to the address itself, or else one for all addresses; the latest of several.
  func receiver(of destination: Endpoint) -> SimulatedDatagramSocket? {
    all.last { $0.localEndpoint == destination }
      ?? all.last {
        $0.localEndpoint.port == destination.port
          && $0.localEndpoint.address.covers(destination.address)
      }
  }
}
