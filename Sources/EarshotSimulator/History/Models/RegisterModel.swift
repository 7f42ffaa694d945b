/// A place for one value: a read returns what was written last.
public struct RegisterModel<Value: Hashable & Sendable>: SequentialModel {
  /// What clients ask of a register.
  public enum Operation: Hashable, Sendable {
    case read
    case write(Value)
    /// Writes a value if the register has another one.
    case exchange(expected: Value, desired: Value)
  }

  /// What a register answers.
  public enum Response: Hashable, Sendable {
    case value(Value)
    case written
    /// The register has had another value than the expected one, and keeps it.
    case unequal
  }

  /// The value before the first write.
  public let initialState: Value

  /// A register.
  ///
  /// - Parameter value: The value before the first write.
  public init(initial value: Value) { initialState = value }

  /// The value after an operation.
  public func state(
    after operation: Operation, returning response: Response?, from state: Value
  ) -> Value? {
    switch (operation, response) {
    case (.read, nil): state
    case (.read, .value(let value)): value == state ? state : nil
    case (.write(let value), nil), (.write(let value), .written): value
    case (.exchange(let expected, let desired), nil): expected == state ? desired : state
    case (.exchange(let expected, let desired), .written): expected == state ? desired : nil
    case (.exchange(let expected, _), .unequal): expected == state ? nil : state
    case (.read, _), (.write, _), (.exchange, _): nil
    }
  }

  /// Whether the operation is a read.
  public func isReadOnly(_ operation: Operation) -> Bool { operation == .read }
}
