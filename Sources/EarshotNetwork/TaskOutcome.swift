import Synchronization

/// The result of a task, once it has ended.
package final class TaskOutcome<Success: Sendable>: Sendable {
  private struct State {
    var result: Result<Success, any Error>?
    var isAskedFor = false
  }
  private let state = Mutex(State())

  /// No result so far.
  package init() {}

  /// The result; `nil` as long as the task has not ended.
  package var result: Result<Success, any Error>? { state.withLock { $0.result } }

  /// Whether the result was read, or is waited for.
  package var isAskedFor: Bool { state.withLock { $0.isAskedFor } }

  package func set(_ result: Result<Success, any Error>) { state.withLock { $0.result = result } }

  /// Records that the result is read, now or when the task ends.
  package func noteAsking() { state.withLock { $0.isAskedFor = true } }
}

/// A host that keeps a list of the tasks that run on it.
package protocol TaskHost: NetworkHost {
  /// Starts a task on the host.
  ///
  /// - Parameters:
  ///   - name: The task's name.
  ///   - outcome: Receives the result. An error is reported in the end if the result was never read,
  ///     unless the task was cancelled before it failed.
  ///   - operation: The code of the task.
  /// - Returns: The task.
  func start<Success: Sendable>(
    _ name: String, _ outcome: TaskOutcome<Success>,
    _ operation: @escaping @Sendable () async throws -> Success
  ) -> Task<Success, any Error>
}
