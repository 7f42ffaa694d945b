import EarshotSimulator

/// A text with variables in it: `$n` alone, or `${n}`, `${start + 2 * step}` anywhere in it; `$$` is one `$`.
///
/// Sums and products of whole numbers and durations can be written, and nothing else.
struct Template {
  /// Why a text makes no sense.
  struct Problem: Error {
    let reason: String
  }
  private enum Number {
    case count(Int64)
    case duration(Int64)
  }
  private let text: String

  init(_ text: String) { self.text = text }

  /// Whether a variable may have a name.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, !UInt8.digits.contains(first) else { return false }
    return text.utf8.count <= 48 && text.utf8.allSatisfy { $0.isOfName }
  }

  /// The text with its variables in place; the value of a variable that is all of the text.
  func value(_ variables: Expansion.Variables, at offset: Int) throws(Problem) -> JSON5Node {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return JSON5Node(.string(text), at: offset) }
    if text.hasPrefix("$"), Self.isName(text.dropFirst()) {
      return JSON5Node(try variable(text.dropFirst(), variables).value, at: offset)
    }
    var (rest, parts): (Substring, [JSON5Node]) = (text[...], [])
    while let dollar = rest.firstIndex(of: "$") {
      parts.append(.text(String(rest[..<dollar])))
      rest = rest[rest.index(after: dollar)...]
      if rest.hasPrefix("$") {
        parts.append(.text("$"))
        rest = rest.dropFirst()
      } else if rest.hasPrefix("{") {
        guard let end = rest.firstIndex(of: "}") else {
          throw Problem(reason: "\"${\" without \"}\"")
        }
        parts.append(try sum(rest[..<end].dropFirst(), variables))
        rest = rest[rest.index(after: end)...]
      } else {
        parts.append(.text("$"))
      }
    }
    parts.append(.text(String(rest)))
    return JSON5Node(try joined(parts), at: offset)
  }

  private func joined(_ parts: [JSON5Node]) throws(Problem) -> JSON5Node.Value {
    let filled = parts.filter { $0.string != "" }
    if filled.count == 1 { return filled[0].value }
    var text = ""
    for part in filled {
      guard let piece = part.plainText else {
        throw Problem(reason: "\(part.summary) cannot stand within a text")
      }
      text += piece
      guard text.utf8.count <= Scenario.textBytesMax else { throw Problem(reason: "too long") }
    }
    return .string(text)
  }

  private func variable(
    _ name: Substring, _ variables: Expansion.Variables
  ) throws(Problem) -> JSON5Node {
    if let value = variables[String(name)] { return value }
    let nearest = Spelling.nearest(to: String(name), among: variables.keys.sorted())
    throw Problem(
      reason: "there is no variable \"\(name.prefix(48))\" here"
        + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
  }

  // MARK: Sums

  /// The value of a sum of products; that of a single variable whatever it is.
  private func sum(
    _ text: Substring, _ variables: Expansion.Variables
  ) throws(Problem) -> JSON5Node {
    let words = Self.words(text)
    if words.count == 1, Self.isName(words[0]) { return try variable(words[0], variables) }
    var (total, product): (Number?, Number?) = (nil, nil)
    var (sign, isOperand): (Int64, Bool) = (1, true)
    for word in words {
      guard isOperand else {
        guard ["+", "-", "*"].contains(word), let done = product else { throw malformed(text) }
        if word != "*" {
          total = try add(total, done, sign, text)
          (product, sign) = (nil, word == "-" ? -1 : 1)
        }
        isOperand = true
        continue
      }
      let factor = try number(word, variables, text)
      if let left = product { product = try multiply(left, factor, text) } else { product = factor }
      isOperand = false
    }
    guard !isOperand, let last = product else { throw malformed(text) }
    switch try add(total, last, sign, text) {
    case .count(let count): return JSON5Node(.number("\(count)"))
    case .duration(let nanoseconds): return .text(Quantity.time(.nanoseconds(nanoseconds)))
    }
  }

  private func malformed(_ text: Substring) -> Problem {
    Problem(
      reason:
        "\"${\(text.prefix(60))}\" is no sum of products of whole numbers, durations and variables"
    )
  }

  /// Operators by themselves, and what stands between them.
  private static func words(_ text: Substring) -> [Substring] {
    var words: [Substring] = []
    var start = text.startIndex
    for index in text.indices where "+-*".contains(text[index]) {
      words += [text[start..<index], text[index...index]]
      start = text.index(after: index)
    }
    return (words + [text[start...]]).map { word in
      let rest = word.drop { $0 == " " }
      return rest.dropLast(rest.reversed().prefix { $0 == " " }.count)
    }
  }

  private func number(
    _ word: Substring, _ variables: Expansion.Variables, _ text: Substring
  ) throws(Problem) -> Number {
    let value = Self.isName(word) ? try variable(word, variables).plainText : String(word)
    if let count = value.flatMap({ Int64($0) }) { return .count(count) }
    if let duration = value.flatMap({ Quantity.duration(of: $0) }) {
      return .duration(duration.nanoseconds)
    }
    if Self.isName(word) {
      throw Problem(
        reason: "\"\(word)\" is no whole number and no duration, and cannot be counted with")
    }
    throw malformed(text)
  }

  private func multiply(_ left: Number, _ right: Number, _ text: Substring) throws(Problem)
    -> Number
  {
    switch (left, right) {
    case (.count(let left), .count(let right)):
      .count(try exact(left.multipliedReportingOverflow(by: right)))
    case (.count(let left), .duration(let right)), (.duration(let left), .count(let right)):
      .duration(try exact(left.multipliedReportingOverflow(by: right)))
    case (.duration, .duration): throw malformed(text)
    }
  }

  private func add(
    _ left: Number?, _ right: Number, _ sign: Int64, _ text: Substring
  ) throws(Problem) -> Number {
    switch (left, try multiply(right, .count(sign), text)) {
    case (nil, let right): right
    case (.count(let left), .count(let right)):
      .count(try exact(left.addingReportingOverflow(right)))
    case (.duration(let left), .duration(let right)):
      .duration(try exact(left.addingReportingOverflow(right)))
    case (.count, .duration), (.duration, .count):
      throw Problem(
        reason: "a whole number and a duration cannot be added: \"${\(text.prefix(60))}\"")
    }
  }

  private func exact(_ result: (Int64, Bool)) throws(Problem) -> Int64 {
    guard !result.1 else { throw Problem(reason: "the numbers are too large") }
    return result.0
  }
}

extension UInt8 {
  fileprivate static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  /// Whether a name may have it.
  fileprivate var isOfName: Bool {
    Self.digits.contains(self) || self == UInt8(ascii: "_")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
