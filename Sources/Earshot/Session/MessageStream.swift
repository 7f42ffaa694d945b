/// The messages that the members of a session send, for any number of consumers.
///
/// Each `for await` loop is a consumer of its own, as of an ``EventStream``: it begins with the first message that no
/// loop has got yet, and what it has not got when it is left, or when its task is cancelled, is kept for the next.
/// A message is consumed when `next()` has returned it; it holds its sender's window until every consumer has got
/// it.
public struct MessageStream: AsyncSequence, Sendable {
  private let activity: EventStream<SessionActivity>

  init(_ activity: EventStream<SessionActivity>) { self.activity = activity }

  /// Begins to consume.
  public func makeAsyncIterator() -> Iterator { Iterator(activity.makeAsyncIterator()) }

  /// One consumer of the messages.
  ///
  /// Copies are the same consumer: each message goes to the copy that asks for it, and to no other.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var activity: EventStream<SessionActivity>.Iterator

    init(_ activity: EventStream<SessionActivity>.Iterator) { self.activity = activity }

    /// The next message; `nil` when the stream has ended or the task was cancelled.
    @inlinable
    public mutating func next() async -> Message? { await next(isolation: #isolation) }

    /// The next message; `nil` when the stream has ended or the task was cancelled.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Message? {
      while let activity = await activity.next(isolation: actor) {
        if case .message(let message) = activity { return message }
      }
      return nil
    }
  }
}
