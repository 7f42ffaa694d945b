/// A sequence of states: the present one, and then the latest one after every change.
///
/// Each `for await` loop over the same stream is a consumer of its own: its first element is the state at that
/// time. A consumer that is slower than the changes gets the latest state and misses those before it, so that
/// nothing has to be buffered. A loop ends when the stream does, after the last state, or when its task is
/// cancelled.
///
/// A stream and its consumers hold what the state belongs to: an object that is only iterated lives on.
public struct SnapshotStream<Element: Sendable>: AsyncSequence, Sendable {
  private let hub: SnapshotHub<Element>
  private let owner: (any Actor)?

  /// The states of a hub.
  ///
  /// - Parameters:
  ///   - hub: Where they come from. It must not hold the owner.
  ///   - owner: What lives on as long as the stream or a consumer is held.
  package init(_ hub: SnapshotHub<Element>, of owner: (any Actor)? = nil) {
    (self.hub, self.owner) = (hub, owner)
  }

  /// Begins to consume.
  public func makeAsyncIterator() -> Iterator { Iterator(hub: hub, owner: owner) }

  /// One consumer of the states.
  public struct Iterator: AsyncIteratorProtocol {
    private let hub: SnapshotHub<Element>
    private let owner: (any Actor)?
    private var version = 0

    fileprivate init(hub: SnapshotHub<Element>, owner: (any Actor)?) {
      (self.hub, self.owner) = (hub, owner)
    }

    /// The present state the first time, and then the latest one after a change.
    ///
    /// - Returns: `nil` when the stream has ended or the task was cancelled.
    public mutating func next() async -> Element? { await next(isolation: #isolation) }

    /// The present state the first time, and then the latest one after a change.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: `nil` when the stream has ended or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      guard let (snapshot, version) = await hub.next(after: version) else { return nil }
      self.version = version
      return snapshot
    }
  }
}
