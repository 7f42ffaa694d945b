/// When an operation was under way, in the numbers of a history's events.
struct OperationInterval {
  /// The operation's place in the history.
  let index: Int
  let begin: Int
  /// `nil` if the operation may be performed, or not.
  var end: Int?
  let isReadOnly: Bool

  /// Whether the operation is performed, and leaves every state as it is.
  var isRead: Bool { isReadOnly && end != nil }

  /// The operation as one that may be performed or not.
  var optional: Self {
    var optional = self
    optional.end = nil
    return optional
  }
}
