import Synchronization

/// A value that can be waited for.
final class Watched<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var changes: [AsyncStream<Void>.Continuation] = []
  }
  private let state: Mutex<State>

  init(_ value: Value) { state = Mutex(State(value: value)) }

  var value: Value { state.withLock { $0.value } }

  /// Changes the value.
  @discardableResult
  func update<Result: Sendable>(_ change: (inout Value) -> sending Result) -> Result {
    let (result, changes) = state.withLock { state in
      let result = change(&state.value)
      defer { state.changes = [] }
      return (result, state.changes)
    }
    for continuation in changes { continuation.finish() }
    return result
  }

  /// Waits until the value fits.
  func first(where fits: (Value) -> Bool) async -> Value {
    while true {
      let (change, continuation) = AsyncStream<Void>.makeStream()
      let value = state.withLock { state in
        state.changes.append(continuation)
        return state.value
      }
      if fits(value) || Task.isCancelled { return value }
      for await _ in change {}
    }
  }
}
