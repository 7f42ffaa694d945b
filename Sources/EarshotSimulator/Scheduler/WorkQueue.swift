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
struct WorkQueue<Element> {
  private var elements: [Element] = []
  private var next = 0

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard next < elements.count else {
      if next > 0 { removeAll() }
      return nil
    }
    next += 1
    return elements[next - 1]
  }

  mutating func removeAll() {
    next = 0
    elements.removeAll(keepingCapacity: true)
  }
}

extension WorkQueue {
  var count: Int { elements.count - next }

  var isEmpty: Bool { count == 0 }

  subscript(offset: Int) -> Element { elements[next + offset] }

  /// Takes an element out of turn; the time for it grows with its offset.
  mutating func take(_ offset: Int) -> Element {
    let taken = self[offset]
    for index in stride(from: next + offset, to: next, by: -1) {
      elements[index] = elements[index - 1]
    }
    next += 1
    if next == elements.count { removeAll() }
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

  mutating func add(_ action: Action) -> Int {
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
