import EarshotScenario

/// What one row of a terminal shows of a line: all of it, or the part around the cursor.
///
/// A line that is wider than the row moves sideways by half a row at a time. What a row shows depends on
/// the line, the cursor and the width, and on nothing that was shown before.
package struct LineView: Hashable, Sendable {
  /// What is shown before the cursor, and from the cursor on.
  package let before, after: String
  /// Whether the line begins further left.
  package let isCut: Bool

  /// The view of a line.
  ///
  /// - Parameters:
  ///   - line: The line and its cursor.
  ///   - columns: The room for the text and the cursor; at least 2 are taken.
  package init(of line: LineEditor, columns: Int) {
    let room = max(2, columns)
    let cells = line.characters.map(\.shown)
    let widths = cells.map(\.columns)
    let cursorColumn = widths[..<line.cursor].reduce(0, +)
    let (first, left) = Self.beginning(widths, cursorColumn: cursorColumn, room: room)
    let last = Self.count(of: widths[line.cursor...], within: room - left)
    before = cells[first..<line.cursor].joined()
    after = cells[line.cursor..<(line.cursor + last)].joined()
    isCut = first > 0
  }

  /// The first character that is shown, and the columns from it to the cursor.
  private static func beginning(
    _ widths: [Int], cursorColumn: Int, room: Int
  ) -> (index: Int, columns: Int) {
    let (step, excess) = (room / 2, cursorColumn - (room - 1))
    guard excess > 0 else { return (0, cursorColumn) }
    let hidden = (excess + step - 1) / step * step
    var (index, column) = (0, 0)
    while column < hidden {
      column += widths[index]
      index += 1
    }
    return (index, cursorColumn - column)
  }

  /// How many characters fit into so many columns.
  private static func count(of widths: ArraySlice<Int>, within columns: Int) -> Int {
    var left = columns
    return widths.prefix { width in
      left -= width
      return left >= 0
    }.count
  }
}

extension Character {
  /// What a terminal is given for the character: itself, a sign for a line break, or an escape.
  fileprivate var shown: String { self == "\n" ? "⏎" : String(self).escapedForTerminals }
}
