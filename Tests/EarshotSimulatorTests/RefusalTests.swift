import EarshotSimulator
import Synchronization
import Testing

@Suite("Calls that a simulated host refuses, and ends of connections")
struct RefusalTests {
  private let world = World(seed: 1)

  private func pair() -> (SimulatedHost, SimulatedHost) {
    (world.makeHost("ann"), world.makeHost("bob"))
  }

  /// Ann's connection to Bob, which opens when the world runs, and what each of them hears of it.
  private func connect() throws -> (any Connection, client: ConnectionLog, server: ConnectionLog) {
    let (ann, bob) = pair()
    let (client, server) = (ConnectionLog(), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    let connection = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(), handler: client)
    return (connection, client, server)
  }

  private func code(_ call: () throws -> Void) -> NetworkError.Code? {
    do { try call() } catch { return (error as? NetworkError)?.code }
    return nil
  }

  @Test("A connection takes bytes from its opening to the end of its direction")
  func writing() throws {
    let (connection, _, server) = try connect()
    func write() throws { _ = try connection.write([1].span) }
    #expect(code(write) == .notConnected)
    world.run(for: .seconds(1))
    #expect(code(write) == nil)
    connection.finishWriting()
    #expect(code(write) == .brokenPipe)
    world.run(for: .seconds(1))
    #expect(server.events == ["accepted", "end"])
    world.finish()
    #expect(code(write) == .hostDown)
  }

  @Test("A connection that both close ends in order, and its port serves again after a minute")
  func closing() throws {
    let (connection, client, server) = try connect()
    world.run(for: .seconds(1))
    _ = try connection.write([1, 2].span)
    connection.close()
    world.run(for: .seconds(1))
    #expect(server.received == [1, 2])
    #expect(server.events == ["accepted", "end"])
    server.connection?.close()
    world.run(for: .seconds(70))
    #expect(client.events == ["opened"])
    #expect(server.events == ["accepted", "end"])
    #expect(world.runUntilIdle(limit: world.now + .seconds(100)))
    world.finish()
  }

  @Test("Who writes to a connection that the other side has closed is reset")
  func writingToAClosedConnection() throws {
    let (connection, client, server) = try connect()
    world.run(for: .seconds(1))
    server.connection?.close()
    world.run(for: .seconds(1))
    #expect(client.events == ["opened", "end"])
    _ = try connection.write([1].span)
    world.run(for: .seconds(1))
    #expect(client.events == ["opened", "end", "connectionReset"])
    world.finish()
  }

  @Test(
    "A reset, and a close before all was read, are resets for the other side", arguments: [0, 1])
  func resetting(unread: Int) throws {
    let (connection, client, server) = try connect()
    world.run(for: .seconds(1))
    let accepted = try #require(server.connection)
    accepted.pauseReading()
    if unread > 0 { _ = try connection.write([1].span) }
    world.run(for: .seconds(1))
    if unread > 0 { accepted.close() } else { accepted.reset() }
    accepted.reset()
    accepted.close()
    world.run(for: .seconds(1))
    #expect(client.events == ["opened", "connectionReset"])
    #expect(server.events == ["accepted"])
    world.finish()
  }

  @Test("A listener that is closed accepts no more, and resets who was not accepted yet")
  func closedListener() throws {
    let (ann, bob) = pair()
    let (first, second) = (ConnectionLog(), ConnectionLog())
    let listener = try bob.listen(on: Endpoint(.anyV4, port: 0), handler: ConnectionLog())
    let endpoint = Endpoint(bob.address, port: listener.localEndpoint.port)
    #expect(endpoint.port >= 49_152)
    world.freeze(bob)
    _ = try ann.connect(to: endpoint, options: ConnectionOptions(), handler: first)
    world.run(for: .seconds(1))
    #expect(first.events == ["opened"])
    listener.close()
    listener.close()
    _ = try ann.connect(to: endpoint, options: ConnectionOptions(), handler: second)
    world.run(for: .seconds(1))
    #expect(first.events == ["opened", "connectionReset"])
    #expect(second.events == ["connectionRefused"])
    world.finish()
  }

  @Test("A connection that the listener's handler does not want is reset")
  func unwanted() throws {
    final class Refusing: ListenerHandler {
      func listener(_ listener: any Listener, accepted connection: any Connection)
        -> (any ConnectionHandler)?
      { nil }
      func listener(_ listener: any Listener, failed error: NetworkError) {}
    }
    let (ann, bob) = pair()
    let client = ConnectionLog()
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: Refusing())
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(), handler: client)
    world.run(for: .seconds(1))
    #expect(client.events == ["opened", "connectionReset"])
    world.finish()
  }

  @Test("A port is one listener's, and an address is a neighbour's or none")
  func endpoints() throws {
    let (ann, bob) = pair()
    func listen(_ endpoint: Endpoint) -> NetworkError.Code? {
      code { _ = try ann.listen(on: endpoint, handler: ConnectionLog()) }
    }
    func connect(_ endpoint: Endpoint) -> NetworkError.Code? {
      code {
        _ = try ann.connect(to: endpoint, options: ConnectionOptions(), handler: ConnectionLog())
      }
    }
    #expect(listen(Endpoint(ann.address, port: 7100)) == nil)
    #expect(listen(Endpoint(.anyV4, port: 7100)) == .addressInUse)
    #expect(listen(Endpoint(.anyV4, port: 7101)) == nil)
    #expect(listen(Endpoint(bob.address, port: 7102)) == .addressNotAvailable)
    #expect(connect(Endpoint(bob.address, port: 0)) == .invalidArgument)
    #expect(connect(Endpoint(.v4(0x0808_0808), port: 7100)) == .networkUnreachable)
    world.crash(ann)
    #expect(listen(Endpoint(.anyV4, port: 7103)) == .hostDown)
    #expect(connect(Endpoint(bob.address, port: 7100)) == .hostDown)
    world.finish()
  }

  @Test("A datagram that cannot be sent says why, and so does a group that cannot be joined")
  func datagrams() throws {
    let (ann, bob) = pair()
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 5), options: DatagramOptions(), handler: DatagramLog())
    func send(
      _ count: Int = 1, to endpoint: Endpoint? = nil, on interface: UInt32? = nil
    ) -> NetworkError.Code? {
      let bytes = [UInt8](repeating: 1, count: count)
      let target = endpoint ?? Endpoint(bob.address, port: 7)
      return code { try socket.send(bytes.span, to: target, on: interface) }
    }
    let group = IPAddress.v4(0xE000_00FB)
    #expect(send(65_507) == nil)
    #expect(send(65_508) == .messageTooLong)
    #expect(send(on: 2) == .networkUnreachable)
    #expect(send(to: Endpoint(bob.address, port: 0)) == .invalidArgument)
    #expect(send(to: Endpoint(.v4(0x0808_0808), port: 7)) == .networkUnreachable)
    #expect(send(to: Endpoint(.v4(0x0A00_FFFF), port: 7)) == nil)
    #expect(code { try socket.join(bob.address, on: 1) } == .invalidArgument)
    #expect(code { try socket.join(group, on: 2) } == .addressNotAvailable)
    world.suspend(ann)
    #expect(send() == .connectionAborted)
    #expect(code { try socket.join(group, on: 1) } == .connectionAborted)
    world.crash(ann)
    #expect(send() == .hostDown)
    world.finish()
  }

  @Test("A port is one socket's unless both share it")
  func datagramPorts() throws {
    let (ann, bob) = pair()
    func open(_ endpoint: Endpoint, _ shares: Bool) -> NetworkError.Code? {
      code {
        _ = try ann.openDatagramSocket(
          on: endpoint, options: DatagramOptions(sharesPort: shares), handler: DatagramLog())
      }
    }
    #expect(open(Endpoint(.anyV4, port: 7), true) == nil)
    #expect(open(Endpoint(.anyV4, port: 7), true) == nil)
    #expect(open(Endpoint(ann.address, port: 7), false) == .addressInUse)
    #expect(open(Endpoint(ann.address, port: 8), false) == nil)
    #expect(open(Endpoint(bob.address, port: 9), false) == .addressNotAvailable)
    world.finish()
  }

  @Test("Who has left a group hears no more of it")
  func leaving() throws {
    let (ann, bob) = pair()
    let (log, group) = (DatagramLog(), IPAddress.v4(0xE000_00FB))
    let options = DatagramOptions(sharesPort: true)
    let member = try bob.openDatagramSocket(
      on: Endpoint(.anyV4, port: 7), options: options, handler: log)
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 7), options: options, handler: DatagramLog())
    try member.join(group, on: 1)
    try member.join(group, on: 1)
    try socket.send([1].span, to: Endpoint(group, port: 7), on: 1)
    world.runUntilIdle()
    member.leave(group, on: 2)
    try socket.send([2].span, to: Endpoint(group, port: 7), on: 1)
    world.runUntilIdle()
    member.leave(group, on: 1)
    member.leave(group, on: 1)
    try socket.send([3].span, to: Endpoint(group, port: 7), on: 1)
    world.runUntilIdle()
    #expect(log.received == [[1], [2]])
    world.finish()
  }

  @Test("A host has one interface with two addresses, and none when it is down")
  func interfaces() {
    let (ann, bob) = pair()
    #expect(bob.interfaces.map(\.name) == ["en0"])
    #expect(bob.interfaces.first?.addresses.first == bob.address)
    #expect(bob.interfaces.first?.addresses.last == .v6(0xFE80 << 48, 2, scope: 1))
    let changes = Mutex(0)
    let observation = bob.observeInterfaces { changes.withLock { $0 += 1 } }
    world.crash(ann)
    #expect(ann.interfaces.isEmpty)
    observation.cancel()
    world.finish()
    #expect(changes.withLock { $0 } == 0)
  }

  @Test("A signal fires once for all raises before, and the end is told to whoever still observes")
  func signals() {
    let (ann, _) = pair()
    let heard = Mutex<[String]>([])
    let signal = ann.makeSignal { heard.withLock { $0.append("signal") } }
    let kept = ann.observeShutdown { heard.withLock { $0.append("end") } }
    let cancelled = ann.observeShutdown { heard.withLock { $0.append("cancelled") } }
    cancelled.cancel()
    signal.raise()
    signal.raise()
    world.run(for: .seconds(1))
    #expect(heard.withLock { $0 } == ["signal"])
    signal.raise()
    world.run(for: .seconds(1))
    world.finish()
    #expect(heard.withLock { $0 } == ["signal", "signal", "end"])
    withExtendedLifetime(kept) {}
  }

  @Test("A timer that came due in vain can be armed anew")
  func overdueTimer() {
    let (ann, _) = pair()
    let fired = Mutex(0)
    let timers = (0..<2).map { _ in ann.makeTimer { fired.withLock { $0 += 1 } } }
    for timer in timers { timer.arm(at: .zero + .seconds(1)) }
    world.freeze(ann)
    world.run(for: .seconds(2))
    timers[0].arm(at: .zero + .seconds(10))
    world.resume(ann)
    world.run(for: .seconds(1))
    #expect(fired.withLock { $0 } == 1)
    world.run(for: .seconds(10))
    #expect(fired.withLock { $0 } == 2)
    withExtendedLifetime(timers) { world.finish() }
  }
}
