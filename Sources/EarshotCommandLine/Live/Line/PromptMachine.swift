/// A line at the bottom of a terminal in which a user types, while text is printed above it.
///
/// Bytes of the terminal, texts to print and changes of its size go in; what to write to it and lines that
/// were entered come out. Whatever happens, the line takes one row, below everything that was printed:
/// a text takes the place of the row, and the row is drawn anew beneath.
///
/// Terminals differ in how wide they think that characters are. So the machine counts columns only to find
/// out what fits, switches wrapping off while it draws the row, and has the terminal itself remember where
/// the cursor belongs.
///
/// A terminal that is made narrower than the row either cuts the row off or wraps it to several, and
/// there is no notice of which. The machine asks where the cursor is, and removes what was wrapped.
///
/// While another job has the terminal there is no line; it is drawn when the terminal is back.
package struct PromptMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case bytesRead([UInt8])
    /// There is text for above the line.
    case printRequested(String)
    /// The terminal has this size, and may have been used by others.
    case resized(TerminalSize)
    /// Others have the terminal from now on, until the next ``resized(_:)``.
    case stopped
    case closeRequested
  }

  package enum Action: Hashable, Sendable {
    case write(String)
    case submit(String)
    /// The user wants no more.
    case endInput
  }

  private enum Phase: Hashable {
    case open
    /// Resized, and asked so many times where the cursor is.
    case measuring(questions: Int)
    /// Others have the terminal: what is printed stands alone, and nothing is drawn.
    case away
    case closed
  }
  private var phase = Phase.open
  private var decoder = KeyDecoder()
  private var line = LineEditor()
  private var size: TerminalSize
  /// How many columns of the row are taken, and in which one the cursor is.
  private var drawn = Drawn(columns: 0, cursor: 0)

  private struct Drawn: Hashable {
    var columns, cursor: Int
  }

  /// Draws an empty line below what there is, unless others have the terminal.
  package init(size: TerminalSize, isAway: Bool = false, into out: inout [Action]) {
    self.size = size
    if isAway { phase = .away }
    draw(after: "", into: &out)
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, into out: inout [Action]) {
    switch (phase, event) {
    case (.closed, .printRequested(let text)), (.away, .printRequested(let text)):
      out.append(.write(text))
    case (.closed, _): break
    case (.away, .resized(let size)):
      (phase, self.size) = (.open, size)
      draw(after: Self.clear, into: &out)
    case (.away, .closeRequested): phase = .closed
    case (_, .bytesRead(let bytes)): read(bytes, into: &out)
    case (_, .printRequested(let text)):
      let rows = text.wrapped(toColumns: size.columns)
      draw(after: Self.clear + Self.ended(rows), into: &out)
    case (_, .resized(let size)): resize(to: size, into: &out)
    case (_, .stopped): phase = .away
    case (_, .closeRequested):
      phase = .closed
      out.append(.write(Self.clear))
    }
  }

  // MARK: Typing

  private mutating func read(_ bytes: [UInt8], into out: inout [Action]) {
    var bells = false
    var isEdited = false
    for key in decoder.decode(bytes) {
      if case .cursorReport(let column) = key { learn(column, into: &out) }
      switch line.handle(key) {
      case .edited: isEdited = true
      case .unchanged: break
      case .refused: (isEdited, bells) = (true, true)
      case .tooLong(let bytes):
        draw(after: Self.clear + LineSplitter.refusal(ofBytes: bytes) + "\n", into: &out)
        (isEdited, bells) = (true, true)
      case .entered(let text):
        out += text.split(separator: "\n").map { .submit(String($0)) }
        isEdited = true
      case .ended: out.append(.endInput)
      case .screenCleared: draw(after: "\u{1B}[H\u{1B}[2J", into: &out)
      }
    }
    if isEdited { draw(after: bells ? "\r\u{7}" : "\r", into: &out) }
  }

  // MARK: Drawing

  /// Writes something, and the row after it; its last column stays free, for what erases the rest.
  private mutating func draw(after text: String, into out: inout [Action]) {
    guard phase != .away else { return }
    let view = LineView(of: line, columns: size.columns - Self.sign.columns - 1)
    let sign = view.isCut ? Self.cutSign : Self.sign
    let cursor = sign.columns + view.before.columns
    drawn = Drawn(columns: cursor + view.after.columns, cursor: cursor)
    phase = .open
    out.append(
      .write(
        text + Self.wrapsNot + sign + view.before + Self.rememberCursor + view.after
          + Self.eraseRest + Self.recallCursor + Self.wraps))
  }

  private mutating func resize(to size: TerminalSize, into out: inout [Action]) {
    self.size = size
    guard drawn.columns >= size.columns else { return draw(after: Self.clear, into: &out) }
    let questions = if case .measuring(let count) = phase { count + 1 } else { 1 }
    phase = .measuring(questions: questions)
    out.append(.write(Self.askForCursor))
  }

  /// Learns in which column the cursor is after a change of size.
  private mutating func learn(_ column: Int, into out: inout [Action]) {
    guard case .measuring(let questions) = phase else { return }
    guard questions == 1 else { return phase = .measuring(questions: questions - 1) }
    let (rows, rest) = drawn.cursor.quotientAndRemainder(dividingBy: size.columns)
    let isWrapped = rows > 0 && column == rest + 1
    draw(after: (isWrapped ? "\u{1B}[\(rows)A" : "") + Self.clear, into: &out)
  }

  /// A text with a line break at its end.
  private static func ended(_ text: String) -> String { text.hasSuffix("\n") ? text : text + "\n" }

  private static let sign = "> "
  private static let cutSign = "< "
  private static let clear = "\r\u{1B}[J"
  private static let eraseRest = "\u{1B}[K"
  private static let (wraps, wrapsNot) = ("\u{1B}[?7h", "\u{1B}[?7l")
  private static let (rememberCursor, recallCursor) = ("\u{1B}7", "\u{1B}8")
  private static let askForCursor = "\u{1B}[6n"
}
