import Synchronization

/// The place that a task puts its result in.
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

  /// Whether someone has asked for the result, or waits for it.
  package var isAskedFor: Bool { state.withLock { $0.isAskedFor } }

  package func set(_ result: Result<Success, any Error>) { state.withLock { $0.result = result } }

  /// Takes in that someone gets the result, now or when it is there.
  package func noteAsking() { state.withLock { $0.isAskedFor = true } }
}

/// A host that knows the tasks which are started on it.
package protocol TaskHost: NetworkHost {
  /// Starts a task on the host.
  ///
  /// - Parameters:
  ///   - name: The task's name.
  ///   - outcome: Where its result is put. An error that nobody has asked for in the end is
  ///     reported, unless the task was cancelled before it was thrown.
  ///   - operation: What it does.
  /// - Returns: The task.
  func start<Success: Sendable>(
    _ name: String, _ outcome: TaskOutcome<Success>,
    _ operation: @escaping @Sendable () async throws -> Success
  ) -> Task<Success, any Error>
}
