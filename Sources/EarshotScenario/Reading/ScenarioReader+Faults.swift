import EarshotCore

extension ScenarioReader {
  mutating func readLinks(_ file: ObjectReader) {
    guard let object = file.object("links") else { return }
    var plan = LinkPlan(defaults: linkChange(object))
    plan.exceptions = object.list("exceptions") { node, path in
      let exception = ObjectReader(node, path: path, mistakes: mistakes)
      defer { exception.finish() }
      let (ends, change) = (linkEnds(exception), linkChange(exception))
      return ends.map { LinkException(ends: $0, change: change) }
    }
    object.finish()
    set(links: plan)
  }

  private func linkChange(_ object: ObjectReader) -> LinkChange {
    LinkChange(
      latency: object.value("latency", .duration(.zero ... .seconds(60))),
      jitter: object.value("jitter", .duration(.zero ... .seconds(60))),
      loss: object.value("loss", .ratio), duplication: object.value("duplication", .ratio),
      reordering: object.value("reordering", .ratio),
      bandwidth: object.value("bandwidth", .rate(1_000...1_000_000_000_000)),
      queue: object.value("queue", .size(1_500...1 << 30)),
      mtu: object.value("mtu", .size(576...65_535)))
  }

  mutating func readFaults(_ file: ObjectReader) {
    let faults = file.list("faults") { fault(ObjectReader($0, path: $1, mistakes: mistakes)) }
    let random = file.object("randomFaults").map { randomFaults($0) }
    set(faults: faults.sortedByTime(), random: random)
  }

  private func fault(_ object: ObjectReader) -> Fault? {
    defer { object.finish() }
    let at = object.required("at", Self.time) ?? .zero
    if at > scenario.duration { object.note("later than the scenario's end", at: "at") }
    guard let word = object.required("kind", Self.faultKind) else {
      object.forgive(["groups", "from", "to", "between", "peer", "identity", "grace", "for"])
      return nil
    }
    let kind = faultKind(word, object)
    let lasting = Self.endless.contains(word) ? nil : object.value("for", Self.span)
    return kind.map { Fault(at: at, $0, lasting: lasting) }
  }

  private static var endless: [String] { ["heal", "restart", "resume"] }

  private static var faultKind: ValueRule<String> {
    .word(
      ["partition", "cut", "heal", "crash", "restart", "suspend", "resume", "link"],
      named: "a kind of fault")
  }

  private func faultKind(_ word: String, _ object: ObjectReader) -> Fault.Kind? {
    switch word {
    case "partition": partition(object)
    case "cut": linkEnds(object).map { .cut($0) }
    case "crash": object.required("peer", peer).map { .crash($0) }
    case "restart": restart(object)
    case "suspend": suspension(object)
    case "resume": object.required("peer", peer).map { .resume($0) }
    case "link": linkFault(object)
    default: .heal
    }
  }

  private func partition(_ object: ObjectReader) -> Fault.Kind? {
    let groups = object.list("groups") { peers.read($0, path: $1, mistakes: mistakes) }
    guard groups.count >= 2 else {
      if case .array(let nodes)? = object.node("groups")?.value, nodes.count >= 2 { return nil }
      object.note(
        "a partition has at least two groups: [[\"ann\"], [\"bob\", \"cy\"]]", at: "groups")
      return nil
    }
    var seen: Set<String> = []
    for name in groups.joined() where !seen.insert(name).inserted {
      object.note("\"\(name)\" is in two groups", at: "groups")
    }
    return .partition(groups)
  }

  private func restart(_ object: ObjectReader) -> Fault.Kind? {
    let identity = object.value("identity", .word(["kept", "new"], named: "an identity"))
    return object.required("peer", peer).map { .restart($0, keepsIdentity: identity != "new") }
  }

  private func suspension(_ object: ObjectReader) -> Fault.Kind? {
    let grace = object.value("grace", .duration(.zero ... .seconds(600)), default: .seconds(5))
    return object.required("peer", peer).map { .suspend($0, grace: grace) }
  }

  private func linkFault(_ object: ObjectReader) -> Fault.Kind? {
    let (ends, change) = (linkEnds(object), linkChange(object))
    if change.isEmpty { object.note("says nothing about the link; name loss, latency, …") }
    return ends.map { .link($0, change) }
  }

  private func randomFaults(_ object: ObjectReader) -> RandomFaults {
    defer { object.finish() }
    let words = RandomFaults.Kind.allCases.map(\.rawValue)
    let rule = ValueRule<String>.word(words, named: "a kind of random fault")
    let kinds = object.list("kinds") { rule.read($0, path: $1, mistakes: mistakes) }
    return RandomFaults(
      count: object.required("count", .integer(0...1_000)) ?? 0,
      kinds: kinds.isEmpty ? RandomFaults.Kind.allCases : kinds.compactMap { .init(rawValue: $0) },
      between: object.value("between", Self.range, default: .zero...scenario.duration),
      lasting: object.value("lasting", Self.range, default: .milliseconds(100) ... .seconds(4)))
  }

  /// Two times, the earlier one first.
  static var range: ValueRule<ClosedRange<Duration>> {
    ValueRule("two durations, the smaller one first, such as [\"1s\", \"5s\"]") { node in
      guard case .array(let ends) = node.value, ends.count == 2,
        let first = time.silent(ends[0]), let last = time.silent(ends[1]), first <= last
      else { return nil }
      return first...last
    }
  }
}

extension [Fault] {
  /// In the order of time; faults of one time keep their order.
  func sortedByTime() -> [Fault] {
    enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}
