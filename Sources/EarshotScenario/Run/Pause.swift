import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization

extension SimulatedHost {
  /// The time since the start of the world.
  var elapsed: Duration { worldTime - .zero }
}

/// A task that waits for one thing.
final class Waiter: Sendable {
  private enum State {
    case fresh, woken
    case waiting(UnsafeContinuation<Void, Never>)
  }
  private let state = Mutex(State.fresh)

  func wait() async {
    await withUnsafeContinuation { continuation in
      let isWoken = state.withLock { state in
        if case .woken = state { return true }
        state = .waiting(continuation)
        return false
      }
      if isWoken { continuation.resume() }
    }
  }

  func wake() {
    let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      defer { state = .woken }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }
}
