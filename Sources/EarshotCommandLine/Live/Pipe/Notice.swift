import Synchronization

/// Has one task go on that waits for what another thread does.
///
/// A notice that comes before the task waits is kept; several are one.
final class Notice: Sendable {
  private struct State {
    var isGiven = false
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  /// Has the task go on.
  func give() {
    let waiter = state.withLock { state in
      state.isGiven = state.waiter == nil
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits for the next notice, or until the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          // A cancellation that comes after this finds the continuation.
          guard !state.isGiven, !Task.isCancelled else {
            state.isGiven = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiter.take() }
      waiter?.resume()
    }
  }
}
