/// A value of a JSON5 document, and where it stands in the text.
package struct JSON5Node: Hashable, Sendable {
  /// What a document is made of.
  package enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number as it was written, so that no digit of a seed is lost.
    case number(String)
    case string(String)
    case array([JSON5Node])
    case object([JSON5Member])
  }

  /// The value.
  package let value: Value
  /// Where it begins, in bytes from the start of the text.
  package let offset: Int

  /// A value at a place.
  package init(_ value: Value, at offset: Int) { (self.value, self.offset) = (value, offset) }

  /// The value in a few words, for messages about it.
  package var summary: String {
    switch value {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .number(let text): text
    case .string(let text): "\"\(text.prefix(40))\(text.count > 40 ? "…" : "")\""
    case .array(let elements): elements.isEmpty ? "an empty list" : "a list"
    case .object: "an object"
    }
  }
}

/// A key of an object and its value; keys keep the order of the text.
package struct JSON5Member: Hashable, Sendable {
  /// The key, without quotes.
  package let key: String
  /// Where the key begins, in bytes from the start of the text.
  package let offset: Int
  /// What it stands for.
  package let value: JSON5Node
}

/// Why a text is not JSON5, and where.
package struct JSON5Error: Error, Hashable, Sendable {
  /// Where it went wrong, in bytes from the start of the text.
  package let offset: Int
  /// One sentence without its full stop.
  package let reason: String
}
