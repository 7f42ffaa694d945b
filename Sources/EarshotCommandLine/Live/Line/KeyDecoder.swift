/// Makes keys of the bytes that a terminal sends.
///
/// Characters are UTF-8; keys without a character are control characters or the escape sequences of
/// ECMA-48 as xterm and its relatives send them. A sequence that means nothing here is swallowed whole, so
/// that an unknown key types no letters. There is no clock: an escape character belongs to what follows
/// it, however late that comes, which makes Escape and then `b` the same as Alt-B.
///
/// - SeeAlso: "XTerm Control Sequences", PC-Style Function Keys and Bracketed Paste Mode.
package struct KeyDecoder: Hashable, Sendable {
  private enum State: Hashable {
    case ground
    /// Within a character that lacks so many bytes.
    case character([UInt8], missing: Int)
    case escape
    /// Behind `ESC [`, with the parameters so far.
    case sequence([UInt8])
    /// Behind `ESC O`.
    case shifted
    /// Behind `ESC [ [`, which function keys of the Linux console begin with.
    case console
    /// Within a string that is meant for programs, such as a title, and perhaps behind its last escape.
    case string(isEscaped: Bool)
    /// Within a paste of so many bytes, behind so many bytes of what ends it.
    case paste([UInt8], bytes: Int, matched: Int)
  }
  private var state = State.ground

  /// A decoder that expects the beginning of a key.
  package init() {}

  /// The keys that these bytes complete; characters in a row come together.
  package mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { state = next(after: byte, into: &keys) }
    return keys
  }

  private func next(after byte: UInt8, into keys: inout [Key]) -> State {
    switch state {
    case .ground: return ground(byte, into: &keys)
    case .character(let head, let missing):
      return character(head, missing, byte, into: &keys)
    case .escape: return escape(byte, into: &keys)
    case .sequence(let parameters): return sequence(parameters, byte, into: &keys)
    case .shifted:
      if byte < 0x20 { return ground(byte, into: &keys) }
      return emit(Self.shiftedKeys[byte], into: &keys)
    case .console: return .ground
    case .string(let isEscaped): return Self.string(isEscaped, byte)
    case .paste(let text, let bytes, let matched):
      return paste(text, bytes, matched, byte, into: &keys)
    }
  }

  // MARK: Characters

  private func ground(_ byte: UInt8, into keys: inout [Key]) -> State {
    switch byte {
    case 0x1B: return .escape
    case 0x00...0x1F, 0x7F: return emit(Self.controlKeys[byte], into: &keys)
    case 0x20...0x7E: Self.append([byte], to: &keys)
    case 0xC2...0xDF: return .character([byte], missing: 1)
    case 0xE0...0xEF: return .character([byte], missing: 2)
    case 0xF0...0xF4: return .character([byte], missing: 3)
    default: Self.append([byte], to: &keys)  // Repaired to U+FFFD.
    }
    return .ground
  }

  private func character(
    _ head: [UInt8], _ missing: Int, _ byte: UInt8, into keys: inout [Key]
  ) -> State {
    guard 0x80...0xBF ~= byte else {  // The character ends before its end.
      Self.append(head, to: &keys)
      return ground(byte, into: &keys)
    }
    if missing > 1 { return .character(head + [byte], missing: missing - 1) }
    Self.append(head + [byte], to: &keys)
    return .ground
  }

  /// Appends a character, repaired if need be, unless it is a control character (U+0080 to U+009F).
  private static func append(_ bytes: [UInt8], to keys: inout [Key]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard !text.unicodeScalars.contains(where: \.isControl) else { return }
    if case .text(let earlier) = keys.last {
      keys[keys.count - 1] = .text(earlier + text)
    } else {
      keys.append(.text(text))
    }
  }

  private func emit(_ key: Key?, into keys: inout [Key]) -> State {
    if let key { keys.append(key) }
    return .ground
  }

  // MARK: Sequences

  private func escape(_ byte: UInt8, into keys: inout [Key]) -> State {
    switch byte {
    case 0x1B: .escape
    case UInt8(ascii: "["): .sequence([])
    case UInt8(ascii: "O"): .shifted
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      .string(isEscaped: false)
    case 0x08, 0x7F: emit(.killWordBackward, into: &keys)
    case 0x20...0x7E: emit(Self.altKeys[byte | 0x20], into: &keys)
    default: ground(byte, into: &keys)
    }
  }

  private func sequence(
    _ parameters: [UInt8], _ byte: UInt8, into keys: inout [Key]
  ) -> State {
    switch byte {
    case 0x1B: return .escape
    case 0x00...0x1F: return ground(byte, into: &keys)
    case 0x20...0x3F:
      return .sequence(parameters.count < Self.parametersMax ? parameters + [byte] : parameters)
    case UInt8(ascii: "[") where parameters.isEmpty: return .console
    case 0x40...0x7E:
      guard parameters != Array("200".utf8) || byte != UInt8(ascii: "~") else {
        return .paste([], bytes: 0, matched: 0)
      }
      return emit(Self.key(Self.numbers(parameters), byte), into: &keys)
    default: return .ground
    }
  }

  /// The parameters of a sequence: numbers between semicolons, 0 for one that is left out or is none.
  private static func numbers(_ parameters: [UInt8]) -> [Int] {
    parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
  }

  private static func string(_ isEscaped: Bool, _ byte: UInt8) -> State {
    let isOver = byte == 0x07 || byte == 0x18 || byte == 0x1A
    return isOver || isEscaped ? .ground : .string(isEscaped: byte == 0x1B)
  }

  // MARK: Pastes

  private func paste(
    _ text: [UInt8], _ bytes: Int, _ matched: Int, _ byte: UInt8, into keys: inout [Key]
  ) -> State {
    guard byte != Self.pasteEnd[matched] else {
      guard matched + 1 == Self.pasteEnd.count else {
        return .paste(text, bytes: bytes, matched: matched + 1)
      }
      let key: Key =
        bytes > Self.pasteBytesMax
        ? .oversizedPaste(bytes: bytes) : .paste(String(decoding: text, as: UTF8.self))
      return emit(key, into: &keys)
    }
    let isEscape = byte == Self.pasteEnd[0]  // Which is nowhere else in what ends a paste.
    let passed = Self.pasteEnd[..<matched] + (isEscape ? [] : [byte])
    let room = Self.pasteBytesMax - text.count
    return .paste(
      text + passed.prefix(room), bytes: bytes + passed.count, matched: isEscape ? 1 : 0)
  }

  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// The largest paste that is kept.
  package static let pasteBytesMax = LineEditor.bytesMax
  private static let parametersMax = 32
}

extension Unicode.Scalar {
  /// Whether it is one of C0 and C1, or DEL.
  var isControl: Bool { properties.generalCategory == .control }
}
