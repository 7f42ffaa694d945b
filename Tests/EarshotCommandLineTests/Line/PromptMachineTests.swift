import EarshotCommandLine
import EarshotCore
import ScreenKit
import TestKit
import Testing

@Suite("What somebody sees while typing")
struct PromptMachineTests {
  @Test("Text that comes while somebody types is printed above the line, which stays as it was")
  func above() {
    var desk = Desk()
    desk.type("hello wor")
    desk.print("Ann said: hi")
    desk.type("ld")
    #expect(desk.screen.lines == ["Ann said: hi", "> hello world"])
    #expect(desk.screen.textBeforeCursor == "> hello world")
    desk.type("\r")
    #expect(desk.screen.lines == ["Ann said: hi", ">"])
    #expect(desk.submitted == ["hello world"])
  }

  @Test("Text above the line ends its rows between words")
  func rows() {
    var desk = Desk(columns: 24)
    desk.print("Ann said: one two three four five")
    #expect(desk.screen.lines == ["Ann said: one two three", "four five", ">"])
  }

  @Test("Arrow keys move the cursor, and are not text")
  func arrows() {
    var desk = Desk()
    desk.type("hllo\u{1B}[D\u{1B}[D\u{1B}[De\u{1B}[A\u{1B}[H")
    #expect(desk.screen.lines == ["> hello"])
    #expect(desk.screen.textBeforeCursor == "> ")
    desk.type("\u{1B}[C\r\u{1B}[A")
    #expect(desk.submitted == ["hello"])
    #expect(desk.screen.lines == ["> hello"])
  }

  @Test("A paste of several lines waits for Enter, and is then a message each")
  func paste() {
    var desk = Desk()
    desk.type("\u{1B}[200~one\r\n\r\ntwo\u{1B}[201~")
    #expect(desk.submitted.isEmpty)
    #expect(desk.screen.lines == ["> one⏎⏎two"])
    desk.type("\r")
    #expect(desk.submitted == ["one", "two"])
    desk.type("\u{1B}[A")
    #expect(desk.screen.lines == ["> one⏎⏎two"])
  }

  @Test("Ctrl-D ends, Ctrl-L clears the screen but not the line, and what cannot be done rings")
  func controls() {
    var desk = Desk()
    desk.print("old")
    desk.type("ab\u{C}")
    #expect(desk.screen.lines == ["> ab"])
    desk.type("\u{4}")
    #expect((desk.hasEnded, desk.screen.bells) == (false, 1))
    desk.type("\u{15}\u{4}")
    #expect(desk.hasEnded)
  }

  @Test("Of a line that is longer than the screen the part at the cursor is seen, in one row")
  func long() {
    var desk = Desk(columns: 20)
    desk.type(String((0..<50).map { Character("\($0 % 10)") }))
    #expect(desk.screen.lines == ["< 0123456789"])
    desk.type("\u{1}")
    #expect(desk.screen.lines == ["> 01234567890123456"])
    desk.print("hi")
    #expect(desk.screen.lines == ["hi", "> 01234567890123456"])
    #expect(desk.screen.textFromCursor == "01234567890123456")
  }

  @Test(
    "The cursor is where the terminal shows the character, however wide it believes it to be",
    arguments: [Width.clusters, .scalars, .narrow])
  func widths(width: Width) {
    var desk = Desk(screen: Screen(columns: 80, width: width.of))
    desk.type("小林👩‍👩‍👧e\u{301}\u{1B}[D\u{1B}[D")
    #expect(desk.screen.textFromCursor == "👩‍👩‍👧e\u{301}")
    #expect(desk.screen.textBeforeCursor == "> 小林")
  }

  @Test("A terminal that becomes wider or narrower shows the line once", arguments: Narrowing.all)
  func resize(narrowing: Screen.Narrowing) {
    var desk = Desk(screen: Screen(columns: 40, narrowing: narrowing))
    desk.print("one")
    desk.print("two")
    desk.type("a line of thirty-four characters..")
    for columns in [80, 30, 37, 12, 11, 100] {
      desk.resize(columns: columns)
      let rows = desk.screen.lines
      #expect(rows.prefix(2) == ["one", "two"])
      #expect(rows.count == 3)
      #expect(desk.screen.textBeforeCursor.hasSuffix("ters.."))
    }
    #expect(desk.screen.lines.last == "> a line of thirty-four characters..")
  }

  @Test("Changes of size that come faster than the terminal answers leave nothing behind")
  func dragged() {
    var desk = Desk(screen: Screen(columns: 60))
    desk.print("one")
    desk.type("a line of thirty-four characters..")
    for columns in [30, 20, 16] { desk.resize(columns: columns, isAnswering: false) }
    desk.answer()
    #expect(desk.screen.lines == ["one", "< aracters.."])
  }

  @Test("A terminal that does not say where its cursor is shows the line with the next key")
  func silent() {
    var desk = Desk(screen: Screen(columns: 60, narrowing: .cuts))
    desk.print("one")
    desk.type("a line of thirty-four characters..")
    desk.resize(columns: 20, isAnswering: false)
    desk.type("!")
    #expect(desk.screen.lines == ["one", "< aracters..!"])
  }

  @Test("After others have written to the terminal the line is drawn anew")
  func continued() {
    var desk = Desk()
    desk.type("abc")
    desk.screen.write("\n[1]+  Stopped\n$ fg\n")
    desk.resize(columns: 80)
    #expect(desk.screen.lines == ["> abc", "[1]+  Stopped", "$ fg", "> abc"])
  }

  @Test("While others have the terminal no line is drawn, and what is printed stands alone")
  func away() {
    var desk = Desk()
    desk.type("abc")
    desk.handle(.stopped)
    desk.screen.write("\n$ ")
    desk.print("Ann said: hi\n")
    desk.type("d")
    #expect(desk.screen.lines == ["> abc", "$ Ann said: hi"])
    desk.handle(.stopped)
    desk.resize(columns: 5)
    #expect(desk.screen.lines.last == "< d")
    desk.type("e\r")
    #expect(desk.submitted == ["abcde"])
  }

  @Test("At an end while others have the terminal, it stays as it is", arguments: [true, false])
  func closedAway(isFromStart: Bool) {
    var desk = Desk(screen: Screen(columns: 40), isAway: isFromStart)
    if !isFromStart {
      desk.type("abc")
      desk.handle(.stopped)
      desk.screen.write("\n")
    }
    desk.screen.write("$ ")
    desk.handle(.closeRequested)
    #expect(desk.screen.lines.last == "$")
    #expect(desk.screen.textBeforeCursor == "$ ")
  }

  @Test("At the end the line goes, and what is printed then stands alone")
  func closing() {
    var desk = Desk()
    desk.type("abc")
    desk.handle(.closeRequested)
    #expect(desk.screen.lines.isEmpty)
    desk.type("def\r")
    desk.resize(columns: 10)
    desk.handle(.stopped)
    desk.handle(.closeRequested)
    desk.print("bye\n")
    #expect(desk.screen.lines == ["bye"])
    #expect(desk.submitted.isEmpty)
  }

  @Test("A line that is full rings, and sends no more than a message holds")
  func full() {
    var desk = Desk()
    desk.type(String(repeating: "x", count: LineEditor.bytesMax + 5) + "\r")
    #expect(desk.screen.bells == 1)
    #expect(desk.submitted.map(\.utf8.count) == [LineEditor.bytesMax])
  }

  @Test(
    "Whatever is typed, printed and resized, the line is the last row, and no text is lost or torn",
    arguments: Seed.some(200))
  func sound(seed: Seed) {
    var random = seed.generator
    let narrowing = Bool.random(using: &random) ? Screen.Narrowing.cuts : .wraps
    var desk = Desk(screen: Screen(columns: 100, narrowing: narrowing))
    var printed = 0
    for _ in 0..<60 {
      switch Int.random(in: 0...9, using: &random) {
      case 0...6: desk.type(Self.keys.randomElement(using: &random) ?? "")
      case 7...8:
        printed += 1
        desk.print("text \(printed)")
      default: desk.resize(columns: Int.random(in: 20...100, using: &random))
      }
    }
    desk.type("\u{5}|")
    let texts = desk.screen.lines.filter { $0.hasPrefix("text ") }
    #expect(texts == (1...max(1, printed)).prefix(printed).map { "text \($0)" })
    #expect(desk.screen.unknown.isEmpty)
    #expect(desk.screen.lines.last.map { "><".contains($0.first ?? " ") } == true)
    #expect(desk.screen.lines.last?.hasSuffix("|") == true)
    #expect(desk.screen.textBeforeCursor.hasSuffix("|"))
  }

  private static let keys = [
    "a", "hello ", "小林", "👩‍👩‍👧", "\u{301}", "\r", "\u{1B}[D", "\u{1B}[C", "\u{1B}[A", "\u{1B}[B",
    "\u{1}",
    "\u{5}", "\u{7F}", "\u{17}", "\u{19}", "\u{1B}b", "\u{1B}[200~a\nb\u{1B}[201~", "\u{1B}[3~",
    "\u{1B}",
  ]
}

/// Somebody at a terminal in which a prompt runs.
struct Desk {
  var screen: Screen
  private var machine: PromptMachine
  private(set) var submitted: [String] = []
  private(set) var hasEnded = false

  init(screen: Screen, isAway: Bool = false) {
    var actions: [PromptMachine.Action] = []
    self.screen = screen
    machine = PromptMachine(size: screen.size, isAway: isAway, into: &actions)
    perform(actions)
  }

  init(columns: Int = 80) { self.init(screen: Screen(columns: columns)) }

  mutating func type(_ text: String) { handle(.bytesRead(Array(text.utf8))) }
  mutating func print(_ text: String) { handle(.printRequested(text)) }

  /// Gives the terminal another size; `isAnswering` if it says at once where its cursor is.
  mutating func resize(columns: Int, isAnswering: Bool = true) {
    screen.resize(columns: columns)
    handle(.resized(screen.size))
    if isAnswering { answer() }
  }

  /// Has the terminal say what it was asked.
  mutating func answer() {
    let bytes = screen.takeAnswers()
    if !bytes.isEmpty { handle(.bytesRead(bytes)) }
  }

  mutating func handle(_ event: PromptMachine.Event) {
    var actions: [PromptMachine.Action] = []
    machine.handle(event, into: &actions)
    perform(actions)
  }

  private mutating func perform(_ actions: [PromptMachine.Action]) {
    for action in actions {
      switch action {
      case .write(let text): screen.write(text)
      case .submit(let line): submitted.append(line)
      case .endInput: hasEnded = true
      }
    }
  }
}

/// What terminals believe about the width of a character.
enum Width: CaseIterable {
  case clusters, scalars, narrow

  var of: @Sendable (Character) -> Int {
    switch self {
    case .clusters: { $0.columns }
    case .scalars: { $0.unicodeScalars.reduce(0) { $0 + Character($1).columns } }
    case .narrow: { min(1, $0.columns) }
    }
  }
}

typealias Narrowing = Screen.Narrowing

extension Screen.Narrowing {
  static let all: [Self] = [.cuts, .wraps]
}
