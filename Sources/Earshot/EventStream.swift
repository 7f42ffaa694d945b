import Synchronization

/// What happened, in order, for any number of consumers.
///
/// Each `for await` loop over the same stream sees every event from its beginning on; what happens while
/// there is no loop is kept for the next one. While a consumer has events waiting, asking for the next does
/// not suspend. The buffer is bounded: messages that nobody takes hold up their senders, and events that can
/// be summed up are. A loop ends when the stream does, or when its task is cancelled.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
  private let hub: EventHub<Element>

  package init(_ hub: EventHub<Element>) { self.hub = hub }

  /// Begins to consume.
  public func makeAsyncIterator() -> Iterator { Iterator(hub.subscribe()) }

  /// One consumer of the events.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: EventHub<Element>.Subscription
    @usableFromInline var batch: [Element] = []
    @usableFromInline var index = 0

    fileprivate init(_ subscription: EventHub<Element>.Subscription) {
      self.subscription = subscription
    }

    /// The next event; `nil` when the stream has ended or the task was cancelled.
    @inlinable
    public mutating func next() async -> Element? {
      await next(isolation: #isolation)
    }

    /// The next event; `nil` when the stream has ended or the task was cancelled.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      if index == batch.count, await !refill(isolation: actor) { return nil }
      defer { index += 1 }
      return batch[index]
    }

    /// Waits for events; answers whether there are any.
    @specialized(where Element == SessionEvent)
    @usableFromInline
    mutating func refill(isolation actor: isolated (any Actor)?) async -> Bool {
      batch = []
      batch = await subscription.take()
      index = 0
      return !batch.isEmpty
    }
  }
}

/// The buffer behind an ``EventStream``: one log of events, and a cursor for each consumer.
package final class EventHub<Element: Sendable>: Sendable {
  private struct Cursor {
    let id: Int
    var position: Int
    var waiter: UnsafeContinuation<Void, Never>?
    var isCancelled = false
  }
  private struct State {
    var events: [Element] = []
    var base = 0  // The position of the first event that is kept.
    var cursors: [Cursor] = []
    var nextID = 0
    var isFinished = false
    var mergesAt: Int

    /// Where the consumer is that is furthest behind.
    var firstPosition: Int? {
      guard var first = cursors.first?.position else { return nil }
      for cursor in cursors where cursor.position < first { first = cursor.position }
      return first
    }
  }
  private let state: Mutex<State>
  private let countMax: Int
  private let merge: @Sendable ([Element]) -> [Element]
  private let released: @Sendable (ArraySlice<Element>) -> Void

  /// An empty log.
  ///
  /// - Parameters:
  ///   - countMax: How many events may wait before they are merged.
  ///   - merge: Sums up events that waited too long. What it cannot sum up must be bounded elsewhere, as
  ///     messages are by their senders' credit: nothing is ever dropped.
  ///   - released: Told of events that every consumer has taken.
  package init(
    countMax: Int, merge: @escaping @Sendable ([Element]) -> [Element] = { $0 },
    released: @escaping @Sendable (ArraySlice<Element>) -> Void = { _ in }
  ) {
    (self.countMax, self.merge, self.released) = (countMax, merge, released)
    state = Mutex(State(mergesAt: countMax))
  }

  /// Appends an event and wakes who waits.
  package func push(_ event: Element) { push(CollectionOfOne(event)) }

  /// Appends events and wakes who waits, once.
  package func push(_ events: some Collection<Element>) { push(Array(events)) }

  /// Appends events and wakes who waits, once; copies none of them if none waits to be taken.
  package func push(_ events: [Element]) {
    let waiters = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
      guard !state.isFinished else { return [] }
      if state.events.isEmpty { state.events = events } else { state.events += events }
      if state.events.count > state.mergesAt { shorten(&state) }
      return Self.takeWaiters(&state)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Ends the stream once its consumers have taken what is there.
  package func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return Self.takeWaiters(&state)
    }
    for waiter in waiters { waiter.resume() }
  }

  fileprivate func subscribe() -> Subscription {
    state.withLock { state in
      defer { state.nextID += 1 }
      let end = state.base + state.events.count
      let position = state.cursors.isEmpty ? state.base : end
      state.cursors.append(Cursor(id: state.nextID, position: position))
      return Subscription(hub: self, id: state.nextID)
    }
  }

  private static func takeWaiters(_ state: inout State) -> [UnsafeContinuation<Void, Never>] {
    state.cursors.indices.compactMap { state.cursors[$0].waiter.take() }
  }

  /// Merges what waits; consumers that were in the middle see the merged events from the start.
  private func shorten(_ state: inout State) {
    let merged = merge(state.events)
    state.base += state.events.count - merged.count
    state.events = merged
    state.mergesAt = max(countMax, 2 * merged.count)
    for index in state.cursors.indices {
      state.cursors[index].position = max(state.cursors[index].position, state.base)
    }
  }

  /// Forgets what every consumer has taken.
  private static func trim(_ state: inout State) -> ArraySlice<Element> {
    guard let first = state.firstPosition, first > state.base else { return [] }
    let taken = state.events.prefix(first - state.base)
    if taken.count == state.events.count {
      state.events = []
    } else {
      state.events.removeFirst(taken.count)
    }
    state.base = first
    return taken
  }

  /// One consumer's place in the log; gives it up when released.
  package final class Subscription: Sendable {
    private let hub: EventHub<Element>
    private let id: Int

    fileprivate init(hub: EventHub<Element>, id: Int) { (self.hub, self.id) = (hub, id) }

    deinit { hub.unsubscribe(id) }

    /// Everything that waits, at least one event; empty when the stream ended or the task was cancelled.
    package func take() async -> [Element] {
      if let batch = hub.takeNow(id) { return batch }
      await withTaskCancellationHandler {
        await withUnsafeContinuation { hub.wait($0, id) }
      } onCancel: {
        hub.cancel(id)
      }
      return hub.takeNow(id) ?? []
    }
  }

  /// What waits for a consumer; empty at the end of the stream, `nil` if it has to wait.
  private func takeNow(_ id: Int) -> [Element]? {
    let (batch, taken) = state.withLock { state -> ([Element]?, ArraySlice<Element>) in
      guard let index = state.cursors.firstIndex(where: { $0.id == id }) else { return ([], []) }
      if state.cursors[index].isCancelled { return ([], []) }
      let start = state.cursors[index].position - state.base
      guard start < state.events.count else { return (state.isFinished ? [] : nil, []) }
      let batch = start == 0 ? state.events : Array(state.events[start...])
      state.cursors[index].position = state.base + state.events.count
      return (batch, Self.trim(&state))
    }
    if !taken.isEmpty { released(taken) }
    return batch
  }

  private func wait(_ waiter: UnsafeContinuation<Void, Never>, _ id: Int) {
    let resumesNow = state.withLock { state -> Bool in
      guard let index = state.cursors.firstIndex(where: { $0.id == id }),
        !state.cursors[index].isCancelled, !state.isFinished,
        state.cursors[index].position == state.base + state.events.count
      else { return true }
      state.cursors[index].waiter = waiter
      return false
    }
    if resumesNow { waiter.resume() }
  }

  private func cancel(_ id: Int) {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard let index = state.cursors.firstIndex(where: { $0.id == id }) else { return nil }
      state.cursors[index].isCancelled = true
      return state.cursors[index].waiter.take()
    }
    waiter?.resume()
  }

  private func unsubscribe(_ id: Int) {
    let taken = state.withLock { state in
      state.cursors.removeAll { $0.id == id }
      return Self.trim(&state)
    }
    if !taken.isEmpty { released(taken) }
  }
}
