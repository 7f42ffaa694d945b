import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// Numbers that hosts take, in the simulator and over real sockets.
@Suite("Numbers in calls of hosts", .timeLimit(.minutes(30)))
struct NetworkNumberTests {
  private static let connections: [ExtremeSettings<ConnectionOptions>] = [
    ExtremeSettings.rows(
      "connectTimeout", \.connectTimeout, Extremes.durations, in: ConnectionOptions()),
    ExtremeSettings.rows(
      "userTimeout", \.userTimeout, Extremes.durations.map { $0 } + [nil], in: ConnectionOptions()),
    ExtremeSettings.rows(
      "firstInterface: Optional<UInt32>", \.firstInterface,
      Extremes.integers(of: UInt32.self).map { $0 } + [nil],
      in: ConnectionOptions()),
  ].flatMap(\.self)

  private static let datagrams: [ExtremeSettings<DatagramOptions>] = [
    ExtremeSettings.rows(
      "hopLimit", \.hopLimit, Extremes.integers(of: UInt8.self), in: DatagramOptions()),
    ExtremeSettings.rows(
      "multicastHopLimit", \.multicastHopLimit, Extremes.integers(of: UInt8.self),
      in: DatagramOptions()),
    ExtremeSettings.rows(
      "receiveBufferBytes", \.receiveBufferBytes, Extremes.integers().map { $0 } + [nil],
      in: DatagramOptions()),
  ].flatMap(\.self)

  @Test(
    "A connection with any timeout opens or times out, and carries bytes until it is closed",
    arguments: connections, [Ground.simulated, .real])
  func connection(row: ExtremeSettings<ConnectionOptions>, ground: Ground) async throws {
    try await ground.meetOnHosts(2) { hosts in
      let address: IPAddress = try #require(
        hosts[1].interfaces.flatMap(\.addresses).first { $0.family == .v4 })
      try await hosts[0].sleep(for: .milliseconds(1))  // The clock shows something.
      let (client, server) = (Ends(sending: [1, 2, 3]), Ends())
      let listener = try await on(hosts[1]) { host in
        try host.listen(on: Endpoint(.anyV4, port: 0), handler: server)
      }
      let port = listener.localEndpoint.port
      let connection = try await on(hosts[0]) { host in
        try host.connect(to: Endpoint(address, port: port), options: row.settings, handler: client)
      }
      while server.received.count < 3, client.error == nil {
        try await hosts[0].sleep(for: .milliseconds(1))
      }
      if let error = client.error { #expect(error.code == .timedOut) }
      connection.close()
      listener.close()
    }
  }

  @Test(
    "A datagram socket with any options opens, or says why not",
    arguments: datagrams, [Ground.simulated, .real])
  func socket(row: ExtremeSettings<DatagramOptions>, ground: Ground) async throws {
    try await ground.meetOnHosts(1) { hosts in
      do {
        let channel = try await on(hosts[0]) { host in
          try DatagramChannel(
            on: host, endpoint: Endpoint(.anyV4, port: 0), options: row.settings)
        }
        try await exchange(over: channel, on: hosts[0])
      } catch let error as NetworkError {
        #expect(row.settings.hopLimit == 0 && error.code == .invalidArgument)
      }
    }
  }

  @Test(
    "A datagram channel of any capacity receives",
    arguments: Extremes.integers(), [Ground.simulated, .real])
  func capacity(capacity: Int, ground: Ground) async throws {
    try await ground.meetOnHosts(1) { hosts in
      let channel = try await on(hosts[0]) { host in
        try DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 0), capacity: capacity)
      }
      try await exchange(over: channel, on: hosts[0])
    }
  }

  @Test(
    "A wait for a datagram until any instant ends with the datagram, or then",
    arguments: Extremes.instants, [Ground.simulated, .real])
  func wait(deadline: Instant, ground: Ground) async throws {
    try await ground.meetOnHosts(1) { hosts in
      let channel = try await on(hosts[0]) { host in
        try DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 0))
      }
      let waiting = Task(executorPreference: hosts[0].executor.task) {
        try await channel.receive(until: deadline)
      }
      try await hosts[0].sleep(for: .milliseconds(5))
      try await exchange(over: channel, on: hosts[0], isReceiving: deadline < .distantFuture)
      let datagram = try await waiting.value
      #expect((datagram != nil) == (deadline == .distantFuture))
    }
  }

  @Test(
    "Datagrams of any size are sent, or refused as an invalid argument",
    arguments: Extremes.integers(), [Ground.simulated, .real])
  func size(size: Int, ground: Ground) async throws {
    try await ground.meetOnHosts(1) { hosts in
      let (handler, bytes) = (Ends(), [UInt8](repeating: 1, count: 3))
      let code = try await on(hosts[0]) { host -> NetworkError.Code? in
        let socket = try host.openDatagramSocket(
          on: Endpoint(.v4(0x7F00_0001), port: 0), options: DatagramOptions(), handler: handler)
        defer { socket.close() }
        do throws(NetworkError) {
          let sent = try socket.send(bytes.span, inDatagramsOf: size, to: socket.localEndpoint)
          #expect(sent == 3)
          return nil
        } catch { return error.code }
      }
      #expect(code == (size < 1 ? .invalidArgument : nil))
    }
  }

  @Test(
    "A group is joined and sent to on interfaces of any index, or the system says why not",
    arguments: Extremes.integers(of: UInt32.self), [Ground.simulated, .real])
  func interface(index: UInt32, ground: Ground) async throws {
    try await ground.meetOnHosts(1) { hosts in
      let channel = try await on(hosts[0]) { host in
        try DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 0))
      }
      try await on(hosts[0]) { _ in
        let group = IPAddress.v4(0xE000_00FB)
        do { try channel.join(group, on: index) } catch { #expect(index != 1) }
        try? channel.send([1].span, to: Endpoint(group, port: 7100), on: index)
        channel.leave(group, on: index)
      }
      channel.close()
    }
  }

  @Test("Every number in the options of hosts has its extremes in the table")
  func complete() {
    #expect(
      PublicNumbers.properties(of: ConnectionOptions(), besides: [])
        == Set(Self.connections.map(\.property)))
    #expect(
      PublicNumbers.properties(of: DatagramOptions(), besides: [Bool.self])
        == Set(Self.datagrams.map(\.property)))
  }

  private func exchange(
    over channel: DatagramChannel, on host: any NetworkHost, isReceiving: Bool = true
  ) async throws {
    let port = channel.localEndpoint.port
    try await on(host) { _ in
      try channel.send([5].span, to: Endpoint(.v4(0x7F00_0001), port: port))
    }
    if isReceiving { #expect(try await channel.receive()?.bytes == [5]) }
  }
}

/// Does something where a host's code runs.
private func on<Result: Sendable>(
  _ host: any NetworkHost, _ body: @escaping @Sendable (any NetworkHost) async throws -> Result
) async throws -> Result {
  try await Task(executorPreference: host.executor.task) { try await body(host) }.value
}

/// One side of a connection or a socket.
private final class Ends: ConnectionHandler, ListenerHandler, DatagramHandler {
  private struct State {
    var received: [UInt8] = []
    var error: NetworkError?
  }
  private let state = Mutex(State())
  private let bytes: [UInt8]

  init(sending bytes: [UInt8] = []) { self.bytes = bytes }

  var received: [UInt8] { state.withLock { $0.received } }
  var error: NetworkError? { state.withLock { $0.error } }

  func connectionOpened(_ connection: any Connection) {
    let bytes = bytes
    do { _ = try connection.write(bytes.span) } catch { Issue.record(error) }
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    let copy = (0..<bytes.count).map { bytes[$0] }
    state.withLock { $0.received += copy }
  }

  func connectionReceivedEnd(_ connection: any Connection) {}

  func connectionBecameWritable(_ connection: any Connection) {}

  func connection(_ connection: any Connection, failed error: NetworkError) {
    state.withLock { $0.error = error }
  }

  func listener(
    _ listener: any Listener, accepted connection: any Connection
  ) -> (any ConnectionHandler)? { self }

  func listener(_ listener: any Listener, failed error: NetworkError) {}

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {}

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
}
