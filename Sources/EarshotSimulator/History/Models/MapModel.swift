/// A map from keys to values.
///
/// The operations on each key are checked by themselves.
public struct MapModel<Key: Hashable & Sendable, Value: Hashable & Sendable>: SequentialModel {
  /// What clients ask of a map.
  public enum Operation: Hashable, Sendable {
    case get(Key)
    /// Sets the value of a key, or removes it.
    case set(Key, Value?)
    /// Sets the value of a key, or removes it, if it has another one.
    case exchange(Key, expected: Value?, desired: Value?)
  }

  /// What a map answers.
  public enum Response: Hashable, Sendable {
    /// The value of the key, if it has one.
    case value(Value?)
    case written
    /// The key has had another value than the expected one, and keeps it.
    case unequal
  }

  /// The value of a key before all operations: none.
  public let initialState: Value? = nil

  /// A map that is empty.
  public init() {}

  /// The value of the key after an operation.
  public func state(
    after operation: Operation, returning response: Response?, from state: Value?
  ) -> Value?? {
    switch (operation, response) {
    case (.get, nil): .some(state)
    case (.get, .value(let value)): value == state ? .some(state) : nil
    case (.set(_, let value), nil), (.set(_, let value), .written): .some(value)
    case (.exchange(_, let expected, let desired), nil):
      .some(expected == state ? desired : state)
    case (.exchange(_, let expected, let desired), .written):
      expected == state ? .some(desired) : nil
    case (.exchange(_, let expected, _), .unequal): expected == state ? nil : .some(state)
    case (.get, _), (.set, _), (.exchange, _): nil
    }
  }

  /// Whether the operation gets a value.
  public func isReadOnly(_ operation: Operation) -> Bool {
    if case .get = operation { true } else { false }
  }

  /// The key.
  public func key(of operation: Operation) -> Key {
    switch operation {
    case .get(let key), .set(let key, _), .exchange(let key, _, _): key
    }
  }
}
