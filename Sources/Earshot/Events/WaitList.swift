/// The consumers of a stream that wait for more, in the order in which they began to.
struct WaitList {
  typealias Continuation = UnsafeContinuation<Void, Never>
  private struct Waiter {
    let id: Int
    let continuation: Continuation
  }
  private var waiters = SmallArray<Waiter>()
  private var nextID = 0

  /// A name for one wait, by which it can be given up, also before it has begun.
  mutating func reserve() -> Int {
    defer { nextID += 1 }
    return nextID
  }

  /// Begins a wait.
  mutating func add(_ continuation: Continuation, as id: Int) {
    waiters.append(Waiter(id: id, continuation: continuation))
  }

  /// Takes a wait out that is given up, if it has begun and is not over.
  mutating func take(_ id: Int) -> Continuation? {
    waiters.removeFirst { $0.id == id }?.continuation
  }

  /// Takes all out, whose waits are over.
  mutating func takeAll() -> WaitList {
    var taken = WaitList()
    swap(&taken.waiters, &waiters)
    return taken
  }

  /// Resumes all, whose waits are over.
  func resume() { waiters.forEach { $0.continuation.resume() } }
}
