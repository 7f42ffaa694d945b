import EarshotSimulator
import Synchronization

/// A connection from Ann to Bob, and every segment of it.
final class WatchedConnection {
  /// A segment as the trace shows it.
  struct Segment {
    let time: Duration
    let kind: TraceEvent.Kind
    let from: String
    let flags: String
    let sequence: Int
    let count: Int
  }
  let world: World
  let ann: SimulatedHost
  let bob: SimulatedHost
  let (client, server) = (ConnectionLog(), ConnectionLog())
  private(set) var segments: [Segment] = []

  /// A world with both hosts and a listener on Bob's.
  init(_ conditions: LinkConditions, seed: UInt64 = 1) throws {
    world = World(seed: seed, configuration: WorldConfiguration(defaultLink: conditions))
    (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    world.record { [unowned self] in take($0) }
  }

  /// A link of 10 ms each way that is fast, and carries segments of 1,448 bytes.
  static let fast = LinkConditions(
    latency: .milliseconds(10), jitter: .zero, bandwidth: 100_000_000)

  private func take(_ event: TraceEvent) {
    guard event.label == "tcp" else { return }
    let words = event.detail.split(separator: ", ")
    let sequence = words.first { $0.hasPrefix("seq ") }.flatMap { Int($0.dropFirst(4)) }
    let count = words.first { $0.hasSuffix(" bytes") }.flatMap { Int($0.dropLast(6)) }
    segments.append(
      Segment(
        time: event.time - .zero, kind: event.kind, from: event.from, flags: String(words[1]),
        sequence: sequence ?? -1, count: count ?? -1))
  }

  /// Begins the connection, for ever by default.
  @discardableResult
  func connect(
    _ options: ConnectionOptions = ConnectionOptions(
      connectTimeout: .seconds(1_000), userTimeout: nil)
  ) throws -> any Connection {
    try ann.connect(to: Endpoint(bob.address, port: 7100), options: options, handler: client)
  }

  /// Opens the connection.
  func open(_ options: ConnectionOptions? = nil) throws -> any Connection {
    let connection = try options.map { try connect($0) } ?? connect()
    while client.events.isEmpty { world.run(for: .milliseconds(1)) }
    return connection
  }

  /// The segments with data that Ann has sent, in that order.
  var sent: [Segment] {
    segments.filter { $0.kind == .sent && $0.from == "ann" && $0.count > 0 }
  }

  /// Those of them that were sent before.
  var resent: [Segment] {
    var end = 0
    return sent.filter { segment in
      defer { end = max(end, segment.sequence + segment.count) }
      return segment.sequence < end
    }
  }

  /// Loses the segments with data from Ann that are chosen by their number, from 0, once each.
  func lose(_ isLost: @escaping (Int) -> Bool) -> ActiveFault {
    var number = -1
    return world.add(
      Rule { packet, _ in
        guard packet.from == "ann", packet.payloadBytes > 0 else { return nil }
        number += 1
        return isLost(number) ? .drop : nil
      })
  }
}
