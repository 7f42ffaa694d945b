import EarshotCommandLine
import EarshotCore
import TestKit
import Testing

@Suite("A line while it is typed")
struct LineEditorTests {
  typealias Outcome = LineEditor.Outcome

  /// A line with a bar at its cursor, after some keys.
  private func line(_ start: String, _ keys: [Key]) -> String {
    var editor = LineEditor(start)
    for key in keys { _ = editor.handle(key) }
    return editor.picture
  }

  @Test(
    "Every key does its work",
    arguments: [
      ("ab|c", [.text("x")], "abx|c"), ("|", [.text("a"), .text("b")], "ab|"),
      ("ab|c", [.left], "a|bc"), ("|abc", [.left], "|abc"), ("ab|c", [.right], "abc|"),
      ("abc|", [.right], "abc|"), ("ab|c", [.home], "|abc"), ("ab|c", [.end], "abc|"),
      ("ab|c", [.eraseBackward], "a|c"), ("|abc", [.eraseBackward], "|abc"),
      ("ab|c", [.eraseForward], "ab|"), ("abc|", [.eraseForward], "abc|"),
      ("ab|c", [.endOfInput], "ab|"), ("abc|", [.endOfInput], "abc|"),
      ("one, two|", [.wordLeft], "one, |two"), ("one, two|", [.wordLeft, .wordLeft], "|one, two"),
      ("one, |two", [.wordLeft], "|one, two"), ("|one, two", [.wordRight], "one|, two"),
      ("one|, two", [.wordRight], "one, two|"), ("on|e", [.wordLeft], "|one"),
      ("|  ", [.wordRight], "  |"), ("  |", [.wordLeft], "|  "),
      ("Zoë小林 x|", [.wordLeft, .wordLeft], "|Zoë小林 x"),
      ("/a b.c  |d", [.killWordBackward], "/a |d"), ("|a", [.killWordBackward], "|a"),
      ("a| b.c", [.killWordForward], "a|.c"), ("a|", [.killWordForward], "a|"),
      ("ab|c", [.killToStart], "|c"), ("ab|c", [.killToEnd], "ab|"),
      ("ab|c", [.killToStart, .end, .yank], "cab|"),
      ("a b|", [.killWordBackward, .killWordBackward, .yank], "a b|"),
      ("|a b", [.killWordForward, .killWordForward, .yank], "a b|"),
      ("a b|", [.killWordBackward, .left, .killWordBackward, .yank], "a| "),
      ("ab|c", [.yank], "ab|c"), ("ab|c", [.killToEnd, .yank, .yank], "abcc|"),
      ("ab|c", [.clearScreen], "ab|c"), ("ab|c", [.cursorReport(column: 1)], "ab|c"),
    ] as [(String, [Key], String)])
  func keys(start: String, keys: [Key], end: String) { #expect(line(start, keys) == end) }

  @Test(
    "What people see as one character is one to the cursor and to Backspace",
    arguments: ["é", "e\u{301}", "👩‍👩‍👧", "🇨🇭", "👍🏽", "❤️", "한", "नि", "ی\u{200C}"])
  func clusters(character: String) {
    #expect(line("a\(character)b|", [.left, .left]) == "a|\(character)b")
    #expect(line("a\(character)|b", [.eraseBackward]) == "a|b")
    #expect(line("a|\(character)b", [.eraseForward]) == "a|b")
  }

  @Test("What is typed scalar by scalar is put together")
  func joining() {
    let scalars = "e\u{301}👩\u{200D}👧🇨🇭".unicodeScalars.map { Key.text(String($0)) }
    #expect(line("|", scalars) == "e\u{301}👩\u{200D}👧🇨🇭|")
    #expect(line("|", scalars + [.left, .left, .eraseBackward]) == "|👩\u{200D}👧🇨🇭")
    #expect(line("|", [.text("🇭🇩🇪"), .home, .text("🇨")]) == "🇨🇭|🇩🇪")
    #expect(line("|", [.text("\u{301}a"), .home, .text("e")]) == "e\u{301}|a")
  }

  @Test(
    "A paste is one text, and keeps its line breaks until it is entered",
    arguments: [
      ("one\ntwo", "one\ntwo|"), ("one\r\ntwo\rthree\u{2028}four", "one\ntwo\nthree\nfour|"),
      ("a\tb", "a b|"), ("a\n\n", "a|"), ("\u{1B}[2Jgone\u{7}\u{9B}", "[2Jgone|"), ("", "|"),
      ("\r\n", "|"), ("a\u{202E}b", "a\u{202E}b|"),
    ])
  func paste(pasted: String, shown: String) { #expect(line("|", [.paste(pasted)]) == shown) }

  @Test("What is entered comes out, and leaves an empty line")
  func entering() {
    var editor = LineEditor("ab|c")
    #expect(editor.handle(.enter) == .entered("abc"))
    #expect(editor.picture == "|")
    #expect(editor.handle(.enter) == .unchanged)
  }

  @Test("Ctrl-D ends the input on an empty line only")
  func end() {
    var editor = LineEditor("|a")
    #expect(editor.handle(.endOfInput) == .edited)
    #expect(editor.handle(.endOfInput) == .ended)
  }

  @Test("A paste that does not fit is refused as a whole, with the size that the line would have")
  func oversizedPaste() {
    var editor = LineEditor()
    #expect(editor.handle(.text("abc")) == .edited)
    let paste = String(repeating: "x", count: LineEditor.bytesMax - 2)
    #expect(editor.handle(.paste(paste)) == .tooLong(bytes: LineEditor.bytesMax + 1))
    #expect(editor.handle(.oversizedPaste(bytes: 70_000)) == .tooLong(bytes: 70_003))
    #expect(editor.text == "abc")
    #expect(editor.handle(.paste(String(paste.dropLast()))) == .edited)
    #expect(editor.text.utf8.count == LineEditor.bytesMax)
  }

  @Test("What cannot be done is refused, and changes nothing", arguments: Key.all)
  func refused(key: Key) {
    var editor = LineEditor("|")
    let before = editor
    let outcome = editor.handle(key)
    if outcome == .refused { #expect(editor.picture == before.picture) }
    #expect(
      (outcome == .refused)
        == [
          .left, .right, .wordLeft, .wordRight, .home, .end, .up, .down, .eraseBackward,
          .eraseForward, .killWordBackward, .killWordForward, .killToStart, .killToEnd,
        ].contains(key))
  }

  @Test("A line takes as much as a message, in whole characters, and says when it is full")
  func bound() {
    var editor = LineEditor("|")
    let long = String(repeating: "é", count: LineEditor.bytesMax / 2 - 1)
    #expect(editor.handle(.paste(long)) == .edited)
    #expect(editor.handle(.text("小")) == .refused)
    #expect(editor.text == long)
    #expect(editor.handle(.text("abc")) == .refused)
    #expect(editor.text == long + "ab")
    #expect(editor.text.utf8.count == LineEditor.bytesMax)
  }

  @Test("The history goes back and forth, and what was being typed comes back")
  func history() {
    var editor = LineEditor("|")
    for text in ["one", "two", "two", "three"] {
      _ = editor.handle(.text(text))
      _ = editor.handle(.enter)
    }
    _ = editor.handle(.text("draft"))
    let keys: [Key] = [.up, .up, .up, .up, .down, .down, .down, .down]
    let shown = keys.map { key in
      _ = editor.handle(key)
      return editor.text
    }
    #expect(shown == ["three", "two", "one", "one", "two", "three", "draft", "draft"])
    #expect(editor.cursor == 5)
  }

  @Test("An old line that is changed and entered is a new one")
  func reuse() {
    var editor = LineEditor("|")
    for keys in [[Key.text("one"), .enter], [.up, .text("!"), .enter]] {
      for key in keys { _ = editor.handle(key) }
    }
    #expect(editor.handle(.up) == .edited)
    #expect(editor.text == "one!")
    #expect(editor.handle(.up) == .edited)
    #expect(editor.text == "one")
  }

  @Test("A line is sound after any keys, and does as two strings do", arguments: Seed.some(300))
  func sound(seed: Seed) {
    var random = seed.generator
    var editor = LineEditor("|")
    var model = (before: "", after: "")
    for _ in 0..<60 {
      let key = Key.any(using: &random)
      _ = editor.handle(key)
      Self.apply(key, to: &model)
      if model == (editor.before, editor.after) { continue }
      // Keys that the model does not know, and characters that were put together at the cursor.
      #expect(!Key.modelled.contains(key) || model.before + model.after == editor.text)
      model = (editor.before, editor.after)
    }
    #expect(editor.characters == Array(editor.text))
    #expect((0...editor.characters.count).contains(editor.cursor))
    #expect(editor.text.utf8.count <= LineEditor.bytesMax)
  }

  /// What the simplest keys do, as strings have it.
  private static func apply(_ key: Key, to model: inout (before: String, after: String)) {
    switch key {
    case .text(let text): model.before += text
    case .home: model = ("", model.before + model.after)
    case .end: model = (model.before + model.after, "")
    case .eraseBackward: _ = model.before.popLast()
    case .eraseForward: model.after = String(model.after.dropFirst())
    case .killToStart: model.before = ""
    case .killToEnd: model.after = ""
    default: break
    }
  }
}

@Suite("The history of a line")
struct LineHistoryTests {
  @Test("Its lines are bounded, and the oldest go")
  func lines() {
    var history = LineHistory()
    for number in 0..<(LineHistory.linesMax + 10) { history.add("\(number)") }
    var seen: [String] = []
    while let line = history.earlier(than: "") { seen.append(line) }
    #expect(seen.count == LineHistory.linesMax)
    #expect(seen.last == "10")
  }

  @Test("Its bytes are bounded")
  func bytes() {
    var history = LineHistory()
    for letter in "abcd" { history.add(String(repeating: letter, count: LineHistory.bytesMax / 3)) }
    var seen: [Character?] = []
    while let line = history.earlier(than: "") { seen.append(line.first) }
    #expect(seen == ["d", "c", "b"])
  }
}

extension LineEditor {
  /// A line with its cursor where the bar is.
  init(_ picture: String) {
    self.init()
    let parts = picture.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    _ = handle(.text(parts[0] + parts[1]))
    while before.utf8.count > parts[0].utf8.count { _ = handle(.left) }
  }

  var before: String { String(characters[..<cursor]) }
  var after: String { String(characters[cursor...]) }
  var picture: String { "\(before)|\(after)" }
}

extension Key {
  static let all: [Key] = [
    .enter, .left, .right, .wordLeft, .wordRight, .home, .end, .up, .down, .eraseBackward,
    .eraseForward, .killWordBackward, .killWordForward, .killToStart, .killToEnd, .yank,
    .clearScreen, .cursorReport(column: 1), .text("a"), .paste("a"), .paste(""),
  ]

  /// What the model of a line knows.
  static let modelled: [Key] = [
    .home, .end, .eraseBackward, .eraseForward, .killToStart, .killToEnd,
  ]

  static func any(using random: inout RandomStream) -> Key {
    let texts = ["a", "é", "\u{301}", "👩", "\u{200D}", "🇨", "🇭", "小", " ", "x y", "한", "नि", "/"]
    guard Bool.random(using: &random) else {
      return .text(texts.randomElement(using: &random) ?? "")
    }
    return all.randomElement(using: &random) ?? .left
  }
}
