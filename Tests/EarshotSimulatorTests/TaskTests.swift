import EarshotSimulator
import Foundation
import Synchronization
import Testing

@Suite("Code in a simulated world")
struct TaskTests {
  private actor Counter {
    private let host: any NetworkHost
    private(set) var count = 0

    init(on host: any NetworkHost) { self.host = host }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      host.executor.serial.asUnownedSerialExecutor()
    }

    func increment() { count += 1 }
  }

  @Test("Sleeping costs virtual time alone, and wakes in order")
  func sleeping() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let woken = Mutex<[Int]>([])
    for hours in [3, 1, 2] {
      ann.addTask("sleeper") {
        try? await ann.sleep(for: .seconds(3_600 * hours))
        woken.withLock { $0.append(hours) }
      }
    }
    let isIdle = world.runUntilIdle()
    #expect(isIdle)
    #expect(world.now == .zero + .seconds(3 * 3_600))
    #expect(woken.withLock { $0 } == [1, 2, 3])
    world.finish()
  }

  @Test("Actors, groups, children and streams stay inside of the world")
  func structured() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let result = Mutex(0)
    ann.addTask("family") {
      let counter = Counter(on: ann)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { await counter.increment() } }
      }
      async let child: Void = counter.increment()
      await child
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      async let sum = stream.reduce(0, +)
      for number in 1...4 { continuation.yield(number) }
      continuation.finish()
      await Task.yield()
      let total = await counter.count + sum
      result.withLock { $0 = total }
    }
    world.runUntilIdle()
    #expect(result.withLock { $0 } == 21)
    world.finish()
  }

  @Test("A timer's callback may call straight into an actor of its host")
  func assuming() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let counter = Counter(on: ann)
    let timer = ann.makeTimer { counter.assumeIsolated { $0.increment() } }
    timer.arm(at: .zero + .seconds(1))
    world.run(for: .seconds(2))
    let seen = Mutex(0)
    ann.addTask("look") {
      let count = await counter.count
      seen.withLock { $0 = count }
    }
    world.runUntilIdle()
    #expect(seen.withLock { $0 } == 1)
    world.finish()
  }

  @Test("The end of the world ends every task, on every kind of host")
  func teardown() {
    let world = World(seed: 1)
    let hosts = ["running", "frozen", "suspended", "crashed", "restarted"].map {
      world.makeHost($0)
    }
    let ended = Mutex<[String]>([])
    for host in hosts {
      host.addTask("sleeper") {
        try? await host.sleep(for: .seconds(1_000))
        ended.withLock { $0.append("sleeper") }
      }
      host.addTask("receiver") {
        let channel = try? DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 7100))
        _ = try? await channel?.receive()
        ended.withLock { $0.append("receiver") }
      }
    }
    world.run(for: .seconds(1))
    world.freeze(hosts[1])
    world.suspend(hosts[2])
    world.crash(hosts[3])
    _ = world.restart(hosts[4])
    world.run(for: .seconds(1))
    #expect(ended.withLock { $0.isEmpty })
    world.finish()
    let names = ended.withLock { $0.sorted() }
    #expect(names == Array(repeating: "receiver", count: 5) + Array(repeating: "sleeper", count: 5))
  }

  @Test("A world that ends leaves no host, task or world behind")
  func release() {
    weak var weakHost: SimulatedHost?
    weak var weakWorld: World?
    weak var weakTraveller: Traveller?
    do {
      let world = World(seed: 1)
      let ann = world.makeHost("ann")
      let bob = world.makeHost("bob")
      let traveller = Traveller()
      (weakWorld, weakHost, weakTraveller) = (world, ann, traveller)
      ann.addTask("traveller") {
        while (try? await ann.sleep(for: .seconds(1))) != nil { traveller.step() }
      }
      let log = ConnectionLog(sending: [1, 2, 3])
      _ = try? bob.listen(on: Endpoint(.anyV4, port: 7100), handler: ConnectionLog())
      _ = try? ann.connect(
        to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(), handler: log)
      world.run(for: .seconds(10))
      #expect(traveller.steps == 10)
      world.finish()
    }
    #expect(weakHost == nil && weakWorld == nil && weakTraveller == nil)
  }

  @Test("Releasing a world ends it")
  func releaseAlone() {
    let ended = Mutex(false)
    do {
      let world = World(seed: 1)
      let ann = world.makeHost("ann")
      ann.addTask("sleeper") {
        try? await ann.sleep(for: .seconds(1_000))
        ended.withLock { $0 = true }
      }
      world.run(for: .seconds(1))
    }
    #expect(ended.withLock { $0 })
  }

  @Test("Thousands of worlds in one process do not add up")
  func sweep() {
    weak var last: World?
    var hashes: Set<RollingHash> = []
    for seed in 0..<2_000 {
      let world = World(seed: UInt64(seed))
      let ann = world.makeHost("ann")
      ann.addTask("roller") {
        var random = ann.random("dice")
        try? await ann.sleep(for: random.duration(below: .seconds(5)))
        try? await ann.sleep(for: .seconds(1_000))
      }
      world.run(for: .seconds(10))
      world.finish()
      hashes.insert(world.traceHash)
      #expect(last == nil)
      last = world
    }
    #expect(hashes.count == 2_000)
  }

  @Test("A job from a foreign thread traps, and is named")
  func leak() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let ann = World(seed: 1).makeHost("ann")
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = Task(name: "stranger", executorPreference: ann.executor.task) {}
        isDone.signal()
      }
      isDone.wait()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("of host 'ann' came from a thread that does not drive the world"))
  }
}

extension TaskTests {
  @Test("Sleeping by a simulated clock on a foreign thread traps, and is named")
  func sleepingLeak() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let world = World(seed: 1)
      let ann = world.makeHost("ann")
      let isDone = DispatchSemaphore(value: 0)
      Task.detached {
        try? await ann.sleep(for: .seconds(1))
        isDone.signal()
      }
      isDone.wait()
      withExtendedLifetime(world) {}
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("of host 'ann' came from a thread that does not drive the world"))
  }

  @Test("Nobody sleeps by the clock of a host that is down")
  func sleepingOnDeadHost() {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let codes = Mutex<[NetworkError.Code?]>([])
    world.crash(bob)
    ann.addTask("sleeper") {
      do { try await bob.sleep(for: .seconds(1)) } catch {
        codes.withLock { $0.append((error as? NetworkError)?.code) }
      }
    }
    world.run(for: .seconds(5))
    #expect(codes.withLock { $0 } == [.hostDown])
    world.finish()
  }
}

private final class Traveller: Sendable {
  private let state = Mutex(0)

  func step() { state.withLock { $0 += 1 } }

  var steps: Int { state.withLock { $0 } }
}
