/// The words of a JSON5 text: blanks, strings, numbers, names.
package struct JSON5Scanner {
  private let bytes: [UInt8]
  /// Where the next word begins, in bytes from the start of the text.
  package private(set) var offset = 0

  /// Reads a text from its start.
  package init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether everything was read.
  package var isAtEnd: Bool { offset == bytes.count }

  /// The next byte, if there is one.
  package var peek: UInt8? { isAtEnd ? nil : bytes[offset] }

  /// The next character in words, for messages.
  package var found: String {
    guard let first = peek else { return "the end of the file" }
    var end = offset + 1
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    guard first > 0x20, first != 0x7F else { return "the control character \(first)" }
    return "\"\(String(decoding: bytes[offset..<end], as: UTF8.self))\""
  }

  /// A mistake at this place.
  package func error(_ reason: String) -> JSON5Error { JSON5Error(offset: offset, reason: reason) }

  /// Leaves out one byte.
  package mutating func advance() { offset = min(offset + 1, bytes.count) }

  /// Whether an ASCII character comes next.
  package func isNext(_ character: Character) -> Bool { peek == character.asciiValue }

  /// Leaves out an ASCII character if it comes next.
  package mutating func take(_ character: Character) -> Bool {
    guard isNext(character) else { return false }
    offset += 1
    return true
  }

  /// Leaves out white space and comments.
  package mutating func skipBlank() throws(JSON5Error) {
    while true {
      if let length = blankLength {
        offset += length
      } else if starts(with: "//") {
        while let byte = peek, byte != 0x0A, byte != 0x0D { offset += 1 }
      } else if starts(with: "/*") {
        try skipBlockComment()
      } else {
        return
      }
    }
  }

  private mutating func skipBlockComment() throws(JSON5Error) {
    let problem = error("this comment has no end")
    offset += 2
    while !starts(with: "*/") {
      guard !isAtEnd else { throw problem }
      offset += 1
    }
    offset += 2
  }

  /// Tab, line feed, vertical tab, form feed, return, space, and the blanks beyond ASCII.
  private var blankLength: Int? {
    switch peek {
    case 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20: 1
    case 0xC2 where starts(with: "\u{A0}"): 2
    case 0xEF where starts(with: "\u{FEFF}"): 3
    case 0xE2 where starts(with: "\u{2028}") || starts(with: "\u{2029}"): 3
    default: nil
    }
  }

  private func starts(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

  /// A name without quotes, if one comes next.
  package mutating func identifier() -> String? {
    let start = offset
    while let byte = peek, isPartOfName(byte, first: offset == start) { offset += 1 }
    guard offset > start else { return nil }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private func isPartOfName(_ byte: UInt8, first: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"): true
    case 0x80...: blankLength == nil
    case UInt8(ascii: "0")...UInt8(ascii: "9"): !first
    default: false
    }
  }

  /// A number as it is written: a sign, then hexadecimal digits, a decimal number, or a word for none.
  package mutating func number() throws(JSON5Error) -> String {
    let problem = error("this is no number")
    let start = offset
    let sign = take("-") ? "-" : ""
    if sign.isEmpty { _ = take("+") }
    let body = offset
    while let byte = peek, isPartOfName(byte, first: false) || isInsideNumber(byte, from: body) {
      offset += 1
    }
    let text = String(decoding: bytes[body..<offset], as: UTF8.self)
    guard start < offset, Self.isNumber(text) else { throw problem }
    return sign + text
  }

  private func isInsideNumber(_ byte: UInt8, from body: Int) -> Bool {
    switch byte {
    case UInt8(ascii: "."): true
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      offset > body && bytes[offset - 1] | 0x20 == UInt8(ascii: "e")
    default: false
    }
  }

  private static func isNumber(_ text: String) -> Bool {
    if text == "Infinity" || text == "NaN" { return true }
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
      let digits = text.dropFirst(2)
      return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
    guard text.first != "0" || text.dropFirst().first?.isNumber != true else { return false }
    return text.first { $0 != "." && !("0"..."9" ~= $0) }.map { $0 == "e" || $0 == "E" } ?? true
      && Double(text.hasPrefix(".") ? "0" + text : text.hasSuffix(".") ? text + "0" : text) != nil
  }

  /// A text in single or double quotes.
  package mutating func quoted() throws(JSON5Error) -> String {
    let problem = error("this text has no closing quote")
    let quote = peek
    offset += 1
    var text: [UInt8] = []
    while let byte = peek {
      offset += 1
      switch byte {
      case quote: return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escaped().utf8
      case 0x0A, 0x0D: throw problem
      default: text.append(byte)
      }
    }
    throw problem
  }

  private mutating func escaped() throws(JSON5Error) -> String {
    guard let byte = peek else { throw error("this text has no closing quote") }
    var end = offset + 1
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let literal = String(decoding: bytes[offset..<end], as: UTF8.self)
    offset = end
    switch byte {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "v"): return "\u{B}"
    case UInt8(ascii: "0"): return "\0"
    case UInt8(ascii: "x"): return try scalar(digits: 2)
    case UInt8(ascii: "u"): return try scalar(digits: 4)
    case 0x0D:
      _ = take("\n")
      return ""
    case 0x0A: return ""
    case UInt8(ascii: "1")...UInt8(ascii: "9"): throw error("there is no escape \"\\\(literal)\"")
    default: return literal == "\u{2028}" || literal == "\u{2029}" ? "" : literal
    }
  }

  private mutating func scalar(digits: Int) throws(JSON5Error) -> String {
    let high = try hexadecimal(digits: digits)
    guard high & 0xFC00 == 0xD800, starts(with: "\\u") else { return text(of: high) }
    let before = offset
    offset += 2
    let low = try hexadecimal(digits: 4)
    guard low & 0xFC00 == 0xDC00 else {
      offset = before
      return "\u{FFFD}"
    }
    return text(of: 0x10000 + (high & 0x3FF) << 10 + low & 0x3FF)
  }

  private func text(of code: UInt32) -> String {
    String(Character(Unicode.Scalar(code) ?? "\u{FFFD}"))
  }

  private mutating func hexadecimal(digits: Int) throws(JSON5Error) -> UInt32 {
    let end = offset + digits
    guard end <= bytes.count,
      bytes[offset..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let code = UInt32(String(decoding: bytes[offset..<end], as: UTF8.self), radix: 16)
    else { throw error("expected \(digits) hexadecimal digits") }
    offset = end
    return code
  }
}
