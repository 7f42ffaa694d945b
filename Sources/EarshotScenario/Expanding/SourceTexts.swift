/// The texts that a scenario was read from: its file, and those that this includes.
///
/// The texts stand one behind the other: an offset into all of them says which one it belongs to.
struct SourceTexts {
  private struct Part {
    /// The name of an included file; `nil` for the file itself.
    let name: String?
    let bytes: [UInt8]
    let start: Int
  }
  private var parts: [Part]

  /// One text.
  init(_ text: String) { parts = [Part(name: nil, bytes: Array(text.utf8), start: 0)] }

  /// How many bytes there are.
  var bytes: Int { parts.reduce(0) { $0 + $1.bytes.count } }

  /// Adds an included file.
  ///
  /// - Returns: Where it begins.
  mutating func add(_ text: String, name: String) -> Int {
    // One byte between two texts belongs to the end of the first.
    let start = (parts.last.map { $0.start + $0.bytes.count } ?? 0) + 1
    parts.append(Part(name: name, bytes: Array(text.utf8), start: start))
    return start
  }

  /// The file, line and column of an offset.
  func place(of offset: Int) -> (file: String?, line: Int, column: Int) {
    guard let part = parts.last(where: { $0.start <= offset }) else { return (nil, 1, 1) }
    let before = part.bytes[..<min(offset - part.start, part.bytes.count)]
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = before.count { $0 == 0x0A } + 1
    return (part.name, line, String(decoding: before[start...], as: UTF8.self).count + 1)
  }
}
