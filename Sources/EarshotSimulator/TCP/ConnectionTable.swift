/// What tells the connections of a host apart.
struct ConnectionKey: Equatable {
  let local: Endpoint
  let remote: Endpoint

  /// The ports, which tell nearly all connections of a host apart.
  var hash: UInt64 { RollingHash.mix(UInt64(local.port) << 16 | UInt64(remote.port)) }
}

extension Segment {
  /// The connection that a segment belongs to at the host that receives it.
  var key: ConnectionKey { ConnectionKey(local: destination, remote: source) }
}

/// The TCP connections that a kernel keeps.
///
/// Looked at for every segment that arrives: a hash table with linear probing, since a dictionary's hash takes longer than
/// all the rest of finding one.
struct ConnectionTable: ~Copyable {
  private var slots: [SimulatedConnection?] = []  // None before the first connection.
  private var count = 0

  subscript(key: ConnectionKey) -> SimulatedConnection? {
    count == 0 ? nil : slots[slot(of: key)]
  }

  /// Adds a connection, in the place of one with the same key.
  mutating func add(_ connection: SimulatedConnection) {
    if 2 * (count + 1) > slots.count { grow() }
    let slot = slot(of: connection.key)
    if slots[slot] == nil { count += 1 }
    slots[slot] = connection
  }

  mutating func remove(_ key: ConnectionKey) {
    guard self[key] != nil else { return }
    var hole = slot(of: key)
    count -= 1
    var next = hole
    while true {
      next = (next + 1) & (slots.count - 1)
      guard let connection = slots[next] else { break }
      let distance = (next - home(of: connection.key)) & (slots.count - 1)
      if distance >= (next - hole) & (slots.count - 1) {
        slots[hole] = connection
        hole = next
      }
    }
    slots[hole] = nil
  }

  func isBound(_ port: UInt16) -> Bool { slots.contains { $0?.localEndpoint.port == port } }

  /// All connections, in an order that does not depend on how they are stored.
  var sorted: [SimulatedConnection] {
    slots.compactMap { $0 }.sorted {
      ($0.localEndpoint, $0.remoteEndpoint) < ($1.localEndpoint, $1.remoteEndpoint)
    }
  }

  /// Where a connection is, or the free place where it would be.
  private func slot(of key: ConnectionKey) -> Int {
    var slot = home(of: key)
    while let other = slots[slot], other.key != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private func home(of key: ConnectionKey) -> Int {
    Int(truncatingIfNeeded: key.hash) & (slots.count - 1)
  }

  private mutating func grow() {
    let connections = slots.compactMap { $0 }
    slots = [SimulatedConnection?](repeating: nil, count: max(8, 2 * slots.count))
    for connection in connections { slots[slot(of: connection.key)] = connection }
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
