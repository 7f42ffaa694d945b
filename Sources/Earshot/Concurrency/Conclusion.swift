import Synchronization

/// How something ended that programs may wait for: the first way that is given counts, and stays.
final class Conclusion<Ending: Sendable>: Sendable {
  private struct State {
    var ending: Ending?
    var waiters: [Promise<Ending?>] = []
  }
  private let state = Mutex(State())

  /// The way in which it ended, or `nil` as long as it has not.
  var ending: Ending? { state.withLock { $0.ending } }

  /// The way in which it ends, as soon as it has; `nil` if the task was cancelled before.
  func wait() async -> Ending? {
    let waiter = Promise<Ending?>()
    let ending = state.withLock { state in
      if state.ending == nil { state.waiters.append(waiter) }
      return state.ending
    }
    if let ending { return ending }
    return await waiter.value { giveUp(waiter) }
  }

  private func giveUp(_ waiter: Promise<Ending?>) {
    state.withLock { $0.waiters.removeAll { $0 === waiter } }
    waiter.fulfil(nil)
  }

  /// Ends it, unless it has ended, and tells all who wait.
  func end(_ ending: Ending) {
    let waiters = state.withLock { state -> [Promise<Ending?>] in
      guard state.ending == nil else { return [] }
      state.ending = ending
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.fulfil(ending) }
  }
}
