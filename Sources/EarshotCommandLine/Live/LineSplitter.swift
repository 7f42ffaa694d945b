/// Makes lines of bytes as they come.
///
/// A line that is longer than a message may be comes in pieces, so that an input without line breaks takes
/// no more memory than others.
package struct LineSplitter: Hashable, Sendable {
  private var rest: [UInt8] = []

  /// Nothing read yet.
  package init() {}

  /// The lines that these bytes complete, without their line breaks.
  package mutating func split(_ bytes: some Sequence<UInt8>) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(takeLine())
      } else {
        rest.append(byte)
        if rest.count == Self.lineBytesMax { lines.append(takeLine()) }
      }
    }
    return lines
  }

  /// What is left at the end of the input, if there is something.
  package mutating func finish() -> String? { rest.isEmpty ? nil : takeLine() }

  private mutating func takeLine() -> String {
    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    defer { rest.removeAll(keepingCapacity: true) }
    return String(decoding: rest, as: UTF8.self)
  }

  /// The longest line, in bytes.
  package static let lineBytesMax = ChatMachine.messageBytesMax
}
