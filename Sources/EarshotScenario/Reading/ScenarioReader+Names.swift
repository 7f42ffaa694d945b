import EarshotSimulator

extension ValueRule where Value == String {
  /// The name of a new peer.
  static var peerName: ValueRule {
    ValueRule(
      "a name of 1 to \(ScenarioReader.nameBytesMax) bytes: letters, digits, hyphens and underscores, "
        + "and not one of \(Self.reserved.joined(separator: ", "))"
    ) { node in
      guard case .string(let text) = node.value, isName(text) else { return nil }
      return text
    }
  }

  /// The name of a session: any that a peer could have, and `main`.
  static var sessionName: ValueRule {
    ValueRule(
      "a name of 1 to \(ScenarioReader.nameBytesMax) bytes: letters, digits, hyphens and underscores"
    ) { node in
      guard case .string(let text) = node.value, isName(text) else { return nil }
      return text
    }
  }

  private static func isName(_ text: String) -> Bool {
    (1...ScenarioReader.nameBytesMax).contains(text.utf8.count) && !reserved.contains(text)
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
      && text.first != "-"
  }

  private static var reserved: [String] {
    ["all", "anyone", "each", "found", "foundSmaller", "everyone", "sees"]
  }
}

extension ScenarioReader {
  /// One peer of the scenario.
  var peer: ValueRule<String> {
    let known = scenario.peers.map(\.name)
    var rule = ValueRule<String>("the name of a peer") { node in
      guard case .string(let text) = node.value, known.contains(text) else { return nil }
      return text
    }
    (rule.words, rule.namesPeers) = (known, true)
    return rule
  }

  /// A peer, a crowd, a list of them, or all.
  var peers: ValueRule<[String]> {
    let reader = self
    var rule = ValueRule<[String]>("\"all\", the name of a peer or a crowd, or a list of names") {
      node in
      switch node.value {
      case .string("all"): reader.scenario.peers.map(\.name)
      case .string(let text): reader.names(of: text)
      case .array(let elements) where !elements.isEmpty: reader.names(in: elements)
      case .null, .bool, .number, .object, .array: nil
      }
    }
    (rule.words, rule.namesPeers) = (allNames + ["all"], true)
    return rule
  }

  private func names(in elements: [JSON5Node]) -> [String]? {
    var found: [String] = []
    for element in elements {
      guard case .string(let text) = element.value, let names = names(of: text) else { return nil }
      found += names.filter { !found.contains($0) }
    }
    return found
  }

  /// `from` and `to`, or `between` with two sides.
  func linkEnds(_ object: ObjectReader) -> LinkEnds? {
    if object.has("between") {
      if object.has("from") || object.has("to") {
        object.note("either \"between\", or \"from\" and \"to\", not both", at: "between")
      }
      return object.value("between", sides).map {
        LinkEnds(sources: $0.0, destinations: $0.1, isMutual: true)
      }
    }
    let (sources, destinations) = (object.required("from", peers), object.required("to", peers))
    guard let sources, let destinations else { return nil }
    return LinkEnds(sources: sources, destinations: destinations, isMutual: false)
  }

  private var sides: ValueRule<([String], [String])> {
    let side = peers
    var rule = ValueRule<([String], [String])>("a list of two: [\"ann\", \"bob\"]") { node in
      guard case .array(let elements) = node.value, elements.count == 2,
        let first = side.silent(elements[0]), let second = side.silent(elements[1])
      else { return nil }
      return (first, second)
    }
    (rule.words, rule.namesPeers) = (side.words, true)
    return rule
  }
}

extension ValueRule {
  /// The value, without a mistake when there is none.
  func silent(_ node: JSON5Node) -> Value? { read(node, path: "", mistakes: Mistakes(in: "")) }
}
