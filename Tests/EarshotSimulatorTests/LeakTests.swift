import EarshotCore
import EarshotSimulator
import TestKit
import Testing

@Suite("What is left")
struct LeakTests {
  @Test("A world names what code of its hosts has begun and not ended, each thing by itself")
  func kinds() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let bob = world.makeHost("bob")
    #expect(world.leaks == [])
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 5353), options: DatagramOptions(), handler: DatagramLog())
    let listener = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: ConnectionLog())
    let client = ConnectionLog()
    let connection = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(), handler: client)
    let timer = ann.makeTimer {}
    timer.arm(at: .zero + .seconds(100))
    let task = bob.addTask("reply") { await Waiting.forever() }
    world.run(for: .seconds(1))
    #expect(
      world.leaks.map { "\($0.host) \($0.kind)" } == [
        "ann datagramSocket", "ann connection", "ann timer",
        "bob listener", "bob connection", "bob task",
      ])
    let texts = world.leaks.map(\.description)
    try #require(texts.count == 6)
    #expect(texts[0] == "datagram socket 0.0.0.0:5353 of host 'ann'")
    #expect(texts[1].hasPrefix("connection 10.0.0.1:") && texts[1].contains("10.0.0.2:7100"))
    #expect(texts[2] == "timer due at 100.000000 of host 'ann'")
    #expect(texts[5] == "task 'reply' of host 'bob'")
    socket.close()
    timer.disarm()
    task.cancel()
    listener.close()
    world.run(for: .seconds(1))
    #expect(world.leaks.map { "\($0.host) \($0.kind)" } == ["ann connection", "bob connection"])
    connection.close()
    world.run(for: .milliseconds(100))
    // Its kernel still remembers it.
    #expect(world.leaks.map(\.host) == ["bob"])
    world.crash(bob)
    #expect(world.leaks == [])
    world.finish()
  }

  @Test("What is left names the event during which it was opened")
  func origin() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    var timers: [Int] = []
    world.record { event in
      if event.description.contains("\ttimer\t") { timers.append(event.number) }
    }
    ann.addTask("opener") {
      try? await ann.sleep(for: .seconds(1))
      try? await ann.sleep(for: .seconds(1))
      _ = try? ann.openDatagramSocket(
        on: Endpoint(.anyV4, port: 9), options: DatagramOptions(), handler: DatagramLog())
      ann.addTask("stuck") { await Waiting.forever() }
    }
    world.run(for: .seconds(5))
    try #require(timers.count == 2 && world.leaks.count == 2)
    #expect(world.leaks.allSatisfy { $0.origin == timers.last })
    #expect(world.leaks.allSatisfy { $0.description.hasSuffix(", since event \(timers[1])") })
    world.finish()
  }
}
