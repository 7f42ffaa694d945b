import EarshotSimulator

/// Puts the values of variables in their place, and writes out what is to be repeated.
///
/// The work is bounded, whatever is in the document: by values and bytes that come out, and by how deep they are nested.
final class Expansion {
  typealias Variables = [String: JSON5Node]
  private struct Exhausted: Error {}

  let mistakes: Mistakes
  private var nodes = 0
  private var bytes = 0

  private static let nodesMax = 500_000
  private static let depthMax = 64
  private static let stepsMax = 100_000
  private static let numberMax = 1_000_000_000_000

  static var tooLarge: String {
    "with its variables and repetitions larger than \(Quantity.size(Scenario.textBytesMax)) or "
      + "\(nodesMax) values, or nested more than \(depthMax) levels deep"
  }

  init(_ mistakes: Mistakes) { self.mistakes = mistakes }

  /// A document without variables and repetitions.
  func document(_ root: JSON5Node, _ settings: [(name: String, value: String)]) -> JSON5Node {
    do throws(Exhausted) {
      let variables = try root["variables"].map { node throws(Exhausted) in
        try self.variables(node, settings)
      }
      let rest = root.setting("variables", nil)
      let whole = JSON5Node(rest.value, at: root.offset)
      return try value(whole, variables, "", depth: 0)
    } catch {
      mistakes.add(Self.tooLarge, at: root.offset, path: "")
      return root
    }
  }

  /// The variables, each of which may have those before it in its value.
  private func variables(
    _ node: JSON5Node, _ settings: [(name: String, value: String)]
  ) throws(Exhausted) -> Variables {
    guard let members = node.members else {
      mistakes.add(
        "expected an object { … }, found \(node.summary)", at: node.offset, path: "variables")
      return [:]
    }
    var variables: Variables = [:]
    for member in members {
      check(member.key, at: member.offset, "variables.\(member.key)")
      if let text = settings.last(where: { $0.name == member.key })?.value {
        let value = (try? JSON5Parser.parse(text))?.value ?? .string(text)
        variables[member.key] = JSON5Node(value, at: member.value.offset)
      } else {
        variables[member.key] = try value(
          member.value, variables, "variables.\(member.key)", depth: 0)
      }
    }
    return variables
  }

  private func check(_ name: String, at offset: Int, _ path: String) {
    guard !Template.isName(name) else { return }
    mistakes.add(
      "expected a name of letters, digits and underscores that begins with no digit",
      at: offset, path: path)
  }

  // MARK: Values

  private func spend(_ bytes: Int = 0, depth: Int) throws(Exhausted) {
    (nodes, self.bytes) = (nodes + 1, self.bytes + bytes)
    guard nodes <= Self.nodesMax, self.bytes <= Scenario.textBytesMax, depth <= Self.depthMax
    else { throw Exhausted() }
  }

  /// A value with all in its place; without variables a `$` means nothing.
  private func value(
    _ node: JSON5Node, _ variables: Variables?, _ path: String, depth: Int
  ) throws(Exhausted) -> JSON5Node {
    switch node.value {
    case .string(let text):
      try spend(text.utf8.count, depth: depth)
      guard let variables else { return node }
      return try copy(substituted(text, node.offset, path, variables), depth: depth)
    case .array(let elements):
      try spend(depth: depth)
      var all: [JSON5Node] = []
      for (index, element) in elements.enumerated() {
        all += try self.elements(element, variables, "\(path)[\(index)]", depth: depth + 1)
      }
      return JSON5Node(.array(all), at: node.offset)
    case .object(let members):
      try spend(depth: depth)
      if node.repetition != nil {
        return JSON5Node(
          .array(try elements(node, variables, path, depth: depth + 1)), at: node.offset)
      }
      return try object(members, node.offset, variables, path, depth: depth)
    case .null, .bool, .number:
      try spend(8, depth: depth)
      return node
    }
  }

  private func object(
    _ members: [JSON5Member], _ offset: Int, _ variables: Variables?, _ path: String, depth: Int
  ) throws(Exhausted) -> JSON5Node {
    var (all, keys): ([JSON5Member], Set<String>) = ([], [])
    for member in members {
      var key = member.key
      let inner = path.isEmpty ? key : "\(path).\(key)"
      if let variables {
        key = substituted(key, member.offset, inner, variables).plainText ?? key
      }
      if !keys.insert(key).inserted {
        mistakes.add("the key \"\(key)\" stands here twice", at: member.offset, path: inner)
      }
      try spend(key.utf8.count, depth: depth)
      let value = try value(member.value, variables, inner, depth: depth + 1)
      all.append(JSON5Member(key: key, offset: member.offset, value: value))
    }
    return JSON5Node(.object(all), at: offset)
  }

  /// Counts what a variable brings, at the depth at which it is put.
  private func copy(_ node: JSON5Node, depth: Int) throws(Exhausted) -> JSON5Node {
    switch node.value {
    case .array(let elements):
      for element in elements { try spendAll(of: element, depth: depth + 1) }
    case .object(let members):
      for member in members { try spendAll(of: member.value, depth: depth + 1) }
    case .null, .bool, .number: break
    case .string(let text): try spend(text.utf8.count, depth: depth)
    }
    return node
  }

  private func spendAll(of node: JSON5Node, depth: Int) throws(Exhausted) {
    try spend(8, depth: depth)
    _ = try copy(node, depth: depth)
  }

  private func substituted(
    _ text: String, _ offset: Int, _ path: String, _ variables: Variables
  ) -> JSON5Node {
    do throws(Template.Problem) {
      return try Template(text).value(variables, at: offset)
    } catch {
      mistakes.add(error.reason, at: offset, path: path)
      return JSON5Node(.string(text), at: offset)
    }
  }

  // MARK: Repetitions

  /// What an element of a list becomes: one value, or as many as it is repeated.
  private func elements(
    _ node: JSON5Node, _ variables: Variables?, _ path: String, depth: Int
  ) throws(Exhausted) -> [JSON5Node] {
    guard let repetition = node.repetition else {
      return [try value(node, variables, path, depth: depth)]
    }
    let rest = node.members?.filter { $0.key != "repeat" } ?? []
    let whole = rest.count == 1 && rest[0].key == "value" ? rest[0].value : nil
    let template = whole ?? JSON5Node(.object(rest), at: node.offset)
    return try repeated(template, repetition[...], variables ?? [:], path, depth: depth)
  }

  /// A template once for each value of the first variable, and within that for each of the next.
  private func repeated(
    _ template: JSON5Node, _ repetition: ArraySlice<JSON5Member>, _ variables: Variables,
    _ path: String, depth: Int
  ) throws(Exhausted) -> [JSON5Node] {
    // Nesting takes the stack of this process.
    try spend(depth: depth)
    guard let first = repetition.first else {
      return try elements(template, variables, path, depth: depth)
    }
    let place = "\(path).repeat.\(first.key)"
    check(first.key, at: first.offset, place)
    var all: [JSON5Node] = []
    for value in try steps(first.value, variables, place, depth: depth) {
      var variables = variables
      variables[first.key] = value
      all += try repeated(
        template, repetition.dropFirst(), variables, path, depth: depth + 1)
      // The first mistake is that of all others.
      if !mistakes.isEmpty { break }
    }
    return all
  }

  /// The values of a variable: those of a list, or whole numbers from one to another.
  private func steps(
    _ node: JSON5Node, _ variables: Variables, _ path: String, depth: Int
  ) throws(Exhausted) -> [JSON5Node] {
    let node = try value(node, variables, path, depth: depth + 1)
    if case .array(let elements) = node.value { return elements }
    let ends = node.string?.replacing("...", with: "…").split(separator: "…") ?? []
    let numbers = ends.compactMap { Int(String($0.filter { $0 != " " })) }
    guard ends.count == 2, numbers.count == 2, numbers[0] <= numbers[1],
      numbers.allSatisfy({ $0.magnitude <= UInt(Self.numberMax) }),
      numbers[1] - numbers[0] < Self.stepsMax
    else {
      mistakes.add(
        "expected a list, or a range of at most \(Self.stepsMax) whole numbers, such as \"1...4\", "
          + "found \(node.summary)", at: node.offset, path: path)
      return []
    }
    return (numbers[0]...numbers[1]).map { JSON5Node(.number("\($0)"), at: node.offset) }
  }
}

extension JSON5Node {
  /// What this object is repeated with; `nil` when it is none, or is not repeated.
  var repetition: [JSON5Member]? { self["repeat"]?.members }

  /// Whether anything in it is repeated.
  var hasRepetition: Bool {
    switch value {
    case .array(let elements): elements.contains { $0.hasRepetition }
    case .object(let members): repetition != nil || members.contains { $0.value.hasRepetition }
    case .null, .bool, .number, .string: false
    }
  }

  /// The value within a text; `nil` when it has no such form.
  var plainText: String? {
    switch value {
    case .string(let text), .number(let text): text
    case .bool(let flag): String(flag)
    case .null, .array, .object: nil
    }
  }
}
