/// When something happened, in the order of the history.
struct HistoryEvent: Sendable {
  let number: Int
  let instant: Instant
}

/// An operation of a history.
struct RecordedOperation<Operation: Sendable, Response: Sendable>: Sendable {
  let client: String
  let operation: Operation
  let invoked: HistoryEvent
  /// What the operation returns if it is performed at all; `nil` if that is not known.
  var response: Response?
  /// `nil` as long as the operation may be performed, or not.
  var returned: HistoryEvent?
}
