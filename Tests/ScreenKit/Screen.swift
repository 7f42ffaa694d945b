package import EarshotCommandLine

/// A small terminal: what somebody sees of what a program writes.
///
/// It knows what Earshot uses of ECMA-48 and xterm, and notes everything else in ``unknown``.
package struct Screen: Sendable {
  /// What happens to rows that are longer than a terminal that is made narrower.
  package enum Narrowing: Sendable { case cuts, wraps }

  /// A place for a character; `nil` behind a wide one.
  private typealias Row = [Character?]

  /// Sequences that were not understood.
  package private(set) var unknown: [String] = []
  /// What the terminal answers to the program.
  package private(set) var answers: [UInt8] = []
  /// How often it rang.
  package private(set) var bells = 0
  package private(set) var size: TerminalSize
  package private(set) var isPasteBracketed = false
  private var rows: [Row] = [[]]
  /// Whether a row goes on in the next one.
  private var isContinued: Set<Int> = []
  private var (row, column) = (0, 0)
  private var saved = (row: 0, column: 0)
  /// Whether a text that is too long goes on in the next row.
  package private(set) var isWrapping = true
  private let narrowing: Narrowing
  /// How wide the terminal believes that a character is.
  private let width: @Sendable (Character) -> Int
  /// A sequence whose end was not written yet.
  private var pending = ""

  package init(
    columns: Int, rows: Int = 24, narrowing: Narrowing = .wraps,
    width: @escaping @Sendable (Character) -> Int = { $0.columns }
  ) {
    size = TerminalSize(columns: columns, rows: rows)
    (self.narrowing, self.width) = (narrowing, width)
  }

  // MARK: What is seen

  /// All rows, also those that have scrolled away, without spaces at their ends.
  package var lines: [String] {
    let texts = rows.map { row in
      var text = String(row.compactMap { $0 })
      while text.last == " " { text.removeLast() }
      return text
    }
    return Array(texts.reversed().drop { $0.isEmpty }.reversed())
  }

  /// The row that the cursor is in.
  package var cursorRow: Int { row }
  /// What is left of the cursor in its row.
  package var textBeforeCursor: String { String(cells(of: row).prefix(column).compactMap { $0 }) }
  /// What is at the cursor and right of it.
  package var textFromCursor: String {
    String(cells(of: row).dropFirst(column).compactMap { $0 })
  }

  private func cells(of row: Int) -> Row { rows[row] }

  // MARK: What is written

  package mutating func write(_ text: String) {
    var rest = (pending + text).unicodeScalars[...]
    pending = ""
    var printable = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      guard scalar.value < 0x20 || scalar.value == 0x7F else {
        printable.append(scalar)
        continue
      }
      put(&printable)
      guard scalar == "\u{1B}" else {
        control(scalar)
        continue
      }
      guard Self.isWhole(rest) else {
        pending = "\u{1B}" + String(rest)
        return
      }
      escape(&rest)
    }
    put(&printable)
  }

  /// Whether a sequence that was begun ends in what follows.
  private static func isWhole(_ rest: Substring.UnicodeScalarView) -> Bool {
    rest.first.map { $0 != "[" || rest.dropFirst().contains { $0.value >= 0x40 } } ?? false
  }

  private mutating func put(_ scalars: inout String.UnicodeScalarView) {
    for character in String(scalars) { put(character) }
    scalars = .init()
  }

  private mutating func put(_ character: Character) {
    let width = width(character)
    guard width > 0 else {  // A mark without a letter goes to what is before it.
      if column > 0, let last = rows[row].indices.contains(column - 1) ? column - 1 : nil,
        let base = rows[row][last]
      {
        rows[row][last] = Character(String(base) + String(character))
      }
      return
    }
    if column + width > size.columns {
      guard isWrapping else { return }
      isContinued.insert(row)
      (row, column) = (row + 1, 0)
      growToCursor()
    }
    growToCursor()
    let cells: Row = [character] + Row(repeating: nil, count: width - 1)
    while rows[row].count < column + width { rows[row].append(" ") }
    rows[row].replaceSubrange(column..<(column + width), with: cells)
    column += width
    if !isWrapping { column = min(column, size.columns - 1) }
  }

  private mutating func growToCursor() {
    while rows.count <= row { rows.append([]) }
    while rows[row].count < column { rows[row].append(" ") }
  }

  private mutating func control(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\r": column = 0
    case "\n":
      (row, column) = (row + 1, 0)
      growToCursor()
    case "\u{8}": column = max(0, min(column, size.columns - 1) - 1)
    case "\u{7}": bells += 1
    default: unknown.append("control \(scalar.value)")
    }
  }

  private mutating func escape(_ rest: inout Substring.UnicodeScalarView) {
    switch rest.popFirst() {
    case "7": saved = (row, column)
    case "8": (row, column) = saved
    case "[":
      var parameters = ""
      while let scalar = rest.popFirst() {
        guard scalar.value >= 0x40 else {
          parameters.unicodeScalars.append(scalar)
          continue
        }
        return sequence(parameters, scalar)
      }
    case let other: unknown.append("escape \(other.map { "\($0)" } ?? "")")
    }
  }

  private mutating func sequence(_ parameters: String, _ final: Unicode.Scalar) {
    switch (final, parameters) {
    case ("A", _):
      row = max(firstVisibleRow, row - (Int(parameters) ?? 1))
    case ("J", ""), ("J", "0"):
      rows.removeSubrange((row + 1)...)
      isContinued = isContinued.filter { $0 < row }
      erase(from: column)
    case ("J", "2"):
      for index in firstVisibleRow..<rows.count { rows[index] = [] }
      isContinued = isContinued.filter { $0 < firstVisibleRow }
    case ("H", ""): (row, column) = (firstVisibleRow, 0)
    case ("K", ""): erase(from: column)
    case ("h", "?7"): isWrapping = true
    case ("l", "?7"): isWrapping = false
    case ("h", "?2004"): isPasteBracketed = true
    case ("l", "?2004"): isPasteBracketed = false
    case ("m", _): break
    case ("n", "6"):
      let position = "\(row - firstVisibleRow + 1);\(min(column, size.columns - 1) + 1)"
      answers += Array("\u{1B}[\(position)R".utf8)
    default: unknown.append("[\(parameters)\(final)")
    }
  }

  private mutating func erase(from column: Int) {
    growToCursor()
    rows[row] = Array(rows[row].prefix(min(column, size.columns - 1)))
  }

  private var firstVisibleRow: Int { max(0, rows.count - size.rows) }

  /// What the terminal has answered since the last time.
  package mutating func takeAnswers() -> [UInt8] {
    defer { answers = [] }
    return answers
  }

  // MARK: Resizing

  package mutating func resize(columns: Int, rows count: Int? = nil) {
    size = TerminalSize(columns: columns, rows: count ?? size.rows)
    switch narrowing {
    case .cuts:
      rows = rows.map { Array($0.prefix(columns)) }
      column = min(column, columns - 1)
    case .wraps: rewrap(columns)
    }
  }

  private mutating func rewrap(_ columns: Int) {
    var wrapped: [Row] = []
    var continued: Set<Int> = []
    var cursor = (row: 0, column: 0)
    var index = 0
    while index < rows.count {
      var (whole, cursorOffset) = (Row(), Int?.none)
      repeat {
        if index == row { cursorOffset = whole.count + column }
        whole += rows[index]
        index += 1
      } while index < rows.count && isContinued.contains(index - 1)
      while whole.count < (cursorOffset ?? 0) { whole.append(" ") }
      let start = wrapped.count
      for offset in stride(from: 0, to: max(1, whole.count), by: columns) {
        if offset > 0 { continued.insert(wrapped.count - 1) }
        wrapped.append(Array(whole.dropFirst(offset).prefix(columns)))
      }
      if let cursorOffset {
        cursor = (start + cursorOffset / columns, cursorOffset % columns)
      }
    }
    while wrapped.count <= cursor.row { wrapped.append([]) }
    (rows, isContinued, row, column) = (wrapped, continued, cursor.row, cursor.column)
  }
}
