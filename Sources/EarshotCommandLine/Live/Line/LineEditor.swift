/// A line of text while it is typed: keys go in, and what has become of the line comes out.
///
/// The line is made of characters as people see them (grapheme clusters, UAX #29): a letter with its
/// accents, a family of emoji and a flag are one each to the cursor and to Backspace. A mark that is typed
/// behind a letter becomes part of it. The text never has more than ``bytesMax`` bytes, and no control
/// characters but the line breaks of a paste.
package struct LineEditor: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case edited, unchanged
    /// There is nothing there to move to or to erase, or no room.
    case refused
    /// A paste would make the line longer than the limit; nothing of it was inserted.
    case tooLong(bytes: Int)
    /// The line was entered, and is empty now.
    case entered(String)
    case ended
    case screenCleared
  }

  /// The line.
  package private(set) var characters: [Character] = []
  /// How many characters are before the cursor.
  package private(set) var cursor = 0
  private var history = LineHistory()
  private var killed = ""
  /// Whether the last key killed something, so that the next one adds to it.
  private var isKilling = false

  /// An empty line.
  package init() {}

  /// The line as one text.
  package var text: String { String(characters) }

  /// Does what a key says.
  package mutating func handle(_ key: Key) -> Outcome {
    let wasKilling = isKilling
    isKilling = false
    switch key {
    case .text(let text): return insert(text)
    case .paste(let text): return paste(Self.cleaned(text))
    case .oversizedPaste(let bytes): return .tooLong(bytes: text.utf8.count + bytes)
    case .yank: return insert(killed)
    case .enter: return enter()
    case .endOfInput: return characters.isEmpty ? .ended : erase(cursor..<next)
    case .left: return move(to: previous)
    case .right: return move(to: next)
    case .wordLeft: return move(to: wordStart)
    case .wordRight: return move(to: wordEnd)
    case .home: return move(to: 0)
    case .end: return move(to: characters.count)
    case .up: return show(history.earlier(than: text))
    case .down: return show(history.later())
    case .eraseBackward: return erase(previous..<cursor)
    case .eraseForward: return erase(cursor..<next)
    case .killWordBackward: return kill(spaceStart..<cursor, wasKilling)
    case .killWordForward: return kill(cursor..<wordEnd, wasKilling)
    case .killToStart: return kill(0..<cursor, wasKilling)
    case .killToEnd: return kill(cursor..<characters.count, wasKilling)
    case .clearScreen: return .screenCleared
    case .cursorReport: return .unchanged
    }
  }

  // MARK: Changing

  /// Puts text in the place of a range, and the cursor behind it.
  ///
  /// All characters are found anew, since what is put together may be one where it was two. A cursor that
  /// would be within one goes to its end.
  private mutating func replace(_ range: Range<Int>, with text: String) {
    let head = String(characters[..<range.lowerBound]) + text
    characters = Array(head + String(characters[range.upperBound...]))
    var bytes = head.utf8.count
    cursor =
      characters.firstIndex { character in
        defer { bytes -= character.utf8.count }
        return bytes <= 0
      } ?? characters.count
  }

  private mutating func insert(_ text: String) -> Outcome {
    guard !text.isEmpty else { return .unchanged }
    let room = Self.bytesMax - self.text.utf8.count
    let fitting = text.prefix(bytesMax: room)
    guard !fitting.isEmpty else { return .refused }
    replace(cursor..<cursor, with: fitting)
    return fitting.utf8.count < text.utf8.count ? .refused : .edited
  }

  private mutating func paste(_ paste: String) -> Outcome {
    let bytes = text.utf8.count + paste.utf8.count
    return bytes > Self.bytesMax ? .tooLong(bytes: bytes) : insert(paste)
  }

  private mutating func erase(_ range: Range<Int>) -> Outcome {
    guard !range.isEmpty else { return .refused }
    replace(range, with: "")
    return .edited
  }

  private mutating func kill(_ range: Range<Int>, _ isMore: Bool) -> Outcome {
    isKilling = true
    guard !range.isEmpty else { return .refused }
    let text = String(characters[range])
    if !isMore {
      killed = text
    } else if range.upperBound == cursor {
      killed = text + killed
    } else {
      killed += text
    }
    return erase(range)
  }

  private mutating func enter() -> Outcome {
    guard !characters.isEmpty else { return .unchanged }
    let line = text
    history.add(line)
    (characters, cursor) = ([], 0)
    return .entered(line)
  }

  private mutating func show(_ line: String?) -> Outcome {
    guard let line else { return .refused }
    characters = Array(line)
    cursor = characters.count
    return .edited
  }

  /// A paste without control characters: line breaks of all kinds are one kind, but none at the end, and
  /// tabs are spaces.
  private static func cleaned(_ paste: String) -> String {
    var text = ""
    var last: Unicode.Scalar = " "
    for scalar in paste.unicodeScalars {
      switch scalar {
      case "\n" where last == "\r": break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": text.unicodeScalars.append("\n")
      case "\t": text.unicodeScalars.append(" ")
      case _ where scalar.isControl: break
      default: text.unicodeScalars.append(scalar)
      }
      last = scalar
    }
    while text.unicodeScalars.last == "\n" { text.unicodeScalars.removeLast() }
    return text
  }

  // MARK: Moving

  private mutating func move(to position: Int) -> Outcome {
    guard position != cursor else { return .refused }
    cursor = position
    return .edited
  }

  private var previous: Int { max(0, cursor - 1) }
  private var next: Int { min(characters.count, cursor + 1) }

  /// Where the word before the cursor begins; words are letters and numbers in a row.
  private var wordStart: Int {
    let end = characters[..<cursor].lastIndex { $0.isInWords } ?? -1
    return (characters[..<(end + 1)].lastIndex { !$0.isInWords } ?? -1) + 1
  }

  /// Where the word at or behind the cursor ends.
  private var wordEnd: Int {
    let start = characters[cursor...].firstIndex { $0.isInWords } ?? characters.count
    return characters[start...].firstIndex { !$0.isInWords } ?? characters.count
  }

  /// Where what stands between spaces before the cursor begins.
  private var spaceStart: Int {
    let end = characters[..<cursor].lastIndex { !$0.isWhitespace } ?? -1
    return (characters[..<(end + 1)].lastIndex { $0.isWhitespace } ?? -1) + 1
  }

  /// The most bytes of a line: what a message may have.
  package static let bytesMax = ChatMachine.messageBytesMax
}

extension Character {
  fileprivate var isInWords: Bool { isLetter || isNumber }
}

extension String {
  /// The beginning that fits into so many bytes, cut between characters.
  fileprivate func prefix(bytesMax: Int) -> String {
    guard utf8.count > bytesMax else { return self }
    var room = bytesMax
    return String(
      prefix { character in
        room -= character.utf8.count
        return room >= 0
      })
  }
}
