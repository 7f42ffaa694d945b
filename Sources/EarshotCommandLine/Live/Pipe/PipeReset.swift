/// Why one end of a pipe resets the stream, as the code that the other end gets.
///
/// The codes are those that the program at that end ends with.
enum PipeReset: UInt32, Hashable, Sendable {
  case unread = 1
  case unwritten = 5
  case interrupted = 130

  /// What the other end says of it.
  var remark: String {
    switch self {
    case .unread: "its input cannot be read"
    case .unwritten: "its output cannot be written"
    case .interrupted: "it was interrupted"
    }
  }

  /// What a code says, known or not: `code 5, its output cannot be written`.
  static func text(of code: UInt32) -> String {
    "code \(code)" + (PipeReset(rawValue: code).map { ", \($0.remark)" } ?? "")
  }
}
