import Dispatch
import EarshotSimulator
import Foundation
import Synchronization
import Testing

@Suite("Code that leaves its world")
struct EscapeTests {
  /// Runs a task in a world of its own, for two seconds and then to the end.
  static func run(_ operation: @escaping @Sendable (SimulatedHost) async -> Void) {
    let configuration = WorldConfiguration(replay: "SEED=42 make again")
    let world = World(seed: 42, configuration: configuration)
    let ann = world.makeHost("ann")
    ann.addTask("wanderer") {
      try? await ann.sleep(for: .seconds(1))
      await operation(ann)
    }
    world.run(for: .seconds(2))
    world.finish()
  }

  /// Checks that a process ended with a trap that names the task, the host, the seed and the replay.
  private func check(
    _ result: ExitTest.Result?, says reason: String, at time: String = "1.000000",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in [
      "task 'wanderer'", "of host 'ann'", reason, "world of seed 42, at \(time)",
      "Replay: SEED=42 make again",
    ] {
      #expect(message.contains(part), "\(message)", sourceLocation: sourceLocation)
    }
  }

  @Test("Task.sleep is an error that names the task")
  func taskSleep() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { EscapeTests.run { _ in try? await Task.sleep(for: .seconds(3_600)) } }
    check(result, says: "sleeps by a clock of the machine")
  }

  @Test("A sleep of a moment by another of the machine's clocks is the same error")
  func clockSleep() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { EscapeTests.run { _ in try? await SuspendingClock().sleep(for: .nanoseconds(1)) } }
    check(result, says: "sleeps by a clock of the machine")
  }

  @Test("Task.sleep in a child task is an error of the task that was spawned")
  func childSleep() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      EscapeTests.run { _ in
        await withTaskGroup(of: Void.self) { group in
          group.addTask { try? await Task.sleep(nanoseconds: 1) }
        }
      }
    }
    check(result, says: "sleeps by a clock of the machine")
  }

  @Test("Task.sleep in an actor of the host is an error")
  func actorSleep() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { EscapeTests.run { ann in await Sleeper(ann).sleep() } }
    check(result, says: "sleeps by a clock of the machine")
  }

  @Test("Task { } without an executor is an error")
  func unstructured() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { EscapeTests.run { _ in _ = Task {} } }
    check(result, says: "put work on the pool of threads")
  }

  @Test("Task.detached is an error")
  func detached() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { EscapeTests.run { _ in await Task.detached {}.value } }
    check(result, says: "put work on the pool of threads")
  }

  @Test("A call of a model on the main actor is an error")
  func mainActor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { EscapeTests.run { _ in await Model().change() } }
    check(result, says: "went to the main actor")
  }

  @Test(
    "An actor with an executor of its own is an error, at the end of the world if it does not come back"
  )
  func foreignActor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { EscapeTests.run { _ in await Foreigner().stay() } }
    check(result, says: "has not ended with its world", at: "2.000000")
  }

  @Test("A task that waits for ever is an error at the end of the world")
  func endless() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      EscapeTests.run { _ in
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
    }
    check(result, says: "waiting since 1.000000, has not ended with its world", at: "2.000000")
  }

  @Test("A thread that resumes a task of the world is an error")
  func foreignThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let world = World(seed: 42, configuration: WorldConfiguration(replay: "SEED=42 make again"))
      let ann = world.makeHost("ann")
      let waiting = Mutex<UnsafeContinuation<Void, Never>?>(nil)
      ann.addTask("wanderer") {
        await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } }
      }
      world.run(for: .seconds(1))
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        waiting.withLock { $0 }?.resume()
        isDone.signal()
      }
      isDone.wait()
    }
    check(result, says: "came from a thread that does not drive the world")
  }
}

extension EscapeTests {
  @Test("A call of the world by another thread ends the process, also where escapes are violations")
  func foreignCall() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var configuration = WorldConfiguration(replay: "SEED=42 make again")
      configuration.escapesAreViolations = true
      let world = World(seed: 42, configuration: configuration)
      world.makeHost("ann").addTask("wanderer") {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          world.note(nil, kind: "note", "from elsewhere")
          isDone.signal()
        }
        EscapeTests.wait(for: isDone)
      }
      world.run(for: .seconds(1))
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in ["a call of the world came from a thread", "Replay: SEED=42 make again"] {
      #expect(message.contains(part), "\(message)")
    }
  }

  private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test("A test that waits for code of its world ends with a sentence, in place of a hang")
  func waiting() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var configuration = WorldConfiguration(replay: "SEED=42 make again")
      configuration.escapesAreViolations = true
      let world = World(seed: 42, configuration: configuration)
      await Sleeper(world.makeHost("ann")).pass()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in ["the test waits for code of host 'ann'", "addTask", "Replay: SEED=42 make again"] {
      #expect(message.contains(part), "\(message)")
    }
  }

  @Test(
    "What the world's owner does outside of hosts is not of the world: sinks, actions, conditions")
  func outside() async {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let (events, continuation) = AsyncStream.makeStream(of: TraceEvent.self)
    async let first = events.first { _ in true }
    let done = Mutex<[Task<Void, Never>]>([])
    world.record { event in
      continuation.yield(event)
      done.withLock { $0.append(Task {}) }
    }
    world.at(.zero + .seconds(1)) { done.withLock { $0.append(Task {}) } }
    ann.addTask("noter") {
      try? await ann.sleep(for: .seconds(2))
      world.note(ann, kind: "note", "seen")
    }
    world.run(for: .seconds(3))
    world.finish()
    continuation.finish()
    #expect(await first?.kind == .timer)
    for task in done.withLock({ $0 }) { await task.value }
    #expect(done.withLock { $0.count } == 3)
  }

  @MainActor
  @Test("A world runs on the main actor")
  func onMainActor() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let task = ann.addTask("sum") { try await Counter(ann).sum(1, 2) }
    world.runUntilIdle()
    #expect(throws: Never.self) { try task.value == 3 }
    world.finish()
  }

  @Test(
    "Tasks outside of every world use the pool, the main actor and the machine's clocks as ever")
  func elsewhere() async throws {
    let world = World(seed: 1)
    world.run(for: .seconds(1))
    try await Task.sleep(for: .nanoseconds(1))
    await Model().change()
    await Task.detached {}.value
    world.finish()
  }
}

@MainActor
private final class Model {
  private var count = 0

  nonisolated init() {}

  func change() { count += 1 }
}

/// An actor of a host.
private actor Sleeper {
  private let host: SimulatedHost

  init(_ host: SimulatedHost) { self.host = host }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    host.executor.serial.asUnownedSerialExecutor()
  }

  func sleep() async { try? await Task.sleep(for: .seconds(1)) }

  func pass() {}
}

private actor Counter {
  private let host: SimulatedHost

  init(_ host: SimulatedHost) { self.host = host }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    host.executor.serial.asUnownedSerialExecutor()
  }

  func sum(_ one: Int, _ other: Int) throws -> Int { one + other }
}

/// An actor that runs nothing.
private actor Foreigner {
  private final class Nowhere: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {}
  }
  private let executor = Nowhere()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func stay() {}
}
