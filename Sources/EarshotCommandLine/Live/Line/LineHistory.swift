/// The lines that were entered before, and which of them is shown.
///
/// Kept for one run of the program. Both its lines and their bytes are bounded; the oldest go first.
package struct LineHistory: Hashable, Sendable {
  private var lines: [String] = []
  private var bytes = 0
  /// The line that is shown, and what was typed before it was; `nil` while that is shown itself.
  private var visit: Visit?

  private struct Visit: Hashable {
    var index: Int
    let draft: String
  }

  /// Nothing entered yet.
  package init() {}

  /// Adds a line, unless it is the last one again, and shows none.
  package mutating func add(_ line: String) {
    visit = nil
    guard line != lines.last else { return }
    lines.append(line)
    bytes += line.utf8.count
    while lines.count > Self.linesMax || bytes > Self.bytesMax {
      bytes -= lines.removeFirst().utf8.count
    }
  }

  /// Shows the line before the one that is shown.
  ///
  /// - Parameter draft: What is on the screen; comes back behind the last line.
  /// - Returns: The line, if there is one.
  package mutating func earlier(than draft: String) -> String? {
    let index = (visit?.index ?? lines.count) - 1
    guard index >= 0 else { return nil }
    visit = Visit(index: index, draft: visit?.draft ?? draft)
    return lines[index]
  }

  /// The line after the one that is shown, or what was typed before any was; `nil` if that is shown.
  package mutating func later() -> String? {
    guard let shown = visit else { return nil }
    visit?.index += 1
    if shown.index + 1 < lines.count { return lines[shown.index + 1] }
    visit = nil
    return shown.draft
  }

  /// The most lines.
  package static let linesMax = 500
  /// The most bytes of all lines.
  package static let bytesMax = 1 << 20
}
