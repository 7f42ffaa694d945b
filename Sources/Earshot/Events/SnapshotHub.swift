import Synchronization

/// The state behind a ``SnapshotStream``: its present value, and who waits for the next one.
package final class SnapshotHub<Snapshot: Sendable>: Sendable {
  private struct State {
    var snapshot: Snapshot
    var version = 1
    var isFinished = false
    var waiters = WaitList()
  }
  private let state: Mutex<State>

  /// A state that begins with a value.
  package init(_ snapshot: Snapshot) { state = Mutex(State(snapshot: snapshot)) }

  /// The present value.
  package var current: Snapshot { state.withLock { $0.snapshot } }

  /// Changes the value and wakes who waits.
  package func update(_ change: (inout Snapshot) -> Void) {
    let waiters = state.withLock { state -> WaitList in
      guard !state.isFinished else { return WaitList() }
      change(&state.snapshot)
      state.version += 1
      return state.waiters.takeAll()
    }
    waiters.resume()
  }

  /// Ends the stream; consumers still get the last value.
  package func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return state.waiters.takeAll()
    }
    waiters.resume()
  }

  /// Waits for a version after another one.
  ///
  /// - Returns: The latest value and its version; `nil` when there will be none, or the task was cancelled.
  func next(after version: Int) async -> (snapshot: Snapshot, version: Int)? {
    while !Task.isCancelled {
      let (snapshot, latest, isFinished) = state.withLock {
        ($0.snapshot, $0.version, $0.isFinished)
      }
      if latest > version { return (snapshot, latest) }
      if isFinished { return nil }
      await wait(after: version)
    }
    return nil
  }

  private func wait(after version: Int) async {
    let id = state.withLock { $0.waiters.reserve() }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waits = state.withLock { state in
          let waits = state.version <= version && !state.isFinished && !Task.isCancelled
          if waits { state.waiters.add(continuation, as: id) }
          return waits
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.take(id) }?.resume()
    }
  }
}
