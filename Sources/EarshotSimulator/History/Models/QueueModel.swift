/// A queue without a bound: what was enqueued first is dequeued first.
public struct QueueModel<Element: Hashable & Sendable>: SequentialModel {
  /// What clients ask of a queue.
  public enum Operation: Hashable, Sendable {
    case enqueue(Element)
    case dequeue
  }

  /// What a queue answers.
  public enum Response: Hashable, Sendable {
    case enqueued
    /// The element that was dequeued; `nil` if the queue was empty.
    case element(Element?)
  }

  /// The elements before all operations: none.
  public let initialState: [Element] = []

  /// A queue that is empty.
  public init() {}

  /// The elements after an operation, the oldest first.
  public func state(
    after operation: Operation, returning response: Response?, from state: [Element]
  ) -> [Element]? {
    switch (operation, response) {
    case (.enqueue(let element), nil), (.enqueue(let element), .enqueued): state + [element]
    case (.dequeue, nil): Array(state.dropFirst())
    case (.dequeue, .element(let element)):
      element == state.first ? Array(state.dropFirst()) : nil
    case (.enqueue, _), (.dequeue, _): nil
    }
  }
}
