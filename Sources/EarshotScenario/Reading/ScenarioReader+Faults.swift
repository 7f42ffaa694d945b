import EarshotCore
import EarshotSimulator

extension ScenarioReader {
  mutating func readFaults(_ file: ObjectReader) {
    var seen: Set<Int> = []
    let faults = file.list("faults") { (node, path) -> [Fault]? in
      let object = ObjectReader(node, path: path, mistakes: mistakes)
      let read = self.faults(object)
      if let id = read?.first?.id, id > 0, !seen.insert(id).inserted {
        object.note("there is a fault with this id already", at: "id")
      }
      return read
    }
    let random = file.object("randomFaults").map { randomFaults($0) }
    set(faults: faults.flatMap { $0 }.sortedByTime(), random: random)
  }

  /// The fault that an object describes; a swizzle is several.
  private func faults(_ object: ObjectReader) -> [Fault]? {
    defer { object.finish() }
    let at = object.required("at", Self.time) ?? .zero
    if at > scenario.duration { object.note("later than the scenario's end", at: "at") }
    let id = object.value("id", .integer(1...1_000_000), default: 0)
    guard let word = object.required("kind", Self.faultKind) else {
      object.forgive(Self.faultKeys + Self.linkKeys)
      return nil
    }
    if word == "swizzle" {
      guard let hosts = object.required("peer", peers), let span = object.required("for", Self.span)
      else { return nil }
      return Fault.Kind.swizzle(hosts, at: at, lasting: span)
    }
    guard let kind = faultKind(word, object) else { return nil }
    let lasting = kind.isMomentary ? nil : object.value("for", Self.span)
    return [Fault(at: at, kind, lasting: lasting, id: id)]
  }

  private static var faultKeys: [String] {
    [
      "groups", "from", "to", "between", "peer", "identity", "grace", "for", "every", "down",
      "over", "within", "reach", "jump", "drift", "after", "overhead",
      "factor",
    ]
  }

  private static var hostKinds: [String] {
    [
      "crash", "restart", "suspend", "freeze", "resume", "slow", "leave", "hide", "isolate",
      "readdress", "unplug", "ports", "clock", "stale", "reflect", "fullDisk",
      "slowDisk", "failingDisk",
    ]
  }

  static var faultKinds: [String] {
    ["partition", "cut", "clog", "swizzle", "flap", "link", "medium", "reset", "heal"] + hostKinds
  }

  private static var faultKind: ValueRule<String> { .word(faultKinds, named: "a kind of fault") }

  private func faultKind(_ word: String, _ object: ObjectReader) -> Fault.Kind? {
    switch word {
    case "partition": return partition(object)
    case "heal": return .heal
    case "medium": return medium(object)
    case "clog" where object.has("peer"):
      return object.required("peer", peers).map { .hosts($0, .clog) }
    case "cut", "clog", "flap", "link", "reset":
      let (ends, fault) = (linkEnds(object), linkFault(word, object))
      guard let ends, let fault else { return nil }
      return .links(ends, fault)
    default:
      let (hosts, fault) = (object.required("peer", peers), hostFault(word, object))
      guard let hosts, let fault else { return nil }
      return .hosts(hosts, fault)
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

  private func medium(_ object: ObjectReader) -> Fault.Kind? {
    let hosts = object.required("peer", peers)
    let bandwidth = object.required("bandwidth", Self.bandwidth)
    let medium = Medium(
      bandwidth: bandwidth ?? 0,
      overhead: object.value(
        "overhead", .duration(.zero ... .seconds(1)), default: .microseconds(100)),
      queueBytes: object.value("queue", Self.queue, default: 256 << 10))
    return bandwidth == nil ? nil : hosts.map { .medium($0, medium) }
  }

  // MARK: Links

  private func linkFault(_ word: String, _ object: ObjectReader) -> LinkFault? {
    switch word {
    case "cut": return .cut
    case "clog": return .clog
    case "reset": return .reset(every: object.value("every", Self.period))
    case "flap":
      guard let every = object.required("every", Self.period) else { return nil }
      let down = object.value("down", Self.period, default: every / 2)
      if down > every { object.note("longer than \"every\"", at: "down") }
      return .flap(every: every, down: down)
    default:
      let change = linkChange(object)
      if change.isEmpty { object.note("says nothing about the link; name loss, latency, …") }
      return .change(change, over: object.value("over", Self.span, default: .zero))
    }
  }

  static var period: ValueRule<Duration> { .duration(.milliseconds(1) ... .seconds(86_400)) }

  // MARK: Peers

  private func hostFault(_ word: String, _ object: ObjectReader) -> HostFault? {
    switch word {
    case "crash": return .crash
    case "restart":
      let identity = object.value("identity", .word(["kept", "new"], named: "an identity"))
      return .restart(erased: identity == "new")
    case "suspend":
      return .suspend(
        grace: object.value("grace", .duration(.zero ... .seconds(600)), default: .seconds(5)))
    case "freeze": return .freeze
    case "resume": return .resume
    case "slow": return object.required("every", Self.period).map { .slow(every: $0) }
    case "leave":
      return .leave(
        within: object.value("within", .duration(.zero ... .seconds(3_600)), default: .seconds(2)))
    case "hide": return .hide
    case "isolate":
      let words = Reach.allCases.map(\.rawValue)
      let reach = object.value("reach", .word(words, named: "a direction"))
      return .isolate(reach.flatMap { Reach(rawValue: $0) } ?? .both)
    case "readdress": return .readdress
    case "unplug": return .unplug
    case "ports": return .exhaustPorts
    case "clock": return clock(object)
    case "stale": return object.required("after", Self.span).map { .stale(after: $0) }
    case "fullDisk": return .fullDisk
    case "slowDisk":
      return object.required("factor", .integer(1...1_000_000)).map { .slowDisk(factor: $0) }
    case "failingDisk": return .failingDisk
    default: return .reflect(after: object.value("after", Self.span, default: .milliseconds(5)))
    }
  }

  private func clock(_ object: ObjectReader) -> HostFault {
    if !object.has("jump"), !object.has("drift") {
      object.note(
        "says nothing about the clock; name jump or drift", unlessMisspelt: ["jump", "drift"])
    }
    return .clock(
      ClockChange(
        jump: object.value("jump", Self.time, default: .zero),
        drift: object.value("drift", .integer(-500_000...1_000_000), default: 0)))
  }

  // MARK: By chance

  private func randomFaults(_ object: ObjectReader) -> RandomFaults {
    defer { object.finish() }
    let words = RandomFaults.Kind.allCases.map(\.rawValue)
    let rule = ValueRule<String>.word(words, named: "a kind of random fault")
    let kinds = object.list("kinds") { rule.read($0, path: $1, mistakes: mistakes) }
    var wish = RandomFaults(
      count: object.required("count", .integer(0...1_000)) ?? 0,
      kinds: kinds.isEmpty ? nil : kinds.compactMap { .init(rawValue: $0) },
      between: object.value("between", Self.range, default: .zero...scenario.duration),
      lasting: object.value("lasting", Self.range, default: .milliseconds(100) ... .seconds(4)))
    wish.includesStorage = object.value("storage", .flag, default: false)
    return wish
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
