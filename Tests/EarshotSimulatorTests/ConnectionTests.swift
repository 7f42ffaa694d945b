import EarshotSimulator
import TestKit
import Testing

@Suite("Simulated connections")
struct ConnectionTests {
  private let patient = ConnectionOptions(connectTimeout: .seconds(60), userTimeout: nil)

  private func pair(_ world: World) -> (SimulatedHost, SimulatedHost) {
    (world.makeHost("ann"), world.makeHost("bob"))
  }

  @Test("A connection opens after one round trip, carries bytes both ways and ends in order")
  func life() throws {
    let world = World(
      seed: 1,
      configuration: WorldConfiguration(
        defaultLink: LinkConditions(latency: .milliseconds(5), jitter: .zero)))
    let (ann, bob) = pair(world)
    let (client, server) = (
      ConnectionLog(sending: [1, 2, 3], ending: true), ConnectionLog(endsOnEnd: true)
    )
    let listener = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    #expect(listener.localEndpoint.port == 7100)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(), handler: client)
    world.run(for: .milliseconds(9))
    #expect(client.events.isEmpty)
    world.run(for: .milliseconds(1))
    #expect(client.events == ["opened"])
    world.run(for: .milliseconds(20))
    #expect(server.events == ["accepted", "end"])
    #expect(server.received == [1, 2, 3])
    #expect(client.events == ["opened", "end"])
    world.finish()
  }

  @Test("Nobody listening is refused, nobody there is unreachable, silence is a timeout")
  func failures() throws {
    let world = World(seed: 1)
    let (ann, bob) = pair(world)
    let cleo = world.makeHost("cleo")
    world.crash(cleo)
    let logs = try [bob.address, .v4(0x0A00_FFFF), cleo.address].map { address in
      let log = ConnectionLog()
      _ = try ann.connect(
        to: Endpoint(address, port: 7100), options: ConnectionOptions(), handler: log)
      return log
    }
    world.run(for: .seconds(4))
    #expect(logs.map(\.events) == [["connectionRefused"], ["hostUnreachable"], []])
    world.run(for: .seconds(2))
    #expect(logs[2].events == ["timedOut"])
    world.finish()
  }

  @Test("Every byte arrives, in order, whatever is lost", arguments: Seed.some(12))
  func loss(seed: Seed) throws {
    let world = World(seed: seed.value)
    let (ann, bob) = pair(world)
    world.setLink(
      between: ann, and: bob,
      LinkConditions(
        loss: .percent(20 + Int(seed.value % 3) * 10), duplication: .percent(5),
        reordering: .percent(10)))
    var random = seed.generator
    let bytes = random.bytes(60_000)
    let (client, server) = (ConnectionLog(sending: bytes, ending: true), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: patient, handler: client)
    world.run(for: .seconds(30_000))
    #expect(server.received == bytes)
    #expect(server.events.last == "end")
    world.finish()
  }

  @Test("A large write is taken in parts, and the writer hears when there is room")
  func large() throws {
    let world = World(seed: 3)
    let (ann, bob) = pair(world)
    var random = RandomStream(seed: 3)
    let bytes = random.bytes(3_000_000)
    let (client, server) = (ConnectionLog(sending: bytes, ending: true), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(), handler: client)
    world.run(for: .milliseconds(3))
    #expect(client.unsentCount > 2_000_000)
    world.run(for: .seconds(2))
    #expect(server.received == bytes)
    #expect(server.events == ["accepted", "end"])
    world.finish()
  }

  @Test("A reader that pauses holds the writer back, and loses nothing")
  func pausing() throws {
    let world = World(seed: 3)
    let (ann, bob) = pair(world)
    var random = RandomStream(seed: 4)
    let bytes = random.bytes(2_000_000)
    let (client, server) = (ConnectionLog(sending: bytes, ending: true), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: patient, handler: client)
    world.run(for: .milliseconds(5))
    server.connection?.pauseReading()
    world.run(for: .seconds(30))
    #expect(server.received.count < 600_000)
    #expect(client.unsentCount > 1_000_000)
    server.connection?.resumeReading()
    world.run(for: .seconds(60))
    #expect(server.received == bytes)
    world.finish()
  }

  @Test("A reader that pauses for hours costs no connection, and goes on within a second")
  func longPause() throws {
    let world = World(seed: 3)
    let (ann, bob) = pair(world)
    let bytes = [UInt8](repeating: 6, count: 1_500_000)
    let (client, server) = (ConnectionLog(sending: bytes, ending: true), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: patient, handler: client)
    world.run(for: .milliseconds(5))
    server.connection?.pauseReading()
    world.run(for: .seconds(4 * 3_600))
    #expect(client.events == ["opened"])
    world.setDefaultLink(LinkConditions(loss: .percent(10)))
    server.connection?.resumeReading()
    let before = server.received.count
    world.run(for: .seconds(1))
    #expect(server.received.count > before + 131_072)
    world.run(for: .seconds(600))
    #expect(server.received == bytes)
    world.finish()
  }

  @Test("A host that crashes is silent; restarted it answers with a reset")
  func halfOpen() throws {
    let world = World(seed: 5)
    let (ann, bob) = pair(world)
    let (client, server) = (ConnectionLog(), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    let connection = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: patient, handler: client)
    world.run(for: .seconds(1))
    world.crash(bob)
    world.run(for: .seconds(10))
    #expect(client.events == ["opened"])
    let next = world.restart(bob)
    _ = try connection.write([1].span)
    world.run(for: .seconds(1))
    #expect(client.events == ["opened", "connectionReset"])
    #expect(server.events == ["accepted"])
    #expect(next.isUp && !bob.isUp)
    world.finish()
    #expect(server.events == ["accepted", "listener hostDown", "hostDown"])
  }

  @Test("Unacknowledged data fails the connection the user timeout after it was first sent again")
  func userTimeout() throws {
    let world = World(seed: 5)
    let (ann, bob) = pair(world)
    let (client, server) = (ConnectionLog(), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: server)
    let connection = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(), handler: client)
    world.run(for: .seconds(1))
    world.partition([[ann], [bob]])
    _ = try connection.write([1].span)
    world.run(for: .milliseconds(5_400))
    #expect(client.events == ["opened"])
    world.run(for: .milliseconds(100))
    #expect(client.events == ["opened", "timedOut"])
    world.finish()
  }
}
