import EarshotSimulator
import Synchronization
import Testing

@Suite("Tasks of a host, and runs until a condition holds")
struct SimulatedTaskTests {
  private struct Refusal: Error, Equatable {}

  @Test("A task's value and a task's error can be read after the run")
  func results() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let value = ann.addTask("value") {
      try await ann.sleep(for: .seconds(1))
      return 7
    }
    let error = ann.addTask("error") { () async throws -> Int in
      try await ann.sleep(for: .seconds(1))
      throw Refusal()
    }
    #expect(value.result == nil)
    world.run(for: .seconds(2))
    #expect(try value.value == 7)
    #expect(throws: Refusal.self) { try error.value }
    world.finish()
  }

  @Test(
    "The value of a task that has not ended is an error that names it, and says since when it waits"
  )
  func unfinished() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let task = ann.addTask("late") {
      try await ann.sleep(for: .seconds(3))
      try await ann.sleep(for: .seconds(10))
    }
    world.run(for: .seconds(5))
    let error = #expect(throws: UnfinishedTask.self) { try task.value }
    #expect(error?.task.name == "late" && error?.task.host == "ann")
    #expect(error?.task.since == .zero + .seconds(3))
    world.run(for: .seconds(10))
    try task.value
    world.finish()
  }

  @Test("When the world ends first, the task's result is what it throws as it is cancelled")
  func endOfWorld() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let sleeping = ann.addTask("sleeping") { try await ann.sleep(for: .seconds(100)) }
    let stubborn = ann.addTask("stubborn") { () async throws -> Int in
      try? await ann.sleep(for: .seconds(100))
      return 7
    }
    world.run(for: .seconds(1))
    world.finish()
    #expect(throws: CancellationError.self) { try sleeping.value }
    #expect((try? stubborn.value) == 7)
  }

  @Test("A task waits for another, and cancels it")
  func waiting() throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let first = ann.addTask("first") {
      try await ann.sleep(for: .seconds(1))
      return "first"
    }
    let endless = ann.addTask("endless") { try await ann.sleep(for: .seconds(1_000)) }
    let second = bob.addTask("second") {
      let text = try await first.wait()
      endless.cancel()
      _ = try? await endless.wait()
      return text + ", second at \(bob.now)"
    }
    world.run(for: .seconds(5))
    #expect(try second.value == "first, second at 1.000000")
    #expect(throws: CancellationError.self) { try endless.value }
    world.finish()
  }

  @Test("The tasks that wait are listed, with the hosts and since when")
  func waitingTasks() {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    bob.addTask("channel") {
      let channel = try? DatagramChannel(on: bob, endpoint: Endpoint(.anyV4, port: 7100))
      _ = try? await channel?.receive()
    }
    ann.addTask("ends") { try? await ann.sleep(for: .seconds(1)) }
    ann.addTask("sleeps") {
      for _ in 0..<3 { try? await ann.sleep(for: .seconds(2)) }
    }
    let old = ann.addTask("stream") {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      for await _ in stream {}
      continuation.finish()
    }
    world.run(for: .seconds(5))
    #expect(
      world.waitingTasks.map(\.description) == [
        "task 'sleeps' of host 'ann', waiting since 4.000000",
        "task 'stream' of host 'ann', waiting since 0.000000",
        "task 'channel' of host 'bob', waiting since 0.000000",
      ])
    old.cancel()
    world.run(for: .seconds(5))
    #expect(world.waitingTasks.map(\.name) == ["channel"])
    world.finish()
    #expect(world.waitingTasks.isEmpty)
  }

  @Test("A thousand tasks at a time keep their places in the list")
  func manyTasks() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    for number in 0..<1_000 {
      ann.addTask("\(number)") { try? await ann.sleep(for: .milliseconds(number)) }
    }
    for elapsed in [100, 400, 900] {
      world.run(until: .zero + .milliseconds(elapsed))
      #expect(world.waitingTasks.map(\.name) == (elapsed + 1..<1_000).map(String.init))
    }
    world.finish()
  }

  @Test("Among many tasks that end, those that go on are known by when they ran last")
  func lastRuns() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    for number in 0..<1_000 {
      ann.addTask("\(number)") {
        try? await ann.sleep(for: .milliseconds(number))
        if number % 2 == 1 { try? await ann.sleep(for: .seconds(1_000)) }
      }
    }
    world.run(for: .seconds(2))
    #expect(
      world.waitingTasks.map(\.since)
        == stride(from: 1, to: 1_000, by: 2).map { .zero + .milliseconds($0) })
    world.finish()
  }

  @Test("A run ends with the event after which its condition holds")
  func condition() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let count = Mutex(0)
    ann.addTask("count") {
      while (try? await ann.sleep(for: .seconds(1))) != nil { count.withLock { $0 += 1 } }
    }
    let isReached = world.run(until: { count.withLock { $0 == 3 } }, within: .seconds(100))
    #expect(isReached && world.now == .zero + .seconds(3))
    let isHolding = world.run(until: { true }, within: .seconds(100))
    #expect(isHolding && world.now == .zero + .seconds(3))
    world.finish()
  }

  @Test(
    "A run whose condition does not hold ends at its limit, also when nothing is left to happen")
  func conditionFails() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    ann.addTask("short") { try? await ann.sleep(for: .seconds(1)) }
    let isReached = world.run(until: { false }, within: .seconds(10))
    #expect(!isReached && world.now == .zero + .seconds(10))
    let isTimeReached = world.run(
      until: { world.now >= .zero + .seconds(20) }, within: .seconds(10))
    #expect(isTimeReached)
    world.finish()
  }

  @Test("What a condition throws ends the run, and the world goes on")
  func conditionThrows() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let task = ann.addTask("slow") { try await ann.sleep(for: .seconds(2)) }
    ann.addTask("fast") { try? await ann.sleep(for: .seconds(1)) }
    #expect(throws: Refusal.self) {
      try world.run(
        until: { if world.now > .zero { throw Refusal() } else { false } }, within: .seconds(5))
    }
    #expect(world.now == .zero + .seconds(1))
    world.run(for: .seconds(5))
    #expect(throws: Never.self) { try task.value }
    world.finish()
  }
}
