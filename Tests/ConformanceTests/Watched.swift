import Synchronization

/// What a handler has seen, and a test that waits until it has seen enough.
final class Watched<State: Sendable>: Sendable {
  private struct Contents {
    var state: State
    var isEnough: (@Sendable (State) -> Bool)?
    var waiter: CheckedContinuation<Void, Never>?

    mutating func takeSatisfied() -> CheckedContinuation<Void, Never>? {
      guard let isEnough, isEnough(state) else { return nil }
      return takeWaiter()
    }

    mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
      defer { (isEnough, waiter) = (nil, nil) }
      return waiter
    }
  }
  private let contents: Mutex<Contents>

  init(_ state: State) { contents = Mutex(Contents(state: state)) }

  /// What was seen so far.
  var state: State { contents.withLock { $0.state } }

  /// Changes the state, and wakes whoever has waited for that.
  func update(_ change: (inout State) -> Void) {
    let waiter = contents.withLock { contents in
      change(&contents.state)
      return contents.takeSatisfied()
    }
    waiter?.resume()
  }

  /// Waits until the state is enough; one waits at a time.
  ///
  /// - Parameter isEnough: Whether to go on; asked after every change.
  /// - Returns: The first state that was enough.
  /// - Throws: `CancellationError` when the test is given up before.
  @discardableResult
  func wait(until isEnough: @escaping @Sendable (State) -> Bool) async throws -> State {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let satisfied = contents.withLock { contents in
          (contents.isEnough, contents.waiter) = (isEnough, waiter)
          return Task.isCancelled ? contents.takeWaiter() : contents.takeSatisfied()
        }
        satisfied?.resume()
      }
    } onCancel: {
      contents.withLock { $0.takeWaiter() }?.resume()
    }
    try Task.checkCancellation()
    return state
  }
}
