/// A number that clients add to.
public struct CounterModel: SequentialModel {
  /// What clients ask of a counter.
  public enum Operation: Hashable, Sendable {
    case read
    case add(Int)
    /// Adds, and returns the number before.
    case fetchAndAdd(Int)
  }

  /// What a counter answers.
  public enum Response: Hashable, Sendable {
    case value(Int)
    case added
  }

  /// The number before all operations.
  public let initialState: Int

  /// A counter.
  ///
  /// - Parameter value: The number before all operations.
  public init(initial value: Int = 0) { initialState = value }

  /// The number after an operation; wraps around at the ends of its range.
  public func state(
    after operation: Operation, returning response: Response?, from state: Int
  ) -> Int? {
    switch (operation, response) {
    case (.read, nil): state
    case (.read, .value(let value)): value == state ? state : nil
    case (.add(let number), nil), (.add(let number), .added): state &+ number
    case (.fetchAndAdd(let number), nil): state &+ number
    case (.fetchAndAdd(let number), .value(let value)): value == state ? state &+ number : nil
    case (.read, _), (.add, _), (.fetchAndAdd, _): nil
    }
  }

  /// Whether the operation is a read.
  public func isReadOnly(_ operation: Operation) -> Bool { operation == .read }
}
