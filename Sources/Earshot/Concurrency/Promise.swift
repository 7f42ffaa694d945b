import Synchronization

/// A value that one task waits for: the first one given counts, and later ones change nothing.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case fulfilled(Value)
  }
  private let state = Mutex(State.open)

  /// Gives the value.
  func fulfil(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .open: state = .fulfilled(value)
      case .awaited(let continuation):
        state = .fulfilled(value)
        return continuation
      case .fulfilled: break
      }
      return nil
    }
    waiter?.resume(returning: value)
  }

  /// Waits for the value; to be asked for once.
  ///
  /// - Parameter cancelled: Called when the task is cancelled, on any thread, to have the value given soon.
  /// - Returns: The value that was given first.
  func value(cancelled: @Sendable () -> Void) async -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0) }
    } onCancel: {
      cancelled()
    }
  }

  private func wait(_ continuation: CheckedContinuation<Value, Never>) {
    let value = state.withLock { state -> Value? in
      if case .fulfilled(let value) = state { return value }
      state = .awaited(continuation)
      return nil
    }
    if let value { continuation.resume(returning: value) }
  }
}
