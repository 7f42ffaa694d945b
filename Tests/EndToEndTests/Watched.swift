import Dispatch
import Synchronization

/// Something that threads change, and that tests wait for.
final class Watched<Value: Sendable>: Sendable {
  private struct Waiter {
    let number: Int
    /// What is known now; `nil` as long as it may still come.
    let answer: @Sendable (Value) -> Bool?
    let continuation: CheckedContinuation<Bool, Never>
  }
  private struct State {
    var value: Value
    var waiters: [Waiter] = []
    var lastWaiter = 0
  }
  private let state: Mutex<State>

  init(_ value: Value) { state = Mutex(State(value: value)) }

  /// What it is now.
  var value: Value { state.withLock { $0.value } }

  /// Changes it, and tells those who waited for that.
  func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, told) = state.withLock { state in
      let result = change(&state.value)
      let answers = state.waiters.map { ($0, $0.answer(state.value)) }
      state.waiters = answers.filter { $0.1 == nil }.map(\.0)
      return (
        result, answers.compactMap { waiter, answer in answer.map { (waiter.continuation, $0) } }
      )
    }
    for (continuation, answer) in told { continuation.resume(returning: answer) }
    return result
  }

  /// Waits until something is known; `false` if that takes too long.
  func learn(_ answer: @escaping @Sendable (Value) -> Bool?) async -> Bool {
    await withCheckedContinuation { continuation in
      let number = state.withLock { state in
        state.lastWaiter += 1
        state.waiters.append(
          Waiter(number: state.lastWaiter, answer: answer, continuation: continuation))
        return state.lastWaiter
      }
      update { _ in }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
        self?.giveUp(number)
      }
    }
  }

  private func giveUp(_ number: Int) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(returning: false)
  }

  /// Seconds; long, since it only matters when a test fails.
  private static var patience: Double { 60 }
}
