import EarshotCore

extension ScenarioReader {
  /// What a peer advertises, and what it browses for.
  func discovery(_ object: ObjectReader, browsesByDefault: Bool) -> DiscoveryPlan {
    var plan = DiscoveryPlan()
    let info = object.object("info").map { self.info($0) }
    plan.advertised = [ServicePlan(info: info)]
    plan.browsed = browsesByDefault ? [nil] : []
    if let flag = flag(object, "advertise") {
      if !flag { plan.advertised = [] }
    } else if object.has("advertise") {
      plan.advertised = object.list("advertise") { service($0, $1, info) }
      checkTypes(plan.advertised.map(\.type), object, "advertise")
    }
    if let flag = flag(object, "browse") {
      plan.browsed = flag ? [nil] : []
    } else if object.has("browse") {
      plan.browsed = object.list("browse") { type($0, $1) }
      checkTypes(plan.browsed, object, "browse")
    }
    return plan
  }

  private func flag(_ object: ObjectReader, _ key: String) -> Bool? {
    if case .bool(let flag)? = object.node(key)?.value { flag } else { nil }
  }

  /// A service type by itself, or with what the peer tells there.
  private func service(
    _ node: JSON5Node, _ path: String, _ info: [String: String]?
  ) -> ServicePlan? {
    guard case .object = node.value else {
      return type(node, path).map { ServicePlan(type: $0, info: info) }
    }
    let object = ObjectReader(node, path: path, mistakes: mistakes)
    defer { object.finish() }
    guard let name = object.required("service", .serviceType) else { return nil }
    let own = object.object("info").map { self.info($0) }
    return ServicePlan(type: short(name), info: own ?? info)
  }

  /// The type of a service; `nil` within for that of the scenario.
  private func type(_ node: JSON5Node, _ path: String) -> String?? {
    let rule = ValueRule<String>.serviceType
    return rule.orFlag.read(node, path: path, mistakes: mistakes).map { short($0) }
  }

  private func short(_ type: String) -> String? { type == scenario.service ? nil : type }

  private func checkTypes(_ types: [String?], _ object: ObjectReader, _ key: String) {
    if Set(types).count < types.count { object.note("a service stands here twice", at: key) }
  }

  func info(_ object: ObjectReader) -> [String: String] {
    guard case .object(let members) = object.wholeNode.value else { return [:] }
    var info: [String: String] = [:]
    for member in members { info[member.key] = object.value(member.key, .text(bytes: 0...200)) }
    return info
  }

  /// What a peer tells from a time on.
  func update(_ node: JSON5Node, _ path: String, of plan: PeerPlan) -> Step? {
    let object = ObjectReader(node, path: path, mistakes: mistakes)
    defer { object.finish() }
    let at = object.required("at", Self.time)
    let info = object.object("info").map { self.info($0) }
    let words = plan.discovery.advertised.map { $0.type ?? scenario.service }
    let word = object.value("service", .word(words, named: "a service that it advertises"))
    if words.isEmpty { object.note("it does not advertise") }
    let type = word.map { short($0) } ?? plan.discovery.advertised.first?.type
    return at.map { Step(at: $0, kind: .update(info, service: type)) }
  }

  /// What a peer calls itself from a time on.
  func rename(_ node: JSON5Node, _ path: String) -> Step? {
    let object = ObjectReader(node, path: path, mistakes: mistakes)
    defer { object.finish() }
    let at = object.required("at", Self.time)
    let name = object.required("to", .displayName)
    guard let at, let name else { return nil }
    return Step(at: at, kind: .rename(name))
  }
}

extension ValueRule where Value == String {
  /// How a peer may call itself.
  fileprivate static var displayName: ValueRule {
    ValueRule("1 to 63 bytes of text without control characters") { node in
      guard case .string(let text) = node.value else { return nil }
      return (try? DisplayName(text))?.text
    }
  }

  /// The same, in words that allow for true and false.
  fileprivate var orFlag: ValueRule {
    ValueRule("true, false or \(allowed)") { silent($0) }
  }
}
