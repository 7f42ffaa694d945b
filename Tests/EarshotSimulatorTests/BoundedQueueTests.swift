import EarshotSimulator
import TestKit
import Testing

@Suite("Queues with a bound")
struct BoundedQueueTests {
  @Test("A queue within its bound is told of with its peak, and stops nothing")
  func peak() {
    let world = World(seed: 1)
    let gauge = world.makeHost("ann").gauge("requests that wait", atMost: 4)
    for count in [1, 4, 2] { gauge?.note(count) }
    let queue = world.queues.first { $0.name == "requests that wait" }
    #expect(queue?.peak == 4 && queue?.bound == 4)
    #expect(world.violations.isEmpty)
    world.finish()
  }

  @Test("A queue that exceeds its bound is a violation, which stops the run")
  func violation() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let gauge = ann.gauge("requests that wait", atMost: 4)
    let timer = ann.makeTimer { gauge?.note(5) }
    timer.arm(at: ann.now + .seconds(1))
    world.run(for: .seconds(10))
    #expect(world.now - .zero == .seconds(1))
    let violation = world.violations.first
    #expect(violation?.name == "requests that wait: within the bound")
    #expect(violation?.host == "ann" && violation?.details == "5, at most 4")
    timer.disarm()
    world.finish()
  }

  @Test("Queues of one name are one kind: the fullest counts, against its own bound")
  func kinds() {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    ann.gauge("requests that wait", atMost: 4)?.note(3)
    bob.gauge("requests that wait", atMost: 40)?.note(30)
    let queues = world.queues.filter { $0.name == "requests that wait" }
    #expect(queues.map(\.peak) == [30] && queues.map(\.bound) == [40])
    ann.gauge("requests that wait", atMost: 4)?.note(5)
    #expect(world.violations.map(\.details) == ["5, at most 4"])
    world.finish()
  }

  @Test("The buffers of connections and the queues of listeners are watched")
  func kernels() throws {
    let watched = try WatchedConnection(
      LinkConditions(latency: .milliseconds(10), jitter: .zero, bandwidth: 100_000))
    let connection = try watched.open()
    _ = watched.lose { $0 == 0 }
    _ = try connection.write([UInt8](repeating: 1, count: 30_000).span)
    watched.world.run(for: .seconds(5))
    let peaks = watched.world.queues.map { ($0.name, $0.peak) }
    let expected = [
      ("bytes in the send buffer of a connection", 30_000),
      ("connections that a listener has not handed over", 1),
    ]
    for (name, peak) in expected { #expect(peaks.contains { $0 == (name, peak) }) }
    // What waits for the first segment counts.
    let received = peaks.first { $0.0 == "bytes in the receive buffer of a connection" }?.1 ?? 0
    #expect(received >= 13_000 && received <= 30_000)
    watched.world.finish()
  }

  @Test("What a datagram channel stores is watched")
  func channel() throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let channel = try DatagramChannel(on: bob, endpoint: Endpoint(.anyV4, port: 7200), capacity: 3)
    let sending = try DatagramChannel(on: ann, endpoint: Endpoint(.anyV4, port: 7201))
    for _ in 0..<5 { try sending.send([1].span, to: Endpoint(bob.address, port: 7200)) }
    world.run(for: .seconds(1))
    let queue = world.queues.first { $0.name == "datagrams that a channel stores" }
    #expect(queue?.peak == 3 && queue?.bound == 3)
    #expect(channel.lostCount == 2)
    world.finish()
  }
}
