import EarshotCore
import EarshotSimulator

extension Scenario {
  /// The scenario that a text describes.
  ///
  /// - Parameters:
  ///   - text: JSON5, at most ``textBytesMax`` bytes.
  ///   - file: The name of the file, for messages.
  /// - Throws: Every mistake in the text: an unknown key, a wrong type, a value out of range, a peer that
  ///   does not exist.
  public init(json5 text: String, file: String) throws(ScenarioError) {
    self = try ScenarioSource(json5: text, file: file).scenario()
  }

  /// The largest scenario that is read.
  public static var textBytesMax: Int { 4 << 20 }
}

/// Turns the tree of a file into a scenario, and notes what is wrong with it.
struct ScenarioReader {
  private(set) var scenario = Scenario()
  let mistakes: Mistakes
  private var crowds: [String: [String]] = [:]

  init(mistakes: Mistakes) { self.mistakes = mistakes }

  mutating func read(_ node: JSON5Node) {
    let file = ObjectReader(node, path: "", mistakes: mistakes)
    // They are in place already.
    file.forgive(["include", "variables"])
    readTitle(file)
    readPeers(file)
    readLinks(file)
    readFaults(file)
    readConvergence(file)
    scenario.expectations = file.list("expect") {
      expectation(ObjectReader($0, path: $1, mistakes: mistakes))
    }
    file.finish()
  }

  private mutating func readTitle(_ file: ObjectReader) {
    scenario.name = file.required("name", .text(bytes: 1...80)) ?? ""
    scenario.summary = file.value("description", .text(bytes: 0...4_000), default: "")
    scenario.service = file.value("service", .serviceType, default: "earshot")
    scenario.duration =
      file.required("duration", .duration(.milliseconds(1) ... .seconds(86_400)))
      ?? .seconds(86_400)
    scenario.seed = file.value("seed", .seed, default: 1)
    scenario.isSecure = file.value("secure", .flag, default: false)
    scenario.origin.violation = file.value("reproduces", .text(bytes: 1...4_000))
    scenario.schedule = file.value("schedule", Self.schedule, default: .fifo)
    scenario.buggify = file.value("buggify", Buggify.rule, default: .off)
  }

  private mutating func readConvergence(_ file: ObjectReader) {
    guard let object = file.object("converges") else { return }
    scenario.convergence = object.required(
      "within", .duration(.milliseconds(1) ... .seconds(86_400)))
    if scenario.convergence.map({ $0 >= scenario.duration }) ?? false {
      object.note("shorter than the scenario", at: "within")
    }
    object.finish()
  }

  private mutating func readPeers(_ file: ObjectReader) {
    let list: ValueRule<Void> = ValueRule("a list of peers") { node in
      if case .array = node.value { () } else { nil }
    }
    guard file.required("peers", list) != nil, case .array(let nodes)? = file.node("peers")?.value
    else {
      mistakes.hasUnreadNames = true
      return
    }
    for (index, node) in nodes.enumerated() { declare(node, path: "peers[\(index)]") }
    if scenario.peers.isEmpty {
      file.note("a scenario has at least one peer", at: "peers", unless: .unreadName)
    }
    readGroups(file)
    for (index, node) in nodes.enumerated() { describe(node, path: "peers[\(index)]") }
  }

  /// Names come first, since peers speak of each other.
  private mutating func declare(_ node: JSON5Node, path: String) {
    guard let name = nameAlone(of: node) ?? nameInside(node) else {
      mistakes.hasUnreadNames = true
      return
    }
    if let name = ValueRule.peerName.read(name, path: path, mistakes: mistakes) {
      let count = crowdCount(of: node)
      if count == 0 { mistakes.hasUnreadNames = true }
      let names = count.map { count in (0..<count).map { "\(name)\($0 + 1)" } } ?? [name]
      crowds[name] = names
      for name in names { add(name, at: node, path: path) }
    } else {
      mistakes.hasUnreadNames = true
    }
  }

  private mutating func add(_ name: String, at node: JSON5Node, path: String) {
    if scenario.peers.contains(where: { $0.name == name }) {
      mistakes.add("there is a peer \"\(name)\" already", at: node.offset, path: path)
    } else if scenario.peers.count == Self.peersMax {
      mistakes.add("more than \(Self.peersMax) peers", at: node.offset, path: path)
    } else if scenario.peers.count < Self.peersMax {
      scenario.peers.append(PeerPlan(name: name))
    }
  }

  private func nameAlone(of node: JSON5Node) -> JSON5Node? {
    if case .string = node.value { node } else { nil }
  }

  private func nameInside(_ node: JSON5Node) -> JSON5Node? {
    guard case .object(let members) = node.value else { return nil }
    return members.first { $0.key == "name" }?.value
  }

  /// How many peers have the name; 0 when that cannot be read, `nil` when it is one without a number.
  private func crowdCount(of node: JSON5Node) -> Int? {
    guard case .object(let members) = node.value,
      let count = members.first(where: { $0.key == "count" })
    else { return nil }
    guard case .number(let text) = count.value.value, let number = Int(text) else { return 0 }
    return min(max(number, 0), Self.peersMax + 1)
  }

  private mutating func describe(_ node: JSON5Node, path: String) {
    if case .string = node.value { return }
    let object = ObjectReader(node, path: path, mistakes: mistakes)
    let name = object.required("name", .text(bytes: 1...Self.nameBytesMax))
    _ = object.value("count", .integer(1...Self.peersMax))
    let plan = peerPlan(object)
    object.finish()
    guard let name else { return }
    check(plan, of: crowds[name] ?? [], object)
    for member in crowds[name] ?? [] {
      guard let index = scenario.peers.firstIndex(where: { $0.name == member }) else { continue }
      scenario.peers[index] = plan
      scenario.peers[index].name = member
    }
  }

  /// A peer that comes too late, or asks itself, is a slip.
  private func check(_ plan: PeerPlan, of names: [String], _ object: ObjectReader) {
    if plan.start >= scenario.duration {
      object.note("not before the scenario's end", at: "start")
    }
    guard names.count == 1 else { return }
    for invitation in plan.invitations where invitation.guest == .peer(names[0]) {
      object.note("\(names[0]) would invite itself", at: "invite")
    }
    for step in plan.steps {
      if case .remove(names[0], _) = step.kind {
        object.note("\(names[0]) would remove itself; it leaves with \"disconnect\"", at: "remove")
      }
    }
  }

  /// Names for some of the peers; a group may have groups in it that stand before it.
  private mutating func readGroups(_ file: ObjectReader) {
    guard let node = file.node("groups") else { return }
    let object = ObjectReader(node, path: "groups", mistakes: mistakes)
    for member in node.members ?? [] {
      let path = "groups.\(member.key)"
      let name = ValueRule.peerName.read(.text(member.key), path: path, mistakes: mistakes)
      let members = object.value(member.key, peers)
      guard let name, let members else { continue }
      if names(of: name) != nil {
        mistakes.add(
          "there is a peer, crowd or group \"\(name)\" already", at: member.offset, path: path)
      } else {
        crowds[name] = members
      }
    }
  }

  private static var schedule: ValueRule<SchedulePolicy> {
    ValueRule(
      "a policy (\"fifo\", \"random\", \"pct\", \"urw\"), one with a seed (\"random#7\"), "
        + "or the choices of one: pairs of whole numbers"
    ) { SchedulePolicy($0) }
  }

  /// The peers of a name: one, or a whole crowd.
  func names(of text: String) -> [String]? {
    if scenario.peers.contains(where: { $0.name == text }) { return [text] }
    return crowds[text]
  }

  /// All names that may be used, for suggestions.
  var allNames: [String] {
    scenario.peers.map(\.name) + crowds.keys.filter { names(of: $0) != nil }.sorted()
  }

  mutating func set(links: LinkPlan) { scenario.links = links }

  mutating func set(faults: [Fault], random: RandomFaults?) {
    (scenario.faults, scenario.randomFaults) = (faults, random)
  }

  static let peersMax = 10_000
  static let nameBytesMax = 48
}
