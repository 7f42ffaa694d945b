import EarshotSimulator
import Testing

@Suite("Simulated datagrams")
struct DatagramTests {
  @Test("A datagram arrives after the link's latency, and its answer after twice that")
  func echo() throws {
    let world = World(
      seed: 1,
      configuration: WorldConfiguration(
        defaultLink: LinkConditions(latency: .milliseconds(3), jitter: .zero)))
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let (answers, pings) = (DatagramLog(), DatagramLog(answers: true))
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: answers)
    _ = try bob.openDatagramSocket(
      on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: pings)
    try socket.send([1, 2, 3].span, to: Endpoint(bob.address, port: 7100), on: nil)
    world.run(for: .milliseconds(5))
    #expect(pings.received == [[1, 2, 3]])
    #expect(pings.headers.first?.source == Endpoint(ann.address, port: socket.localEndpoint.port))
    #expect(answers.received.isEmpty)
    world.run(for: .milliseconds(1))
    #expect(answers.received == [[1, 2, 3]])
    world.finish()
    #expect(answers.error?.code == .hostDown)
  }

  @Test("A multicast reaches the members of its group, and its sender when it loops")
  func multicast() throws {
    let world = World(seed: 1)
    let hosts = ["ann", "bob", "cleo"].map { world.makeHost($0) }
    let logs = hosts.map { _ in DatagramLog() }
    let group = IPAddress.v4(0xE000_00FB)
    let sockets = try zip(hosts, logs).map { host, log in
      try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: 5353), options: DatagramOptions(sharesPort: true), handler: log)
    }
    try sockets[0].join(group, on: 1)
    try sockets[1].join(group, on: 1)
    try sockets[0].send([9].span, to: Endpoint(group, port: 5353), on: 1)
    world.runUntilIdle()
    #expect(logs.map(\.received) == [[[9]], [[9]], []])
    world.finish()
  }
}
