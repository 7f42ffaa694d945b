/// The consumers of a stream that wait for more, in the order in which they began to.
struct WaitList {
  private struct Waiter {
    let id: Int
    let continuation: UnsafeContinuation<Void, Never>
  }
  private var waiters: [Waiter] = []
  private var nextID = 0

  /// A name for one wait, by which it can be given up, also before it has begun.
  mutating func reserve() -> Int {
    defer { nextID += 1 }
    return nextID
  }

  /// Begins a wait.
  mutating func add(_ continuation: UnsafeContinuation<Void, Never>, as id: Int) {
    waiters.append(Waiter(id: id, continuation: continuation))
  }

  /// Takes a wait out that is given up, if it has begun and is not over.
  mutating func take(_ id: Int) -> UnsafeContinuation<Void, Never>? {
    waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).continuation }
  }

  /// Takes all out, whose waits are over.
  mutating func takeAll() -> [UnsafeContinuation<Void, Never>] {
    guard !waiters.isEmpty else { return [] }
    defer { waiters = [] }
    return waiters.map(\.continuation)
  }
}
