public import Synchronization

/// A sequence of events, in order, for any number of consumers.
///
/// Each `for await` loop over the same stream is a consumer of its own. It begins with the first event that no
/// loop has got yet, or with the present state, as ``EventStart`` says, and gets every event from there on, whatever
/// other loops do. An event is consumed when
/// `next()` has returned it, that is, when the body of a loop got it. What a loop has not got when it is left,
/// or when its task is cancelled, is kept for the next one; nothing is lost in between.
///
/// While a consumer has events waiting, asking for the next one does not suspend. The buffer is bounded:
/// messages hold their sender's window until every consumer has got them, so that messages that no consumer takes
/// hold up their senders, and events that can be summed up are. A loop ends when the stream does, or with the
/// next event when its task is cancelled.
///
/// A stream and its consumers hold what the events come from: an object that is only iterated lives on.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
  private let hub: EventHub<Element>
  private let start: EventStart
  private let owner: (any Actor)?

  /// The events of a hub.
  ///
  /// - Parameters:
  ///   - hub: Where they come from. It must not hold the owner.
  ///   - start: Where each consumer begins.
  ///   - owner: What lives on as long as the stream or a consumer is held.
  package init(
    _ hub: EventHub<Element>, from start: EventStart = .unread, of owner: (any Actor)? = nil
  ) {
    (self.hub, self.start, self.owner) = (hub, start, owner)
  }

  /// Begins to consume.
  public func makeAsyncIterator() -> Iterator {
    Iterator(hub.subscribe(from: start, for: owner))
  }

  /// One consumer of the events.
  ///
  /// Copies are the same consumer: each event goes to the copy that asks for it, and to no other.
  public struct Iterator: AsyncIteratorProtocol {
    private let consumer: EventHub<Element>.Consumer
    @usableFromInline let cursor: EventCursor
    @usableFromInline var batch: [Element] = []
    @usableFromInline var start = Int.min  // The position of the first event of the batch.
    @usableFromInline var mark = Int.min  // Where to tell the hub, or to ask it.
    private var step = 1  // How far apart the marks of the batch are.

    fileprivate init(_ consumer: EventHub<Element>.Consumer) {
      (self.consumer, cursor) = (consumer, consumer.cursor)
    }

    /// The next event; `nil` when the stream has ended or the task was cancelled.
    @inlinable
    public mutating func next() async -> Element? {
      await next(isolation: #isolation)
    }

    /// The next event; `nil` when the stream has ended or the task was cancelled.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      if cursor.position >= mark || Task.isCancelled {
        guard await proceed() else { return nil }
      }
      let position = cursor.position
      cursor.advance(to: position + 1)
      return batch[position - start]
    }

    /// Tells the hub how far it got, and waits for more events if there are none; answers whether there are.
    @specialized(where Element == SessionActivity)
    @usableFromInline
    nonisolated(nonsending) mutating func proceed() async -> Bool {
      if cursor.position < start + batch.count {
        if Task.isCancelled { return false }
        consumer.report()
      } else {
        (batch, mark) = ([], .min)
        guard let chunk = await consumer.take() else { return false }
        (batch, start) = (chunk.events, chunk.start)
        step = (start + batch.count - cursor.position) / 4 + 1
      }
      mark = Swift.min(cursor.position + step, start + batch.count)
      return true
    }
  }
}

/// How far one consumer got: the position of the next event that it gets.
///
/// Only the consumer moves it; the hub looks at it.
@usableFromInline
package final class EventCursor: Sendable {
  @usableFromInline let atomic: Atomic<Int>

  init(at position: Int) { atomic = Atomic(position) }

  /// The position.
  @inlinable package var position: Int { atomic.load(ordering: .relaxed) }

  @inlinable
  func advance(to position: Int) { atomic.store(position, ordering: .relaxed) }
}
