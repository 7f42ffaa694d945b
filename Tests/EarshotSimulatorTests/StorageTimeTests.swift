import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Offloaded work of a simulated host, and the time that it takes")
struct StorageTimeTests {
  private static let slow = StorageConditions(
    latency: .milliseconds(1), readBytesPerSecond: 1_000_000, writeBytesPerSecond: 500_000)

  private static func world(_ seed: UInt64 = 1, policy: SchedulePolicy = .fifo) -> World {
    var configuration = WorldConfiguration(schedule: policy)
    configuration.storage = slow
    return World(seed: seed, configuration: configuration)
  }

  /// Writes a file of a thousand bytes, in five calls or six milliseconds, and returns when that is
  /// over.
  @Sendable private static func save(_ name: String, on host: SimulatedHost) async throws -> Instant
  {
    try await host.offload {
      let folder = try host.storage.openFolder(at: "/")
      let file = try folder.createFile(name)
      let written = try file.write([UInt8](repeating: 7, count: 1_000).span, at: 0)
      try #require(written == 1_000)
      try file.synchronize()
    }
    return host.now
  }

  // MARK: Time

  @Test("A body takes the time of its calls, for each its latency and its bytes")
  func time() throws {
    let world = Self.world()
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let saved = ann.addTask("save") { try await Self.save("a", on: ann) }
    world.run(for: .milliseconds(5))
    // All of it happens at the beginning.
    #expect(ann.disk.bytes(of: "/a")?.count == 1_000 && saved.result == nil)
    world.run(for: .seconds(1))
    #expect(try saved.value == .zero + .milliseconds(6))
    let read = ann.addTask("read") {
      let count = try await ann.offload {
        try ann.storage.openFile(at: "/a").read(5_000, at: 500).count
      }
      return (count, ann.now)
    }
    world.run(for: .seconds(1))
    let (count, end) = try read.value
    #expect(count == 500 && end == .zero + .microseconds(1_007_500))
  }

  @Test("Calls outside of a body take no time, and leave the disk free")
  func outside() throws {
    let world = Self.world()
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let task = ann.addTask("task") {
      let file = try ann.storage.openFolder(at: "/").createFile("b")
      _ = try file.write([UInt8](repeating: 7, count: 100_000).span, at: 0)
      let direct = ann.now
      return (direct, try await Self.save("a", on: ann))
    }
    world.run(for: .seconds(1))
    let (direct, saved) = try task.value
    #expect(direct == .zero && saved == .zero + .milliseconds(6))
  }

  @Test("A disk serves the bodies of its host one after the other, and other disks meanwhile")
  func order() throws {
    let world = Self.world()
    defer { world.finish() }
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let tasks = [(ann, "a"), (ann, "b"), (bob, "a")].map { host, name in
      host.addTask(name) { try await Self.save(name, on: host) }
    }
    world.at(.zero + .milliseconds(8)) {
      ann.addTask("idle") { await ann.offload {} }
    }
    let late = Mutex<SimulatedTask<Instant>?>(nil)
    world.at(.zero + .milliseconds(10)) {
      late.withLock { $0 = ann.addTask("c") { try await Self.save("c", on: ann) } }
    }
    world.run(for: .seconds(1))
    #expect(try tasks.map { try $0.value } == [6, 12, 6].map { .zero + .milliseconds($0) })
    #expect(try late.withLock { try $0?.value } == .zero + .milliseconds(18))
  }

  @Test("A body without calls takes 20 to 200 µs, as the seed decides", arguments: Seed.some(50))
  func idle(seed: Seed) throws {
    let times = try (0..<2).map { _ in
      let world = Self.world(seed.value)
      defer { world.finish() }
      let ann = world.makeHost("ann")
      let task = ann.addTask("task") {
        var ends: [Instant] = [ann.now]
        for _ in 0..<5 { ends.append(await ann.offload { ann.now }) }
        return ends + [ann.now]
      }
      world.run(for: .seconds(1))
      return try task.value
    }
    #expect(times[0] == times[1])
    // Each body runs when the one before is over.
    #expect(times[0][0] == times[0][1])
    let waits = zip(times[0].dropFirst(), times[0].dropFirst(2)).map { $1 - $0 }
    #expect(waits.allSatisfy { (.microseconds(20) ... .microseconds(200)).contains($0) })
    #expect(Set(waits).count > 1)
  }

  @Test("A body runs after the call of it, as code of its host")
  func placement() {
    let world = Self.world()
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let log = Mutex<[String]>([])
    let note = { @Sendable (text: String) in log.withLock { $0.append(text) } }
    ann.addTask("task") {
      ann.beginOffloaded {
        ann.executor.serial.checkIsolated()
        note("body")
        return {
          ann.executor.serial.checkIsolated()
          note("end")
        }
      }
      note("begun")
    }
    world.run(for: .seconds(1))
    #expect(log.withLock { $0 } == ["begun", "body", "end"])
  }

  @Test("Cancelling the task changes nothing about its body, which throws its own error")
  func cancelling() throws {
    struct Refusal: Error {}
    let world = Self.world()
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let saved = ann.addTask("save") { try await Self.save("a", on: ann) }
    let refused = ann.addTask("refused") { try await ann.offload { throw Refusal() } }
    world.at(.zero + .milliseconds(2)) { saved.cancel() }
    world.run(for: .seconds(1))
    #expect(try saved.value == .zero + .milliseconds(6))
    #expect(throws: Refusal.self) { try refused.value }
  }

  @Test("A clock that jumps or runs fast makes no disk faster")
  func clock() throws {
    let world = Self.world()
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let end = ann.addTask("save") {
      _ = try await Self.save("a", on: ann)
      return ann.worldTime
    }
    world.run(for: .milliseconds(1))
    world.inject(
      .hosts(["ann"], .clock(ClockChange(jump: .seconds(60), drift: 1_000_000))))
    world.run(for: .seconds(1))
    #expect(try end.value == .zero + .milliseconds(6))
  }

  // MARK: Hosts that stand still

  @Test(
    "A host that stands still runs no body and ends none; both go on with it",
    arguments: [HostFault.freeze, .suspend()])
  func standing(fault: HostFault) throws {
    let world = Self.world()
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let first = ann.addTask("first") { try await Self.save("a", on: ann) }
    world.run(for: .milliseconds(3))
    let stop = world.inject(.hosts(["ann"], fault))
    let second = Mutex(false)
    ann.beginOffloaded {
      second.withLock { $0 = true }
      return {}
    }
    world.run(for: .seconds(1))
    #expect(first.result == nil && second.withLock { !$0 })
    stop.end()
    world.run(for: .milliseconds(1))
    #expect(try first.value == .zero + .milliseconds(1_003))
    #expect(second.withLock { $0 })
  }

  @Test("A body that a host was told of before it stood still runs when it goes on, and not before")
  func held() throws {
    let world = Self.world()
    defer { world.finish() }
    let ann = world.makeHost("ann")
    world.freeze(ann)
    let saved = ann.addTask("save") { try await Self.save("a", on: ann) }
    world.run(for: .seconds(1))
    #expect(ann.disk.bytes(of: "/a") == nil)
    world.resume(ann)
    world.run(for: .seconds(1))
    #expect(try saved.value == .zero + .milliseconds(1_006))
  }

  // MARK: Ends

  @Test("Work that is under way on a host that crashes is over at the end of the world")
  func crash() throws {
    let world = Self.world()
    let ann = world.makeHost("ann")
    let begun = ann.addTask("begun") { try await Self.save("a", on: ann) }
    world.run(for: .milliseconds(3))
    world.crash(ann)
    let isDone = Mutex(false)
    let late = ann.addTask("late") { try await Self.save("b", on: ann) }
    ann.beginOffloaded { { isDone.withLock { $0 = true } } }
    let again = world.restart(ann)
    world.run(for: .seconds(10))
    #expect(begun.result == nil && late.result == nil && isDone.withLock { !$0 })
    #expect(again.disk.names(in: "/") == ["a"])
    world.finish()
    #expect(try begun.value == .zero + .seconds(10) + .milliseconds(3))
    #expect(throws: StorageError.self) { try late.value }
    #expect(isDone.withLock { $0 })
    #expect(again.disk.names(in: "/") == ["a"])
  }

  @Test("The end of the world ends all work, at any time of it", arguments: 0...8)
  func endOfWorld(milliseconds: Int) throws {
    let world = Self.world()
    let hosts = ["ann", "bob", "cy"].map { world.makeHost($0) }
    let tasks = hosts.map { host in
      host.addTask("save") {
        for name in ["a", "b"] { _ = try await Self.save(name, on: host) }
      }
    }
    world.at(.zero + .milliseconds(2)) { world.freeze(hosts[1]) }
    world.at(.zero + .milliseconds(4)) { world.suspend(hosts[2]) }
    world.run(for: .milliseconds(milliseconds))
    world.finish()
    for task in tasks { #expect(task.result != nil) }
  }

  @Test("Work that is handed over after the end of the world is done at once")
  func afterwards() {
    let world = Self.world()
    let ann = world.makeHost("ann")
    world.finish()
    let log = Mutex<[String]>([])
    ann.beginOffloaded {
      let folder = try? ann.storage.openFolder(at: "/")
      log.withLock { $0.append(folder == nil ? "hostDown" : "open") }
      return { log.withLock { $0.append("end") } }
    }
    #expect(log.withLock { $0 } == ["hostDown", "end"])
  }

  // MARK: Determinism

  @Test("One seed is one run, whatever is chosen next", arguments: Seed.some(20))
  func determinism(seed: Seed) throws {
    for policy in [SchedulePolicy.fifo, .random, .seeded(seed.value, .random)] {
      let runs = try (0..<2).map { _ in
        let world = Self.world(seed.value, policy: policy)
        defer { world.finish() }
        let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
        let tasks = [(ann, "a"), (ann, "b"), (bob, "a"), (bob, "b")].map { host, name in
          host.addTask(name) {
            await host.offload {}
            return try await Self.save(name, on: host)
          }
        }
        world.run(for: .seconds(1))
        let order = ["a", "b"].map { ann.disk.attributes(of: "/\($0)")?.number }
        return (try tasks.map { try $0.value }, order, world.traceHash)
      }
      #expect(runs[0] == runs[1])
    }
  }

  @Test("Offloaded work moves no other draw of the world")
  func draws() throws {
    let ports = try [false, true].map { works in
      let world = Self.world(5)
      defer { world.finish() }
      let ann = world.makeHost("ann")
      if works {
        ann.addTask("save") {
          await ann.offload {}
          _ = try await Self.save("a", on: ann)
        }
      }
      world.run(for: .seconds(1))
      let socket = try ann.openDatagramSocket(
        on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: DatagramLog())
      var random = ann.random("other")
      return [UInt64(socket.localEndpoint.port), random.next()]
    }
    #expect(ports[0] == ports[1])
  }
}
