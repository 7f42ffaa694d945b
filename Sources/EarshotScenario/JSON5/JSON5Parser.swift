/// Reads JSON5 (the notation of ECMAScript 5.1: comments, bare keys, trailing commas).
///
/// Written here because the toolchain's reader keeps neither places nor repeated keys, so that a
/// mistake could not be named by its line, and the second of two equal keys would vanish in silence.
/// Nesting is bounded, and every key of an object must be new.
///
/// - SeeAlso: spec.json5.org.
package struct JSON5Parser {
  private var scanner: JSON5Scanner
  private var depth = 0

  private static let depthMax = 64

  /// The one value of a text.
  ///
  /// - Parameter text: At most a few megabytes.
  /// - Returns: The root of the tree.
  /// - Throws: The first place where the text is not JSON5.
  package static func parse(_ text: String) throws(JSON5Error) -> JSON5Node {
    var parser = JSON5Parser(scanner: JSON5Scanner(text))
    try parser.scanner.skipBlank()
    let root = try parser.value()
    try parser.scanner.skipBlank()
    guard parser.scanner.isAtEnd else {
      throw parser.scanner.error("expected the end of the file, found \(parser.scanner.found)")
    }
    return root
  }

  private mutating func value() throws(JSON5Error) -> JSON5Node {
    let start = scanner.offset
    switch scanner.peek {
    case UInt8(ascii: "{"):
      return JSON5Node(.object(try nested { p throws(JSON5Error) in try p.members() }), at: start)
    case UInt8(ascii: "["):
      return JSON5Node(.array(try nested { p throws(JSON5Error) in try p.elements() }), at: start)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return JSON5Node(.string(try scanner.quoted()), at: start)
    case let byte? where "0123456789+-.".utf8.contains(byte):
      return JSON5Node(.number(try scanner.number()), at: start)
    default: return try word(at: start)
    }
  }

  private mutating func word(at start: Int) throws(JSON5Error) -> JSON5Node {
    let problem = scanner.error("expected a value, found \(scanner.found)")
    guard let word = scanner.identifier() else { throw problem }
    switch word {
    case "true": return JSON5Node(.bool(true), at: start)
    case "false": return JSON5Node(.bool(false), at: start)
    case "null": return JSON5Node(.null, at: start)
    case "Infinity", "NaN": return JSON5Node(.number(word), at: start)
    default:
      throw JSON5Error(offset: start, reason: "texts are written in quotes: \"\(word.prefix(40))\"")
    }
  }

  private mutating func nested<Part>(
    _ read: (inout JSON5Parser) throws(JSON5Error) -> Part
  ) throws(JSON5Error) -> Part {
    guard depth < Self.depthMax else {
      throw scanner.error("nested more than \(Self.depthMax) levels deep")
    }
    depth += 1
    defer { depth -= 1 }
    scanner.advance()
    try scanner.skipBlank()
    return try read(&self)
  }

  private mutating func elements() throws(JSON5Error) -> [JSON5Node] {
    var elements: [JSON5Node] = []
    while !scanner.take("]") {
      elements.append(try value())
      try separator(before: "]")
    }
    return elements
  }

  private mutating func members() throws(JSON5Error) -> [JSON5Member] {
    var members: [JSON5Member] = []
    var keys: Set<String> = []
    while !scanner.take("}") {
      let member = try self.member()
      guard keys.insert(member.key).inserted else {
        throw JSON5Error(
          offset: member.offset, reason: "the key \"\(member.key)\" stands here twice")
      }
      members.append(member)
      try separator(before: "}")
    }
    return members
  }

  private mutating func member() throws(JSON5Error) -> JSON5Member {
    let start = scanner.offset
    let key = try self.key()
    try scanner.skipBlank()
    guard scanner.take(":") else {
      throw scanner.error("expected \":\" behind the key \"\(key)\", found \(scanner.found)")
    }
    try scanner.skipBlank()
    return JSON5Member(key: key, offset: start, value: try value())
  }

  private mutating func key() throws(JSON5Error) -> String {
    if scanner.peek == UInt8(ascii: "\"") || scanner.peek == UInt8(ascii: "'") {
      return try scanner.quoted()
    }
    let problem = scanner.error("expected a key, found \(scanner.found)")
    guard let key = scanner.identifier() else { throw problem }
    return key
  }

  private mutating func separator(before closing: Character) throws(JSON5Error) {
    try scanner.skipBlank()
    if scanner.take(",") {
      try scanner.skipBlank()
    } else if !scanner.isNext(closing) {
      throw scanner.error("expected \",\" or \"\(closing)\", found \(scanner.found)")
    }
  }
}
