import Synchronization

/// The places of the peers that a listener takes at a time, and how it went with those that left.
final class Places: Sendable {
  private struct State {
    var freeCount: Int
    var code: ExitCode?
  }
  private let state: Mutex<State>

  /// Places that are free.
  init(countMax: Int) { state = Mutex(State(freeCount: countMax)) }

  /// The gravest code; `nil` if there is none.
  var code: ExitCode? { state.withLock { $0.code } }

  /// Takes a place.
  ///
  /// - Returns: Whether one was free.
  func take() -> Bool {
    state.withLock { state in
      guard state.freeCount > 0 else { return false }
      state.freeCount -= 1
      return true
    }
  }

  /// Gives a place back.
  func free() { state.withLock { $0.freeCount += 1 } }

  /// Keeps how it went with a peer.
  func end(with code: ExitCode) { state.withLock { $0.code = max($0.code ?? code, code) } }
}
