/// What tells the connections of a host apart.
struct ConnectionKey: Hashable {
  let local: Endpoint
  let remote: Endpoint

  /// The ports tell nearly all connections of a host apart, and take a quarter of the time.
  func hash(into hasher: inout Hasher) {
    hasher.combine(UInt32(local.port) << 16 | UInt32(remote.port))
  }
}

extension Segment {
  /// The connection that a segment belongs to at the host that receives it.
  var key: ConnectionKey { ConnectionKey(local: destination, remote: source) }
}

/// The TCP connections that a kernel keeps.
struct ConnectionTable {
  private var connections: [ConnectionKey: SimulatedConnection] = [:]

  subscript(key: ConnectionKey) -> SimulatedConnection? { connections[key] }

  mutating func add(_ connection: SimulatedConnection) {
    connections[connection.key] = connection
  }

  mutating func remove(_ key: ConnectionKey) { connections[key] = nil }

  func isBound(_ port: UInt16) -> Bool { connections.keys.contains { $0.local.port == port } }

  /// All connections, in an order that does not depend on how they are stored.
  var sorted: [SimulatedConnection] {
    connections.values.sorted {
      ($0.localEndpoint, $0.remoteEndpoint) < ($1.localEndpoint, $1.remoteEndpoint)
    }
  }
}

/// The listening sockets of a host, in the order of their opening.
struct ListenerTable {
  private(set) var all: [SimulatedListener] = []

  mutating func add(_ listener: SimulatedListener) { all.append(listener) }

  mutating func remove(_ listener: SimulatedListener) { all.removeAll { $0 === listener } }

  func isBound(_ port: UInt16) -> Bool { all.contains { $0.localEndpoint.port == port } }

  /// Whether a listener must not be bound beside those that are there.
  func excludes(_ endpoint: Endpoint) -> Bool { all.contains { $0.excludes(endpoint) } }

  /// The listener that is bound to the endpoint itself, or else one for all addresses.
  func listener(at endpoint: Endpoint) -> SimulatedListener? {
    all.first { $0.localEndpoint == endpoint }
      ?? all.first {
        $0.localEndpoint.port == endpoint.port && $0.localEndpoint.address.covers(endpoint.address)
      }
  }
}
