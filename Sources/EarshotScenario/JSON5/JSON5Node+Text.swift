extension JSON5Node {
  /// The value as JSON, over several lines where it is long.
  package var json: String { text(indent: "") + "\n" }

  /// What stands in a line before it is broken.
  private static let lineMax = 100

  private func text(indent: String) -> String {
    let flat = flatText
    if indent.count + flat.count <= Self.lineMax { return flat }
    let inner = indent + "  "
    switch value {
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { inner + $0.text(indent: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { "\(inner)\($0.key.quotedForJSON): \($0.value.text(indent: inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    case .null, .bool, .number, .string, .array, .object: return flat
    }
  }

  private var flatText: String {
    switch value {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .number(let text): Self.number(text)
    case .string(let text): text.quotedForJSON
    case .array(let elements): "[\(elements.map(\.flatText).joined(separator: ", "))]"
    case .object(let members):
      members.isEmpty
        ? "{}"
        : "{ \(members.map { "\($0.key.quotedForJSON): \($0.value.flatText)" }.joined(separator: ", ")) }"
    }
  }

  /// A number of JSON5 as JSON has it: the forms that JSON lacks become decimal ones.
  private static func number(_ text: String) -> String {
    if let whole = Int(text) { return "\(whole)" }
    if let whole = UInt64(text) { return "\(whole)" }
    guard let number = Double(text) else { return text }
    return Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}

// MARK: Building

extension JSON5Node {
  /// A value that stands in no text.
  package init(_ value: Value) { self.init(value, at: 0) }

  /// A text.
  package static func text(_ text: String) -> JSON5Node { JSON5Node(.string(text)) }

  /// The members, when this is an object.
  package var members: [JSON5Member]? {
    if case .object(let members) = value { members } else { nil }
  }

  /// The elements of a list; a single value stands for a list of one.
  package var elements: [JSON5Node] {
    if case .array(let elements) = value { elements } else { [self] }
  }

  /// The text, when this is one.
  package var string: String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The value of a key, when this is an object that has it.
  package subscript(key: String) -> JSON5Node? {
    members?.first { $0.key == key }?.value
  }

  /// This object with another value for a key, behind its other keys if it is new; without it for `nil`.
  package func setting(_ key: String, _ node: JSON5Node?) -> JSON5Node {
    guard var members else { return self }
    let index = members.firstIndex { $0.key == key }
    switch (index, node) {
    case (let index?, let node?):
      members[index] = JSON5Member(key: key, offset: 0, value: node)
    case (let index?, nil): members.remove(at: index)
    case (nil, let node?): members.append(JSON5Member(key: key, offset: 0, value: node))
    case (nil, nil): break
    }
    return JSON5Node(.object(members))
  }
}
