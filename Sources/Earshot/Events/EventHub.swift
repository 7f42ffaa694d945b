import Synchronization

/// The buffer behind an ``EventStream``: one log of events, and who waits for more.
package final class EventHub<Element: Sendable>: Sendable {
  private struct State {
    var log: EventLog<Element>
    var present: [Element] = []  // Events that lead to the present state.
    var waiters = WaitList()
    var isFinished = false
    var mergesAt: Int
  }
  private let state: Mutex<State>
  private let countMax: Int
  private let restate: (@Sendable (inout [Element], Element) -> Void)?
  private let merge: @Sendable ([Element]) -> [Element]
  private let released: @Sendable (ArraySlice<Element>) -> Void

  /// An empty log.
  ///
  /// - Parameters:
  ///   - countMax: How many events may wait before they are merged.
  ///   - keepsUnread: Whether events wait for the first consumer; otherwise all consumers begin with the present state.
  ///   - merge: Sums up successive events as at most as many. What it cannot sum up must be bounded elsewhere,
  ///     as messages are by their senders' credit: nothing is ever dropped.
  ///   - released: Told of events that every consumer has got.
  ///   - restate: Takes an event into those that lead to the present state, for ``EventStart/present``; without it,
  ///     that state has no events.
  package init(
    countMax: Int, keepsUnread: Bool = true,
    merge: @escaping @Sendable ([Element]) -> [Element] = { $0 },
    released: @escaping @Sendable (ArraySlice<Element>) -> Void = { _ in },
    restate: (@Sendable (inout [Element], Element) -> Void)? = nil
  ) {
    (self.countMax, self.merge, self.released) = (countMax, merge, released)
    self.restate = restate
    state = Mutex(State(log: EventLog(keepsUnread: keepsUnread), mergesAt: countMax))
  }

  /// Appends an event and wakes who waits.
  package func push(_ event: Element) { push([event]) }

  /// Appends events and wakes who waits, once.
  package func push(_ events: [Element]) {
    let waiters = state.withLock { state -> WaitList in
      guard !state.isFinished else { return WaitList() }
      state.log.append(events)
      if let restate { for event in events { restate(&state.present, event) } }
      if state.log.count > state.mergesAt {
        state.log.merge(merge)
        state.mergesAt = max(countMax, 2 * state.log.count)
      }
      return state.waiters.takeAll()
    }
    waiters.resume()
  }

  /// Ends the stream once its consumers have got what is there.
  package func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return state.waiters.takeAll()
    }
    waiters.resume()
  }

  /// How many events some consumer has not got.
  var waitingCount: Int { state.withLock { $0.log.waitingCount } }

  // MARK: Consumers

  func subscribe(from start: EventStart, for owner: (any Actor)?) -> Consumer {
    state.withLock { state in
      switch start {
      case .unread: return Consumer(hub: self, cursor: state.log.subscribe(), owner: owner)
      case .present:
        let cursor = state.log.observe(after: state.present.count)
        let prefix = EventLog<Element>.Chunk(start: cursor.position, events: state.present)
        return Consumer(hub: self, cursor: cursor, after: prefix, owner: owner)
      }
    }
  }

  /// One consumer, which leaves when it is released.
  final class Consumer: Sendable {
    let cursor: EventCursor
    private let hub: EventHub<Element>
    private let prefix: EventLog<Element>.Chunk?  // That it gets before what is in the log.
    private let owner: (any Actor)?

    fileprivate init(
      hub: EventHub<Element>, cursor: EventCursor, after prefix: EventLog<Element>.Chunk? = nil,
      owner: (any Actor)?
    ) {
      (self.hub, self.cursor, self.prefix, self.owner) = (hub, cursor, prefix, owner)
    }

    deinit { hub.unsubscribe(cursor) }

    /// Has what was got forgotten, unless another consumer has not got it.
    func report() { hub.trim() }

    /// What waits, from the cursor on; `nil` when the stream has ended or the task was cancelled.
    // Inlined, as is the wait: where a task prefers an executor, the runtime asks for it behind each call.
    @inline(__always)
    func take() async -> EventLog<Element>.Chunk? {
      while !Task.isCancelled {
        if let prefix, cursor.position < prefix.end { return prefix }
        let (chunk, isFinished) = hub.take(cursor)
        if let chunk { return chunk }
        if isFinished { return nil }
        await hub.wait(for: cursor)
      }
      return nil
    }
  }

  private func take(_ cursor: EventCursor) -> (EventLog<Element>.Chunk?, isFinished: Bool) {
    let (chunk, isFinished, taken) = state.withLock { state in
      let chunk = state.log.take(cursor)
      return (chunk, state.isFinished, state.log.trim())
    }
    taken.forEach(released)
    return (chunk, isFinished)
  }

  /// Waits until there is something at a position, or nothing to come; also when the task is cancelled.
  @inline(__always)
  private func wait(for cursor: EventCursor) async {
    let id = state.withLock { $0.waiters.reserve() }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waits = state.withLock { state in
          let waits = state.log.isAtEnd(cursor) && !state.isFinished && !Task.isCancelled
          if waits { state.waiters.add(continuation, as: id) }
          return waits
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.take(id) }?.resume()
    }
  }

  private func trim() {
    let taken = state.withLock { $0.log.trim() }
    taken.forEach(released)
  }

  private func unsubscribe(_ cursor: EventCursor) {
    let taken = state.withLock { state in
      state.log.unsubscribe(cursor)
      return state.log.trim(exactly: true)
    }
    taken.forEach(released)
  }
}
