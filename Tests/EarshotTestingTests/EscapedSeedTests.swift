import Dispatch
import EarshotSimulator
import EarshotTesting
import Foundation
import Synchronization
import Testing

@Suite("Code that leaves its world, in tests with the trait")
struct EscapedSeedTests {
  /// Runs a task, two seconds of a world, and what is left of the test.
  private func texts(
    _ operation: @escaping @Sendable (SimulatedHost) async throws -> Void,
    then check: @escaping @Sendable (World) -> Void = { _ in }
  ) async throws -> [String] {
    var configuration = WorldConfiguration()
    configuration.eventsPerSecondMax = 50_000
    let trait = SimulatedTrait(SeedChoice([7], environment: [:]), configuration, jobs: 1)
    return try await trait.issues { world in
      let ann = world.makeHost("ann")
      ann.addTask("wanderer") {
        try await ann.sleep(for: .seconds(1))
        try await operation(ann)
      }
      world.run(for: .seconds(2))
      check(world)
    }.map { issue in
      ([issue.error.map { "\($0)" } ?? "\(issue.kind)"] + issue.comments.map(\.rawValue))
        .joined(separator: "\n")
    }
  }

  /// Checks that the one issue of a test is an escape at 1 s.
  private func check(
    _ texts: [String], says reason: String, at time: String = "1.000000, on ann",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(texts.count == 1, "\(texts)", sourceLocation: sourceLocation)
    for part in [
      "\"code stays in its world\" does not hold at \(time)", "task 'wanderer'", "host 'ann'",
      reason,
      "Replay: EARSHOT_SEED=7 swift test --filter",
    ] {
      #expect(texts.joined().contains(part), "\(texts)", sourceLocation: sourceLocation)
    }
  }

  /// The ways out of a world.
  static let ways: [Way] = [
    Way("Task.sleep", "sleeps by a clock of the machine") { _ in
      try await Task.sleep(for: .seconds(3_600))
    },
    Way("the sleep of a clock", "sleeps by a clock of the machine") { _ in
      try await SuspendingClock().sleep(for: .nanoseconds(1))
    },
    Way("Task { }", "put work on the pool of threads") { _ in _ = Task {} },
    Way("Task.detached, awaited", "put work on the pool of threads") { _ in
      await Task.detached {}.value
    },
    Way("Task { } that waits for ever", "put work on the pool of threads") { _ in
      _ = Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    },
    Way("Task { } that sleeps in a loop", "put work on the pool of threads") { _ in
      _ = Task { while true { try? await Task.sleep(for: .milliseconds(1)) } }
    },
    Way("Task { } that goes on for ever", "put work on the pool of threads") { _ in
      _ = Task { while true { await Task.yield() } }
    },
    Way("the main actor", "went to the main actor") { _ in await Model().change() },
    Way("MainActor.run", "went to the main actor") { _ in await MainActor.run {} },
    Way("a loop that reads a clock", "waits for the time to pass in a loop") { _ in
      let end = ContinuousClock.now + .seconds(3_600)
      while ContinuousClock.now < end {}
    },
  ]

  struct Way: CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let operation: @Sendable (SimulatedHost) async throws -> Void

    init(
      _ name: String, _ reason: String,
      _ operation: @escaping @Sendable (SimulatedHost) async throws -> Void
    ) { (testDescription, self.reason, self.operation) = (name, reason, operation) }
  }

  @Test(
    "Each way out fails the seed with the name of the task, and the tests go on", arguments: ways)
  func eachWay(_ way: Way) async throws {
    check(try await texts(way.operation), says: way.reason)
  }

  @Test("The world stands still at the escape, in which the escaped task runs as code of its host")
  func standstill() async throws {
    let log = Mutexed<[String]>([])
    let texts = try await texts { ann in
      await Task.detached {
        log.append("\(ann.worldTime)")
        try? await ann.sleep(for: .milliseconds(1))
        log.append("asleep no longer")
      }.value
      log.append("never before the end")
    } then: { world in
      log.append("stands at \(world.now)")
      world.run(for: .seconds(60))
      log.append("still at \(world.now)")
    }
    check(texts, says: "put work on the pool of threads")
    let run = [
      "1.000000", "stands at 1.000000", "still at 1.000000", "asleep no longer",
      "never before the end",
    ]
    // The seed runs again to see whether it fails again.
    let runs = log.value.count / run.count
    #expect(runs > 1 && log.value == Array(repeating: run, count: runs).flatMap(\.self))
  }

  @Test("Of two escapes of a run the first is named")
  func two() async throws {
    let texts = try await texts { _ in
      _ = Task {}
      await Model().change()
    }
    check(texts, says: "put work on the pool of threads")
    #expect(!texts.joined().contains("main actor,"), "\(texts)")
  }

  @Test("An escape at the end of the world fails the seed")
  func atEnd() async throws {
    let texts = try await texts { ann in
      do { try await ann.sleep(for: .seconds(60)) } catch { _ = Task {} }
    }
    check(texts, says: "put work on the pool of threads", at: "2.000000, on ann")
  }

  @Test("A task that does not end with its world fails the seed")
  func endless() async throws {
    let texts = try await texts { _ in
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    check(texts, says: "has not ended with its world", at: "2.000000")
  }

  @Test(
    "Code that goes on for ever at the end of the world fails the seed", .timeLimit(.minutes(10)))
  func endlessAtEnd() async throws {
    var configuration = WorldConfiguration()
    configuration.eventsPerSecondMax = 50_000
    let trait = SimulatedTrait(SeedChoice([7], environment: [:]), configuration, jobs: 1)
    let issues = try await trait.issues { world in
      let ann = world.makeHost("ann")
      ann.addTask("spinner") {
        try? await ann.sleep(for: .seconds(60))
        while true { await Task.yield() }
      }
      world.run(for: .seconds(1))
    }
    let text = issues.compactMap(\.error).map { "\($0)" }.joined()
    #expect(text.contains("code goes on for ever at the end of its world"), "\(text)")
    #expect(text.contains("task 'spinner' of host 'ann'"), "\(text)")
  }

  @Test(
    "A thread that resumes a task fails the seed, and the task ends", arguments: [true, false])
  func foreignThread(runsAgain: Bool) async throws {
    let log = Mutexed<[String]>([])
    let waiting = Mutexed<UnsafeContinuation<Void, Never>?>(nil)
    let texts = try await texts { _ in
      await withUnsafeContinuation { continuation in waiting.change { $0 = continuation } }
      log.append("ended")
    } then: { world in
      let isResumed = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        waiting.value?.resume()
        isResumed.signal()
      }
      isResumed.wait()
      if runsAgain { world.run(for: .seconds(1)) }
      log.append("run")
    }
    check(texts, says: "came from a thread that does not drive the world", at: "2.000000")
    #expect(log.value.prefix(4) == ["run", "ended", "run", "ended"])
  }

  @Test("A thread that raises a signal fails the seed")
  func foreignSignal() async throws {
    let log = Mutexed<[String]>([])
    let texts = try await texts { ann in
      let signal = ann.makeSignal { log.append("fired") }
      let isRaised = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        signal.raise()
        isRaised.signal()
      }
      isRaised.wait()
      try? await ann.sleep(for: .seconds(60))
    }
    #expect(texts.count == 1 && texts[0].contains("a signal of host 'ann' came from a thread"))
    #expect(Set(log.value) == ["fired"])
  }

  @Test("A thread that resumes a task after the end of its world does no harm")
  func lateThread() async throws {
    let waiting = Mutexed<[UnsafeContinuation<Void, Never>]>([])
    let texts = try await texts { _ in
      await withUnsafeContinuation { continuation in waiting.append(continuation) }
    }
    check(texts, says: "has not ended with its world", at: "2.000000")
    let isDone = DispatchSemaphore(value: 0)
    let continuations = waiting.value
    #expect(!continuations.isEmpty)
    Thread.detachNewThread {
      for continuation in continuations { continuation.resume() }
      isDone.signal()
    }
    await withUnsafeContinuation { continuation in
      DispatchQueue.global().async {
        isDone.wait()
        continuation.resume()
      }
    }
  }

  @Test("An escaped task goes on in its world, also when what cancels another one resumes it")
  func cancellation() async throws {
    let waiting = Mutexed<UnsafeContinuation<Void, Never>?>(nil)
    let isThere = Mutexed<[Bool]>([])
    let texts = try await texts { ann in
      let thread = Self.thread
      _ = Task {
        await withUnsafeContinuation { continuation in waiting.change { $0 = continuation } }
        isThere.append(Self.thread == thread)
      }
      await withTaskCancellationHandler {
        try? await ann.sleep(for: .seconds(60))
      } onCancel: {
        waiting.value?.resume()
      }
    }
    check(texts, says: "put work on the pool of threads")
    #expect(isThere.value.count > 1 && isThere.value.allSatisfy(\.self))
  }

  /// The calling thread.
  private static var thread: pthread_t { pthread_self() }

  @Test("An actor that worlds share works after an escape of its caller")
  func sharedActor() async throws {
    let shared = Shared()
    let texts = try await texts { _ in
      async let one: Void = shared.count()
      async let other: Void = Task.detached { await shared.count() }.value
      _ = await (one, other)
    }
    check(texts, says: "put work on the pool of threads")
    await shared.count()
    // Each run counts twice.
    let number = await shared.number
    #expect(number > 4 && !number.isMultiple(of: 2))
  }

  @Test("Faults that an escape does not need are left out")
  func reduction() async throws {
    let trait = SimulatedTrait(SeedChoice([7], environment: [:]), WorldConfiguration(), jobs: 1)
    let issues = try await trait.issues { world in
      let ann = world.makeHost("ann")
      world.makeHost("bob")
      ann.observeSystem { notice in if notice == .didResume { _ = Task {} } }
      world.execute(
        FaultPlan([
          Fault(at: .seconds(1), .suspend("bob", grace: .zero), lasting: .seconds(1)),
          Fault(at: .seconds(2), .suspend("ann", grace: .zero), lasting: .seconds(1)),
        ]))
      world.run(for: .seconds(9))
    }
    let text = issues.flatMap(\.comments).map(\.rawValue).joined(separator: "\n")
    #expect(text.contains("Reduced to 1 of 2 faults"), "\(text)")
  }

  @Test("A sequence of commands ends with the one whose code leaves its world")
  func stateful() async throws {
    let trait = SimulatedTrait(SeedChoice([3], environment: [:]), WorldConfiguration(), jobs: 1)
    let issues = try await trait.issues { _ in try await EscapingTest().run(commands: 40) }
    #expect(issues.count == 1)
    let text = issues.flatMap(\.comments).map(\.rawValue).joined(separator: "\n")
    #expect(text.contains("\n  escape()\nSeed 3."), "\(text)")
    #expect(issues.compactMap(\.error).map { "\($0)" }.joined().contains("the pool of threads"))
  }
}

@MainActor
private final class Model {
  private var count = 0

  nonisolated init() {}

  func change() { count += 1 }
}

private actor Shared {
  private(set) var number = 0

  func count() { number += 1 }
}

extension Mutexed {
  fileprivate func append<Element>(_ element: Element) where Value == [Element] {
    change { $0.append(element) }
  }
}

/// Leaves its world with one of its commands.
private struct EscapingTest: StatefulTest {
  struct System {
    let ann: SimulatedHost
  }
  var initialModel: Bool { false }

  func makeSystem(in world: World) -> System { System(ann: world.makeHost("ann")) }

  var rules: [StatefulRule<Bool, System>] {
    Rule("pass", weight: 5, on: { $0.ann }, perform: { try await $0.ann.sleep(for: .seconds(1)) })
    Rule("escape", on: { $0.ann }, perform: { _ in await Task.detached {}.value })
  }
}
