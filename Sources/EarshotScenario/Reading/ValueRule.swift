import EarshotCore
import EarshotSimulator

/// What a value may be, in words and in code.
struct ValueRule<Value> {
  /// What is allowed, as it follows "expected".
  let allowed: String
  private let convert: (JSON5Node) -> Value?

  init(_ allowed: String, _ convert: @escaping (JSON5Node) -> Value?) {
    (self.allowed, self.convert) = (allowed, convert)
  }

  /// The value, or `nil` and a mistake.
  func read(_ node: JSON5Node, path: String, mistakes: Mistakes) -> Value? {
    if let value = convert(node) { return value }
    let advice = suggestion(for: node).map { "; did you mean \"\($0)\"?" } ?? ""
    mistakes.add(
      "expected \(allowed), found \(node.summary)\(advice)", at: node.offset, path: path,
      unless: namesPeers && node.hasTexts ? .unreadName : nil)
    return nil
  }

  /// Words to suggest from when a text is none of them.
  var words: [String] = []
  /// Whether the value has names of peers in it.
  var namesPeers = false

  private func suggestion(for node: JSON5Node) -> String? {
    switch node.value {
    case .string(let text): return Spelling.nearest(to: text, among: words)
    case .array(let elements):
      let texts = elements.compactMap { $0.text }
      return texts.first { !words.contains($0) }.flatMap { Spelling.nearest(to: $0, among: words) }
    case .null, .bool, .number, .object: return nil
    }
  }
}

extension JSON5Node {
  /// The text that this is.
  fileprivate var text: String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// Whether this is a text, or a list with texts in it.
  fileprivate var hasTexts: Bool {
    switch value {
    case .string: true
    case .array(let elements): elements.contains { $0.hasTexts }
    case .null, .bool, .number, .object: false
    }
  }
}

extension ValueRule where Value == Bool {
  /// `true` or `false`.
  static var flag: ValueRule {
    ValueRule("true or false") { node in
      guard case .bool(let flag) = node.value else { return nil }
      return flag
    }
  }
}

extension ValueRule where Value == String {
  /// A text of so many bytes in UTF-8.
  static func text(bytes range: ClosedRange<Int>) -> ValueRule {
    ValueRule("a text of \(range.lowerBound) to \(range.upperBound) bytes") { node in
      guard case .string(let text) = node.value, range.contains(text.utf8.count) else { return nil }
      return text
    }
  }

  /// One of a few words.
  static func word(_ words: [String], named noun: String) -> ValueRule {
    var rule = ValueRule("\(noun) (\(words.map { "\"\($0)\"" }.joined(separator: ", ")))") { node in
      guard case .string(let text) = node.value, words.contains(text) else { return nil }
      return text
    }
    rule.words = words
    return rule
  }

  /// The type of a service, by the rules of DNS-SD (RFC 6335 §5.1).
  static var serviceType: ValueRule {
    ValueRule(
      "a service type: 1 to 15 of a–z, 0–9 and hyphens, with a letter, no hyphen at an end or doubled"
    ) { node in
      guard case .string(let text) = node.value else { return nil }
      return try? ServiceType(text).text
    }
  }
}

extension ValueRule where Value == Int {
  /// A whole number of a range.
  static func integer(_ range: ClosedRange<Int>) -> ValueRule {
    ValueRule("a whole number from \(range.lowerBound) to \(range.upperBound)") { node in
      guard case .number(let text) = node.value, let value = Int(text), range.contains(value) else {
        return nil
      }
      return value
    }
  }

  /// A size in bytes: a whole number, or a text with a unit.
  static func size(_ range: ClosedRange<Int>) -> ValueRule {
    let bounds = "\(Quantity.size(range.lowerBound)) to \(Quantity.size(range.upperBound))"
    return ValueRule("a size of \(bounds), such as 512 (bytes) or \"64KiB\"") { node in
      let bytes: Int? =
        switch node.value {
        case .number(let text): Int(text)
        case .string(let text): Quantity.bytes(of: text)
        case .null, .bool, .array, .object: nil
        }
      return bytes.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A rate in bits a second, with its unit.
  static func rate(_ range: ClosedRange<Int>) -> ValueRule {
    let bounds = "\(Quantity.rate(range.lowerBound)) to \(Quantity.rate(range.upperBound))"
    return ValueRule("a rate of \(bounds), such as \"10Mbit/s\"") { node in
      guard case .string(let text) = node.value, let bits = Quantity.bitsPerSecond(of: text),
        range.contains(bits)
      else { return nil }
      return bits
    }
  }
}

extension ValueRule where Value == UInt64 {
  /// A seed: any number of 64 bits.
  static var seed: ValueRule {
    ValueRule("a whole number from 0 to \(UInt64.max)") { node in
      guard case .number(let text) = node.value else { return nil }
      return UInt64(text)
    }
  }
}

extension ValueRule where Value == Duration {
  /// A duration of a range, with its unit.
  static func duration(_ range: ClosedRange<Duration>) -> ValueRule {
    let bounds = "\(Quantity.time(range.lowerBound)) to \(Quantity.time(range.upperBound))"
    return ValueRule("a duration of \(bounds), such as \"250ms\", \"5s\" or \"1m\"") { node in
      guard case .string(let text) = node.value, let duration = Quantity.duration(of: text),
        range.contains(duration)
      else { return nil }
      return duration
    }
  }
}

extension ValueRule where Value == Ratio {
  /// A chance or a share.
  static var ratio: ValueRule {
    ValueRule("a ratio: 0 to 1, or \"0%\" to \"100%\"") { node in
      switch node.value {
      case .number(let text): Double(text).flatMap { Ratio($0) }
      case .string(let text): Quantity.ratio(of: text)
      case .null, .bool, .array, .object: nil
      }
    }
  }
}
