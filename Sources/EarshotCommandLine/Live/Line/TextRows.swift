extension String {
  /// The text with line breaks between words, so that no row is wider than a terminal.
  ///
  /// A further row is indented like the words of its line: in a line of two columns like those of
  /// the second one. A word that is wider than the terminal stays whole, and so does a line that is
  /// a command to be copied. Colours take no room.
  ///
  /// - Parameter width: The columns of the terminal; below 20, nothing is broken.
  /// - Returns: The rows.
  package func wrapped(toColumns width: Int) -> String {
    guard width >= 20 else { return self }
    return split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.rows(of: String($0), width) }.joined(separator: "\n")
  }

  private static func rows(of line: String, _ width: Int) -> String {
    let indent = line.prefix { $0 == " " }.count
    let beginning = line.dropFirst(indent)
    guard line.shownColumns > width, !commands.contains(where: beginning.hasPrefix) else {
      return line
    }
    let second = line.matches(of: /\S(  +)(?=\S)/).first.map {
      line.distance(from: line.startIndex, to: $0.range.upperBound)
    }
    let margin = String(
      repeating: " ", count: second.flatMap { $0 * 2 <= width ? $0 : nil } ?? indent)
    var (rows, row) = ([String](), String(line.prefix(indent)))
    var isEmpty = true
    for word in line.dropFirst(indent).split(separator: " ", omittingEmptySubsequences: false) {
      let next = isEmpty ? row + word : row + " " + word
      if !isEmpty, next.shownColumns > width {
        rows.append(String(row.reversed().drop { $0 == " " }.reversed()))
        (row, isEmpty) = (margin + word, word.isEmpty)
      } else {
        (row, isEmpty) = (next, isEmpty && word.isEmpty)
      }
    }
    return (rows + [row]).joined(separator: "\n")
  }

  /// The columns that the text takes without its colours.
  private var shownColumns: Int { replacing(/\u{1B}\[[0-9;]*m/, with: "").columns }

  private static let commands = ["earshot ", "sudo ", "replay: ", "$ "]
}
