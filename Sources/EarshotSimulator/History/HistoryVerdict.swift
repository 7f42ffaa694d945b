/// What the check of a history has found.
public enum HistoryVerdict: Hashable, Sendable {
  /// The operations could have been performed one at a time, each between its invocation and its return.
  case linearizable
  /// They could not.
  case violated(HistoryViolation)
  /// The check has given up.
  case undecided(UndecidedHistory)
}

/// Operations that no order explains.
public struct HistoryViolation: Error, Hashable, Sendable {
  /// One of the operations, as text.
  public struct Operation: Hashable, Sendable {
    /// The name of the client.
    public let client: String
    /// What it did.
    public let operation: String
    /// What the operation returned.
    public let response: String?
    /// When the operation was invoked.
    public let invoked: Instant
    /// When it returned; `nil` if it has not.
    public let returned: Instant?

    init<Operation, Response>(_ recorded: RecordedOperation<Operation, Response>) {
      (client, operation) = (recorded.client, "\(recorded.operation)")
      response = recorded.response.map { "\($0)" }
      (invoked, returned) = (recorded.invoked.instant, recorded.returned?.instant)
    }
  }

  /// The part of the object that the operations use, if it has several.
  public let key: String?
  /// The operations, in the order of their invocations.
  ///
  /// These cannot have been performed one at a time, whatever state the operations before them have led to, and whether
  /// those between them were performed or not. Without any one of them, that cannot be said.
  public let operations: [Operation]
}

extension HistoryViolation: CustomStringConvertible {
  /// A sentence, and a line for each operation: the client, the times, the operation and what it returned.
  public var description: String {
    let part = key.map { " on \($0)" } ?? ""
    let sentence =
      operations.count == 1
      ? "This operation\(part) cannot have returned this"
      : "These operations\(part) have no order in which they could be performed one at a time"
    let clientWidth = operations.map(\.client.count).max() ?? 0
    let lines = operations.map { operation in
      let padding = String(repeating: " ", count: clientWidth - operation.client.count)
      return "\n  \(operation.client)\(padding)  \(operation)"
    }
    return sentence + ":" + lines.joined()
  }
}

extension HistoryViolation.Operation: CustomStringConvertible {
  /// The times, the operation and what it returned: `1.000000 to 1.200000  write(2) → written`.
  public var description: String {
    let times = "\(invoked) to \(returned.map { "\($0)" } ?? "the end")"
    return "\(times)  \(operation) → \(response ?? "?")"
  }
}

/// A history that was not checked to the end, since that would take too long.
public struct UndecidedHistory: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of configurations that were visited.
  public let configurationCount: Int

  /// A sentence with the number.
  public var description: String {
    "the check of a history has given up after \(configurationCount) configurations: too many operations were under "
      + "way at once, or never returned"
  }
}
