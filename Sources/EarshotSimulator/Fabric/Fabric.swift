/// What lies between the hosts: addresses, links, groups and faults.
///
/// The n-th host, from 0, has the addresses 10.0.0.1 + n and fe80::1 + n. Every host reaches every other;
/// multicast stays on its segment.
struct Fabric {
  private let seed: UInt64
  private(set) var defaultConditions: LinkConditions
  private var loopback = LinkConditions.loopback
  var multicastLoss: Ratio
  private var names: [String] = []
  private var segments: [String] = []  // Of each host.
  private var indexOfName: [String: Int] = [:]
  private var links: [UInt64: Link] = [:]
  /// Which part of a partition each host is in; hosts of different parts hear nothing of each other.
  private var parts: [Int]?
  private var rules: [(id: RuleID, rule: Rule)] = []
  private var nextRule = 0
  /// The hosts that have joined a group, ascending, each as often as it has sockets there.
  private var groups: [Group: [Int]] = [:]

  private struct Group: Hashable {
    let segment: String
    let address: IPAddress
  }

  init(seed: UInt64, configuration: WorldConfiguration) {
    self.seed = seed
    defaultConditions = configuration.defaultLink
    multicastLoss = configuration.multicastLoss
  }

  // MARK: Hosts

  mutating func addHost(_ name: String, segment: String) -> Int {
    precondition(indexOfName[name] == nil, "there is a host '\(name)' already")
    indexOfName[name] = names.count
    names.append(name)
    segments.append(segment)
    parts?.append(-1)
    return names.count - 1
  }

  func name(of host: Int) -> String { names[host] }

  static func addressV4(of host: Int) -> IPAddress { .v4(0x0A00_0001 + UInt32(host)) }

  static func addressV6(of host: Int) -> IPAddress {
    .v6(0xFE80 << 48, UInt64(host) + 1, scope: 1)
  }

  /// The host with an address, or `nil` when none has it.
  func host(at address: IPAddress, from asker: Int) -> Int? {
    let number: UInt64
    switch address {
    case _ where address.isLoopback: return asker
    case .v4(let bits) where bits > 0x0A00_0000: number = UInt64(bits - 0x0A00_0001)
    case .v6(0xFE80_0000_0000_0000, let low, _) where low > 0: number = low - 1
    case .v4, .v6: return nil
    }
    return number < UInt64(names.count) ? Int(number) : nil
  }

  /// Whether an address would be a neighbour's, or our own.
  static func isOnSegment(_ address: IPAddress) -> Bool {
    switch address {
    case .v4(let bits): bits >> 24 == 10 || address.isLoopback
    case .v6: address.isLinkLocal || address.isLoopback
    }
  }

  /// The address that a host speaks from to another.
  static func localAddress(of host: Int, towards other: IPAddress) -> IPAddress {
    if other.isLoopback { return other }
    return other.isV4 ? addressV4(of: host) : addressV6(of: host)
  }

  // MARK: Links

  mutating func link(from source: Int, to target: Int) -> Link {
    let key = UInt64(source) << 32 | UInt64(target)
    if let link = links[key] { return link }
    let name = "link \(names[source])→\(names[target])"
    let link = Link(
      from: source, to: target, conditions: source == target ? loopback : defaultConditions,
      random: RandomStream(seed: seed, name: name))
    links[key] = link
    return link
  }

  mutating func setDefault(_ conditions: LinkConditions) {
    defaultConditions = conditions
    // The order does not matter: every link is given the same.
    for link in links.values where !link.isSpecial && link.source != link.target {
      link.apply(conditions)
    }
  }

  // MARK: Faults

  mutating func partition(_ parts: [[Int]]) {
    var partOf = Array(repeating: -1, count: names.count)
    for (number, part) in parts.enumerated() {
      for host in part { partOf[host] = number }
    }
    self.parts = partOf
  }

  mutating func heal() {
    parts = nil
    // The order does not matter: every link is given the same.
    for link in links.values { link.isCut = false }
  }

  mutating func add(_ rule: Rule) -> RuleID {
    nextRule += 1
    rules.append((RuleID(number: nextRule), rule))
    return RuleID(number: nextRule)
  }

  mutating func remove(_ id: RuleID) { rules.removeAll { $0.id == id } }

  mutating func removeRules() { rules = [] }

  var hasRules: Bool { !rules.isEmpty }

  func verdict(_ packet: Packet, at now: Instant) -> RuleVerdict? {
    for (_, rule) in rules {
      if let verdict = rule.judge(packet, now) { return verdict }
    }
    return nil
  }

  /// Which fault lets nothing pass a link, if one does.
  func obstacle(on link: Link) -> TraceEvent.Loss? {
    if link.isCut { return .cut }
    guard let parts, parts[link.source] != parts[link.target] else { return nil }
    return .partition
  }

  // MARK: Groups

  mutating func join(_ group: IPAddress, host: Int) {
    let group = Group(segment: segments[host], address: group)
    var members = groups[group] ?? []
    members.insert(host, at: members.firstIndex { $0 > host } ?? members.endIndex)
    groups[group] = members
  }

  mutating func leave(_ group: IPAddress, host: Int) {
    let group = Group(segment: segments[host], address: group)
    guard let index = groups[group]?.firstIndex(of: host) else { return }
    groups[group]?.remove(at: index)
  }

  /// The hosts of a sender's segment that have joined a group, each once, in the order of their making.
  func members(of group: IPAddress, heardBy sender: Int) -> [Int] {
    let group = Group(segment: segments[sender], address: group)
    var members: [Int] = []
    for host in groups[group] ?? [] where members.last != host { members.append(host) }
    return members
  }
}
