/// Something of a host that may run: a job of the language's runtime, or a call.
///
/// Holds nothing: a job belongs to its task, a call lies among the scheduler's actions, and the world holds
/// every host until its end.
struct ReadyWork {
  let host: Unmanaged<HostProcess>
  let work: Work

  enum Work {
    case serial(UnownedJob, UnownedSerialExecutor, UnownedTaskExecutor)
    case task(UnownedJob, UnownedTaskExecutor)
    case call(Int)
  }
}

/// What is ready to run, in order.
struct WorkQueue {
  private var work: [ReadyWork] = []
  private var next = 0

  mutating func append(_ ready: ReadyWork) { work.append(ready) }

  mutating func popFirst() -> ReadyWork? {
    guard next < work.count else {
      if next > 0 { removeAll() }
      return nil
    }
    next += 1
    return work[next - 1]
  }

  private mutating func removeAll() {
    next = 0
    work.removeAll(keepingCapacity: true)
  }
}

/// Calls that are to be made once, by number.
struct ActionTable: ~Copyable {
  private var actions = Slab<(() -> Void)?>()

  mutating func add(_ action: @escaping () -> Void) -> Int {
    let index = actions.take(orAppend: nil)
    actions[index] = action
    return index
  }

  mutating func take(_ index: Int) -> (() -> Void)? {
    let action = actions[index]
    actions[index] = nil
    actions.recycle(index)
    return action
  }

  /// Forgets all calls; their numbers stay valid.
  mutating func removeAll() {
    for index in 0..<actions.end { actions[index] = nil }
  }
}
