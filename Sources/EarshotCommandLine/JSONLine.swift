/// A JSON object on one line, its keys in the order in which they are given.
struct JSONLine {
  private var members: [String] = []

  /// An object without keys.
  init() {}

  /// The object, without a line break.
  var text: String { "{\(members.joined(separator: ","))}" }

  mutating func set(_ key: String, _ value: String) { add(key, Self.quote(value)) }
  mutating func set(_ key: String, _ value: Bool) { add(key, String(value)) }
  mutating func set(_ key: String, _ value: Int) { add(key, String(value)) }
  mutating func set(_ key: String, _ value: UInt64) { add(key, String(value)) }
  mutating func set(_ key: String, _ values: [String]) { add(key, values.map(Self.quote)) }
  mutating func set(_ key: String, _ values: [UInt64]) { add(key, values.map { String($0) }) }

  private mutating func add(_ key: String, _ values: [String]) {
    add(key, "[\(values.joined(separator: ","))]")
  }

  private mutating func add(_ key: String, _ json: String) {
    members.append("\(Self.quote(key)):\(json)")
  }

  /// A text in quotes; what could steer a terminal is escaped too.
  private static func quote(_ text: String) -> String {
    "\"\(text.unicodeScalars.map(escaped).joined())\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    guard String(scalar).printable != String(scalar) else { return String(scalar) }
    return String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
