/// The UDP sockets of a host, in the order of their opening.
struct DatagramSocketTable: ~Copyable {
  private struct Membership {
    let group: Endpoint
    let socket: SimulatedDatagramSocket
  }
  private(set) var all: [SimulatedDatagramSocket] = [] {
    didSet { only = all.count == 1 ? all.first : nil }
  }
  /// The socket of a host that has just one; at hand, since the array is one more cold line of memory for every datagram.
  private var only: SimulatedDatagramSocket?
  /// Which sockets have joined which groups: in one place, since it is looked at for every multicast.
  private var memberships: [Membership] = []

  mutating func add(_ socket: SimulatedDatagramSocket) { all.append(socket) }

  mutating func remove(_ socket: SimulatedDatagramSocket) {
    all.removeAll { $0 === socket }
    memberships.removeAll { $0.socket === socket }
  }

  mutating func join(_ group: IPAddress, _ socket: SimulatedDatagramSocket) {
    let group = Endpoint(group, port: socket.localEndpoint.port)
    memberships.append(Membership(group: group, socket: socket))
  }

  mutating func leave(_ group: IPAddress, _ socket: SimulatedDatagramSocket) {
    memberships.removeAll { $0.socket === socket && $0.group.address == group }
  }

  func isBound(_ port: UInt16) -> Bool { all.contains { $0.localEndpoint.port == port } }

  func count(at port: UInt16) -> Int { all.count { $0.localEndpoint.port == port } }

  /// Whether a socket must not be bound beside those that are there.
  func excludes(_ endpoint: Endpoint, _ options: DatagramOptions) -> Bool {
    all.contains { $0.excludes(endpoint, options) }
  }

  /// The sockets that receive a multicast: all that have joined its group.
  func receivers(of destination: Endpoint) -> [SimulatedDatagramSocket] {
    all.filter {
      $0.localEndpoint.port == destination.port && $0.groups.contains(destination.address)
    }
  }

  /// The socket that receives a multicast, unless several do, or none.
  func onlyReceiver(of destination: Endpoint) -> SimulatedDatagramSocket? {
    var only: Int?
    for place in memberships.indices where memberships[place].group == destination {
      guard only == nil else { return nil }
      only = place
    }
    return only.map { memberships[$0].socket }
  }

  /// The socket that is bound to the address itself, or else one for all addresses; the latest of several.
  func receiver(of destination: Endpoint) -> SimulatedDatagramSocket? {
    if let only { return only.receives(destination) ? only : nil }
    return all.last { $0.localEndpoint == destination } ?? all.last { $0.receives(destination) }
  }
}

extension SimulatedDatagramSocket {
  /// Whether it is bound to an endpoint, or to the port of all addresses.
  fileprivate func receives(_ destination: Endpoint) -> Bool {
    localEndpoint.port == destination.port
      && (localEndpoint.address == destination.address
        || localEndpoint.address.covers(destination.address))
  }
}
