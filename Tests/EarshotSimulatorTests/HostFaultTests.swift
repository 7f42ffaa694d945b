import EarshotSimulator
import Synchronization
import Testing

@Suite("Faults of hosts")
struct HostFaultTests {
  private let patient = ConnectionOptions(connectTimeout: .seconds(60), userTimeout: nil)

  private struct Link {
    let ann: SimulatedHost
    let bob: SimulatedHost
    let annSaw: ConnectionLog
    let bobSaw: ConnectionLog
    let connection: any Connection
  }

  private func link(_ world: World, sending bytes: [UInt8] = []) throws -> Link {
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let (annSaw, bobSaw) = (ConnectionLog(sending: bytes), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: bobSaw)
    let connection = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: patient, handler: annSaw)
    world.run(for: .milliseconds(50))
    return Link(ann: ann, bob: bob, annSaw: annSaw, bobSaw: bobSaw, connection: connection)
  }

  @Test("A suspension that is over within its grace never happened")
  func graceSuffices() throws {
    let world = World(seed: 1)
    let link = try link(world)
    world.suspend(link.bob, grace: .seconds(5))
    world.run(for: .seconds(4))
    world.resume(link.bob)
    world.run(for: .seconds(10))
    _ = try link.connection.write([1].span)
    world.run(for: .seconds(1))
    #expect(link.bobSaw.received == [1])
    #expect(link.bobSaw.events == ["accepted"] && link.annSaw.events == ["opened"])
    world.finish()
  }

  @Test("After the grace no code runs, the sockets are gone, and whoever speaks to them is reset")
  func suspended() throws {
    let world = World(seed: 1)
    let link = try link(world)
    let ticks = Ticks(link.bob)
    world.suspend(link.bob, grace: .milliseconds(450))
    world.run(for: .seconds(1))
    #expect(ticks.count == 4)
    #expect(link.annSaw.events == ["opened"])
    _ = try link.connection.write([1].span)
    let late = ConnectionLog()
    _ = try link.ann.connect(
      to: Endpoint(link.bob.address, port: 7100), options: patient, handler: late)
    world.run(for: .seconds(100))
    #expect(link.annSaw.events == ["opened", "connectionReset"])
    #expect(late.events == ["connectionRefused"])
    #expect(ticks.count == 4)
    #expect(link.bobSaw.events == ["accepted"])
    world.resume(link.bob)
    world.run(for: .milliseconds(250))
    #expect(
      link.bobSaw.events.sorted() == [
        "accepted", "connectionAborted", "listener connectionAborted",
      ])
    #expect(ticks.count == 7)
    world.finish()
  }

  @Test("A timer disarmed by code that runs before it, after a freeze, does not fire")
  func overdueTimer() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let fired = Mutex<[String]>([])
    let second = ann.makeTimer { fired.withLock { $0.append("second") } }
    let first = ann.makeTimer {
      fired.withLock { $0.append("first") }
      second.disarm()
    }
    first.arm(at: .zero + .seconds(2))
    second.arm(at: .zero + .seconds(3))
    world.freeze(ann)
    world.run(for: .seconds(10))
    #expect(fired.withLock { $0.isEmpty })
    world.resume(ann)
    world.run(for: .seconds(1))
    #expect(fired.withLock { $0 } == ["first"])
    world.finish()
  }

  @Test("A frozen host acknowledges until its buffer is full, and hears all of it when it goes on")
  func frozen() throws {
    let world = World(seed: 1)
    let link = try link(world)
    world.freeze(link.bob)
    var random = RandomStream(seed: 1)
    let bytes = random.bytes(400_000)
    let first = try link.connection.write(bytes.span)
    world.run(for: .seconds(5))
    let second = try link.connection.write(bytes.span.extracting(first..<bytes.count))
    world.run(for: .seconds(100))
    #expect(first + second > 65_536 + 32_768)
    #expect(link.bobSaw.received.isEmpty)
    #expect(link.annSaw.events == ["opened"])
    world.resume(link.bob)
    world.run(for: .seconds(200))
    #expect(link.bobSaw.received == Array(bytes[..<(first + second)]))
    #expect(link.bobSaw.events == ["accepted"])
    world.finish()
  }

  @Test("A frozen host finds the datagrams that its buffer kept, in order")
  func frozenDatagrams() throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let log = DatagramLog()
    let receiver = try bob.openDatagramSocket(
      on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: log)
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: DatagramLog())
    world.freeze(bob)
    for number in 0..<1_000 {
      let payload = [UInt8(number & 0xFF)] + [UInt8](repeating: 0, count: 999)
      try socket.send(payload.span, to: Endpoint(bob.address, port: 7100), on: nil)
    }
    world.run(for: .seconds(1))
    #expect(log.received.isEmpty)
    world.resume(bob)
    world.run(for: .seconds(1))
    let count = log.received.count
    #expect(count > 100 && count <= 212)
    #expect(log.received.map { $0[0] } == (0..<count).map { UInt8($0 & 0xFF) })
    #expect(receiver.lostCount == 1_000 - count)
    world.finish()
  }

  @Test("A crashed host runs no code any more, also when it has been started anew")
  func crashed() throws {
    let world = World(seed: 1)
    let link = try link(world)
    let ticks = Ticks(link.bob)
    world.run(for: .milliseconds(350))
    world.crash(link.bob)
    let next = world.restart(link.bob)
    let others = Ticks(next)
    world.run(for: .seconds(1))
    #expect(ticks.count == 3 && others.count == 10)
    #expect(next.address == link.bob.address && next.name == "bob")
    #expect(link.bobSaw.events == ["accepted"])
    #expect(throws: NetworkError.self) {
      try link.bob.listen(on: Endpoint(.anyV4, port: 7101), handler: ConnectionLog())
    }
    world.finish()
  }

  @Test("A partition lets parts speak among themselves, until it heals")
  func partition() throws {
    let world = World(seed: 1)
    let hosts = ["ann", "bob", "cleo", "dan"].map { world.makeHost($0) }
    let logs = hosts.map { _ in DatagramLog() }
    let sockets = try zip(hosts, logs).map { host, log in
      try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: log)
    }
    func everybodyToEverybody(_ mark: UInt8) throws {
      for (index, socket) in sockets.enumerated() {
        for other in hosts where other !== hosts[index] {
          try socket.send(
            [mark, UInt8(index)].span, to: Endpoint(other.address, port: 7100), on: nil)
        }
      }
      world.runUntilIdle()
    }
    world.partition([[hosts[0], hosts[1]]])
    try everybodyToEverybody(1)
    #expect(logs.map(\.received) == [[[1, 1]], [[1, 0]], [[1, 3]], [[1, 2]]])
    world.heal()
    try everybodyToEverybody(2)
    #expect(logs.map(\.received.count) == [4, 4, 4, 4])
    world.finish()
  }

  @Test("A cut is deaf in one direction only")
  func cut() throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let (annSaw, bobSaw) = (DatagramLog(), DatagramLog())
    let sockets = try [(ann, annSaw), (bob, bobSaw)].map { host, log in
      try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: log)
    }
    world.cut(ann, to: bob)
    try sockets[0].send([1].span, to: Endpoint(bob.address, port: 7100), on: nil)
    try sockets[1].send([2].span, to: Endpoint(ann.address, port: 7100), on: nil)
    world.runUntilIdle()
    #expect(annSaw.received == [[2]] && bobSaw.received.isEmpty)
    world.heal()
    try sockets[0].send([3].span, to: Endpoint(bob.address, port: 7100), on: nil)
    world.runUntilIdle()
    #expect(bobSaw.received == [[3]])
    world.finish()
  }

  @Test("A stream goes on where it was when a partition heals in time")
  func healed() throws {
    let world = World(seed: 1)
    var random = RandomStream(seed: 9)
    let bytes = random.bytes(3_000_000)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    world.setLink(between: ann, and: bob, LinkConditions(bandwidth: 1_000_000))
    let (annSaw, bobSaw) = (ConnectionLog(sending: bytes, ending: true), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: bobSaw)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: patient, handler: annSaw)
    world.run(for: .seconds(1))
    world.partition([[ann], [bob]])
    world.run(for: .seconds(10))
    let heard = bobSaw.received.count
    #expect(heard > 0 && heard < bytes.count)
    world.heal()
    world.run(for: .seconds(60))
    #expect(bobSaw.received == bytes)
    #expect(bobSaw.events == ["accepted", "end"])
    world.finish()
  }
}

/// Counts the tenths of a second in which a host's code runs.
private final class Ticks: Sendable {
  private let state = Mutex(0)

  init(_ host: SimulatedHost) {
    host.addTask("ticks") { [self] in
      while (try? await host.sleep(for: .milliseconds(100))) != nil { state.withLock { $0 += 1 } }
    }
  }

  var count: Int { state.withLock { $0 } }
}
