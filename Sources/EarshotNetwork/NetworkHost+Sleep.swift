import Synchronization

extension NetworkHost {
  /// Waits until the clock reaches a deadline.
  ///
  /// May be called from any executor and any task; the wait itself happens on the host's executor.
  ///
  /// - Parameter deadline: When to go on; at once if it has passed.
  /// - Throws: `CancellationError` as soon as the task is cancelled, ``NetworkError`` `hostDown` when the
  ///   host is down.
  public func sleep(until deadline: Instant) async throws {
    try checkAwake()
    try await onExecutor { _ in
      try self.checkAwake()
      let sleeper = Sleeper()
      let timer = self.makeTimer { sleeper.wake() }
      timer.arm(at: deadline)
      await withTaskCancellationHandler {
        await withUnsafeContinuation { sleeper.wait($0) }
      } onCancel: {
        sleeper.wake()
      }
      timer.disarm()
      try self.checkAwake()
    }
  }

  /// Waits for so long.
  ///
  /// - Parameter duration: How long; not at all if it is not positive.
  /// - Throws: What ``sleep(until:)`` throws.
  public func sleep(for duration: Duration) async throws { try await sleep(until: now + duration) }

  private func checkAwake() throws {
    try Task.checkCancellation()
    guard isUp else { throw NetworkError(.hostDown, call: "sleep", errno: nil) }
  }
}

/// One wait, which is over when it is woken, also if that is before it has begun.
private final class Sleeper: Sendable {
  private enum State {
    case awake, woken
    case asleep(UnsafeContinuation<Void, Never>)
  }
  private let state = Mutex(State.awake)

  func wait(_ continuation: UnsafeContinuation<Void, Never>) {
    let isWoken = state.withLock { state in
      if case .woken = state { return true }
      state = .asleep(continuation)
      return false
    }
    if isWoken { continuation.resume() }
  }

  func wake() {
    let continuation: UnsafeContinuation<Void, Never>? = state.withLock { state in
      defer { state = .woken }
      if case .asleep(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }
}
