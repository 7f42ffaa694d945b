import EarshotNetwork
import Synchronization

/// The tasks that end with an actor, by number.
final class TaskRegistry: Sendable {
  private struct State {
    var cancels: [Int: @Sendable () -> Void] = [:]
    var ended: Set<Int> = []  // Before they were added.
    var lastNumber = 0
    var isEnding = false
    var isOver = false
    var signal: (any NetworkSignal)?
  }
  private let state = Mutex(State())

  /// A number for a task that is about to start.
  private func reserve() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Whether tasks to come are cancelled.
  private var isOver: Bool { state.withLock { $0.isOver } }

  /// Whether the end has begun, by which tasks may fail that are not cancelled yet.
  private var isEnding: Bool { state.withLock { $0.isEnding || $0.isOver } }

  /// Takes in that the end begins.
  func beginEnding() { state.withLock { $0.isEnding = true } }

  /// Has a task cancelled in the end; at once if that has come.
  private func add(_ number: Int, cancel: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      guard state.ended.remove(number) == nil else { return false }
      if !state.isOver { state.cancels[number] = cancel }
      return state.isOver
    }
    if isOver { cancel() }
  }

  /// Forgets a task that has ended.
  private func remove(_ number: Int) {
    state.withLock { state in
      if state.cancels.removeValue(forKey: number) == nil, !state.isOver {
        state.ended.insert(number)
      }
    }
  }

  /// Starts a task where a host runs, which is cancelled in the end.
  func start<Value: Sendable>(
    _ name: String, on host: any NetworkHost,
    _ operation: @escaping @Sendable () async throws -> Value
  ) -> PeerTask<Value> {
    let (number, outcome) = (reserve(), TaskOutcome<Value>())
    let body: @Sendable () async throws -> Value = { [self] in
      defer { remove(number) }
      if isOver { cancelCurrentTask() }  // Before it gets to know of it.
      do {
        return try await operation()
      } catch {
        if isEnding { cancelCurrentTask() }  // The error is the answer to the end.
        throw error
      }
    }
    let task =
      if let host = host as? any TaskHost {
        host.start(name, outcome, body)
      } else {
        Task(name: name, executorPreference: host.executor.task, operation: body)
      }
    add(number) { task.cancel() }
    return PeerTask(task, outcome)
  }

  private func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }

  /// Cancels tasks to come at once, and those that run when what is ready to run on a host has run.
  ///
  /// So loops over events that ended just now get the last ones.
  func end(on host: any NetworkHost) {
    let signal = host.makeSignal { [weak self] in self?.cancelAll() }
    state.withLock { state in
      state.isOver = true
      state.signal = signal  // Which fires for as long as it is held.
    }
    signal.raise()
  }

  /// Cancels all tasks, the oldest first, and those to come.
  func cancelAll() {
    let cancels = state.withLock { state in
      state.isOver = true
      defer { (state.cancels, state.ended, state.signal) = ([:], [], nil) }
      return state.cancels.sorted { $0.key < $1.key }.map(\.value)
    }
    for cancel in cancels { cancel() }
  }
}
