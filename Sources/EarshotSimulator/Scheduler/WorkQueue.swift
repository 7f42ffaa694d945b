/// Something of a host that may run: a job of the language's runtime, or a call.
///
/// Holds nothing: a job belongs to its task, a call lies among the scheduler's actions, and the world holds
/// every host until its end.
struct ReadyWork {
  let host: Unmanaged<HostProcess>
  let work: Work
  /// What it follows from, should other events happen before it.
  let cause: EventCause

  enum Work {
    case serial(UnownedJob, UnownedSerialExecutor, UnownedTaskExecutor)
    case task(UnownedJob, UnownedTaskExecutor)
    case call(Int)
  }
}

/// What is ready, in order.
///
/// Keeps its elements in memory of its own, since it is filled and emptied with nearly every event.
struct WorkQueue<Element>: ~Copyable {
  private var elements: UnsafeMutablePointer<Element>
  private var capacity = 16
  // What is there lies from `next` to `end`.
  private var next = 0
  private var end = 0

  init() { elements = .allocate(capacity: capacity) }

  deinit {
    (elements + next).deinitialize(count: count)
    elements.deallocate()
  }

  var count: Int { end - next }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) {
    if end == capacity { makeRoom() }
    (elements + end).initialize(to: element)
    end += 1
  }

  mutating func popFirst() -> Element? { isEmpty ? nil : takeFirst() }

  mutating func removeAll() {
    (elements + next).deinitialize(count: count)
    (next, end) = (0, 0)
  }

  private mutating func takeFirst() -> Element {
    let first = (elements + next).move()
    next += 1
    if isEmpty { (next, end) = (0, 0) }
    return first
  }

  /// Moves what is there to the front, of twice the memory when it takes more than half of it.
  private mutating func makeRoom() {
    let (old, count) = (elements, count)
    if 2 * count > capacity {
      capacity *= 2
      elements = .allocate(capacity: capacity)
    }
    elements.moveInitialize(from: old + next, count: count)
    if elements != old { old.deallocate() }
    (next, end) = (0, count)
  }
}

extension WorkQueue {
  subscript(offset: Int) -> Element {
    precondition(offset < count, "there is nothing at this offset")
    return elements[next + offset]
  }

  /// Takes an element out of turn; the time for it grows with its offset.
  mutating func take(_ offset: Int) -> Element {
    let taken = self[offset]
    for index in stride(from: next + offset, to: next, by: -1) {
      elements[index] = elements[index - 1]
    }
    _ = takeFirst()
    return taken
  }
}

/// Calls that are to be made once, by number.
struct ActionTable: ~Copyable {
  /// A call.
  enum Action {
    case body(() -> Void)
    /// What arrived for a connection is handed over: as often as anything arrives, so without a closure of its own.
    case upcalls(SimulatedConnection)
    /// A signal fires, likewise; one that is released has its call forgotten.
    case signal(Unmanaged<SimulatedSignal>)

    func callAsFunction() {
      switch self {
      case .body(let body): body()
      case .upcalls(let connection): connection.makeUpcalls()
      case .signal(let signal): signal.takeUnretainedValue().fire()
      }
    }
  }
  private var actions = Slab<Action?>()

  mutating func add(_ action: consuming Action) -> Int {
    let index = actions.take(orAppend: nil)
    actions[index] = action
    return index
  }

  mutating func take(_ index: Int) -> Action? {
    defer { actions.recycle(index) }
    return actions[index].take()
  }

  /// Forgets a call; its number stays valid.
  mutating func forget(_ index: Int) { actions[index] = nil }

  /// Forgets all calls; their numbers stay valid.
  mutating func removeAll() {
    for index in 0..<actions.end { actions[index] = nil }
  }
}
