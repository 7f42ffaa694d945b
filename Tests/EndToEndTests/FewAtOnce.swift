import Synchronization
import Testing

/// Tests that begin processes, of which few run at once: what other programs do within half a second, as they do
/// before they take a name, comes out otherwise where a hundred processes share two cores.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @Sendable @concurrent () async throws -> Void
  ) async throws {
    await Self.gate.enter()
    defer { Self.gate.leave() }
    try await body()
  }

  private static let gate = Gate(seats: 6)

  private final class Gate: Sendable {
    private struct State {
      var freeSeats: Int
      var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state: Mutex<State>

    init(seats: Int) { state = Mutex(State(freeSeats: seats)) }

    func enter() async {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          guard state.freeSeats > 0 else {
            state.waiting.append(continuation)
            return false
          }
          state.freeSeats -= 1
          return true
        }
        if isFree { continuation.resume() }
      }
    }

    func leave() {
      let next = state.withLock { state in
        guard !state.waiting.isEmpty else {
          state.freeSeats += 1
          return nil as CheckedContinuation<Void, Never>?
        }
        return state.waiting.removeFirst()
      }
      next?.resume()
    }
  }
}

extension Trait where Self == FewAtOnce {
  /// Few of these tests run at once.
  static var fewAtOnce: Self { Self() }
}
