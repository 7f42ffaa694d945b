/// Makes lines of bytes as they come.
///
/// A line that exceeds the limit of a message is counted and not kept, so that an input without
/// line breaks takes no more memory than others.
package struct LineSplitter: Hashable, Sendable {
  /// A line of the input.
  package enum Line: Hashable, Sendable {
    case line(String)
    /// The line has more bytes than the limit, and was discarded.
    case tooLong(bytes: Int)
  }
  private var rest: [UInt8] = []
  /// The bytes of the line beyond those that are kept.
  private var excess = 0

  /// Nothing read yet.
  package init() {}

  /// The lines that these bytes complete, without their line breaks.
  package mutating func split(_ bytes: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(takeLine())
      } else if rest.count <= Self.lineBytesMax {
        rest.append(byte)  // One byte more than the limit, which may be a carriage return.
      } else {
        excess += 1
      }
    }
    return lines
  }

  /// The last line, if the input does not end with a line break.
  package mutating func finish() -> Line? { rest.isEmpty ? nil : takeLine() }

  private mutating func takeLine() -> Line {
    defer {
      rest.removeAll(keepingCapacity: true)
      excess = 0
    }
    if excess == 0, rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    let bytes = rest.count + excess
    return bytes > Self.lineBytesMax
      ? .tooLong(bytes: bytes) : .line(String(decoding: rest, as: UTF8.self))
  }

  /// The error message about a line that exceeds the limit.
  static func refusal(ofBytes bytes: Int) -> String {
    "earshot: a line of \(bytes) bytes exceeds the limit of \(lineBytesMax) bytes; nothing of it was "
      + "sent. Split the text, or send it as a file"
  }

  /// The longest line, in bytes.
  package static let lineBytesMax = ChatMachine.messageBytesMax
}
