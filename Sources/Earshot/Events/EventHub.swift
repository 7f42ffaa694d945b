import Synchronization

/// The buffer behind an ``EventStream``: one log of events, and who waits for more.
package final class EventHub<Element: Sendable>: Sendable {
  private struct State {
    var log = EventLog<Element>()
    var waiters = WaitList()
    var isFinished = false
    var mergesAt: Int
  }
  private let state: Mutex<State>
  private let countMax: Int
  private let merge: @Sendable ([Element]) -> [Element]
  private let released: @Sendable (ArraySlice<Element>) -> Void

  /// An empty log.
  ///
  /// - Parameters:
  ///   - countMax: How many events may wait before they are merged.
  ///   - merge: Sums up successive events as at most as many. What it cannot sum up must be bounded elsewhere,
  ///     as messages are by their senders' credit: nothing is ever dropped.
  ///   - released: Told of events that every consumer has got.
  package init(
    countMax: Int, merge: @escaping @Sendable ([Element]) -> [Element] = { $0 },
    released: @escaping @Sendable (ArraySlice<Element>) -> Void = { _ in }
  ) {
    (self.countMax, self.merge, self.released) = (countMax, merge, released)
    state = Mutex(State(mergesAt: countMax))
  }

  /// Appends an event and wakes who waits.
  package func push(_ event: Element) { push([event]) }

  /// Appends events and wakes who waits, once.
  package func push(_ events: [Element]) {
    let waiters = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
      guard !state.isFinished else { return [] }
      state.log.append(events)
      if state.log.count > state.mergesAt {
        state.log.merge(merge)
        state.mergesAt = max(countMax, 2 * state.log.count)
      }
      return state.waiters.takeAll()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Ends the stream once its consumers have got what is there.
  package func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return state.waiters.takeAll()
    }
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Consumers

  func subscribe(for owner: (any Actor)?) -> Consumer {
    Consumer(hub: self, cursor: state.withLock { $0.log.subscribe() }, owner: owner)
  }

  /// One consumer, which leaves when it is released.
  final class Consumer: Sendable {
    let cursor: EventCursor
    private let hub: EventHub<Element>
    private let owner: (any Actor)?

    fileprivate init(hub: EventHub<Element>, cursor: EventCursor, owner: (any Actor)?) {
      (self.hub, self.cursor, self.owner) = (hub, cursor, owner)
    }

    deinit { hub.unsubscribe(cursor) }

    /// Has what was got forgotten, unless another consumer has not got it.
    func report() { hub.trim() }

    /// What waits, from the cursor on; `nil` when the stream has ended or the task was cancelled.
    func take() async -> EventLog<Element>.Chunk? {
      while !Task.isCancelled {
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
    for events in taken { released(events) }
    return (chunk, isFinished)
  }

  /// Waits until there is something at a position, or nothing to come; also when the task is cancelled.
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
    for events in taken { released(events) }
  }

  private func unsubscribe(_ cursor: EventCursor) {
    let taken = state.withLock { state in
      state.log.unsubscribe(cursor)
      return state.log.trim(exactly: true)
    }
    for events in taken { released(events) }
  }
}
