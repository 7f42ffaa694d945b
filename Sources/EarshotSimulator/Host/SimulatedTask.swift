import EarshotNetwork

/// A task of a simulated host, whose result can be read when the run is over.
///
/// ```swift
/// let greeting = ann.addTask("greeting") { try await hear(from: bob) }
/// world.run(for: .seconds(10))
/// #expect(try greeting.value == "hello")
/// ```
///
/// The end of the world cancels a task that has not ended. What it returns or throws in answer, a `CancellationError`
/// most of the time, is its result.
public struct SimulatedTask<Success: Sendable>: Sendable {
  private let spawned: SpawnedTask
  private let task: Task<Success, any Error>
  private let outcome: TaskOutcome<Success>

  init(_ spawned: SpawnedTask, _ task: Task<Success, any Error>, _ outcome: TaskOutcome<Success>) {
    (self.spawned, self.task, self.outcome) = (spawned, task, outcome)
  }

  /// The name of the task.
  public var name: String { spawned.name }

  /// The result, or `nil` as long as the task has not ended.
  public var result: Result<Success, any Error>? {
    guard let result = outcome.result else { return nil }
    outcome.noteAsking()
    return result
  }

  /// The value that the task has returned.
  ///
  /// - Throws: What the task has thrown, or ``UnfinishedTask`` as long as it has not ended.
  public var value: Success {
    get throws {
      guard let result else {
        throw UnfinishedTask(
          task: WaitingTask(spawned),
          unawaitedErrors: spawned.host.scheduler.watch?.taskErrors.unawaited ?? [],
          isStuck: spawned.host.scheduler.isIdle)
      }
      return try result.get()
    }
  }

  /// Waits for the end of the task, from another task of the same world.
  ///
  /// - Returns: The value that the task has returned.
  /// - Throws: What the task has thrown.
  public func wait() async throws -> Success {
    outcome.noteAsking()
    return try await task.value
  }

  /// Cancels the task.
  public func cancel() { task.cancel() }
}

/// A task that has not ended: what it waits for has not happened so far.
public struct WaitingTask: Hashable, Sendable, CustomStringConvertible {
  /// The name of the task.
  public let name: String
  /// The name of its host.
  public let host: String
  /// The instant since which it waits: when it ran last.
  public let since: Instant

  init(_ task: SpawnedTask) {
    (name, host, since) = (task.name, task.host.name, Instant(nanoseconds: task.lastRun))
  }

  /// `task 'greeting' of host 'ann', waiting since 3.000000`.
  public var description: String { "task '\(name)' of host '\(host)', waiting since \(since)" }
}

/// The result of a task was asked for that has not ended.
public struct UnfinishedTask: Error, CustomStringConvertible {
  /// The task.
  public let task: WaitingTask
  /// The errors of other tasks of the world, which may be the cause; see ``World/unawaitedErrors``.
  public let unawaitedErrors: [UnawaitedError]
  /// Whether nothing is left in its world that could ever happen.
  public let isStuck: Bool

  /// A sentence with the task's name, and with the first of the other errors.
  public var description: String {
    "\(task), has no result\(isStuck ? ", and nothing can happen any more" : " so far")"
      + (unawaitedErrors.first.map { "; \($0)" } ?? "")
  }
}
