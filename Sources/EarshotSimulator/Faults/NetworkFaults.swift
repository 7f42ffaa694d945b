/// The faults of a network that have not ended: cuts, partitions and rules.
///
/// A packet passes when every one of them lets it pass.
struct NetworkFaults {
  private var partitions: [(id: Int, partOf: [Int])] = []
  private var cuts: [(id: Int, link: SimulatedLink)] = []
  private var rules: [(id: Int, rule: Rule)] = []
  private var lastID = 0

  /// Cuts one direction.
  mutating func add(cut link: SimulatedLink) -> Int {
    lastID += 1
    cuts.append((lastID, link))
    link.cuts += 1
    return lastID
  }

  /// Separates hosts of different parts.
  ///
  /// - Parameters:
  ///   - parts: The hosts of each part; all others, also those to come, are one further part.
  ///   - hostCount: How many hosts there are.
  /// - Returns: The number of the fault.
  mutating func add(partition parts: [[Int]], among hostCount: Int) -> Int {
    lastID += 1
    var partOf = Array(repeating: -1, count: hostCount)
    for (number, part) in parts.enumerated() {
      for host in part { partOf[host] = number }
    }
    partitions.append((lastID, partOf))
    return lastID
  }

  mutating func add(_ rule: Rule) -> Int {
    lastID += 1
    rules.append((lastID, rule))
    return lastID
  }

  /// Ends one fault.
  ///
  /// - Returns: Whether it had not ended.
  mutating func end(_ id: Int) -> Bool {
    if let index = cuts.firstIndex(where: { $0.id == id }) {
      cuts.remove(at: index).link.cuts -= 1
      return true
    }
    let count = partitions.count + rules.count
    partitions.removeAll { $0.id == id }
    rules.removeAll { $0.id == id }
    return partitions.count + rules.count < count
  }

  mutating func endAll() {
    for cut in cuts { cut.link.cuts -= 1 }
    (partitions, cuts, rules) = ([], [], [])
  }

  func contains(_ id: Int) -> Bool {
    cuts.contains { $0.id == id } || partitions.contains { $0.id == id }
      || rules.contains { $0.id == id }
  }

  var hasRules: Bool { !rules.isEmpty }

  /// What the first rule with an opinion says about a packet.
  func verdict(_ packet: Packet, at now: Instant) -> RuleVerdict? {
    for (_, rule) in rules {
      if let verdict = rule.judge(packet, now) { return verdict }
    }
    return nil
  }

  /// Which fault lets nothing pass a link, if one does.
  func obstacle(on link: SimulatedLink) -> TraceEvent.Loss? {
    if link.cuts > 0 { return .cut }
    for (_, partOf) in partitions
    where Self.part(of: link.source, partOf) != Self.part(of: link.target, partOf) {
      return .partition
    }
    return nil
  }

  private static func part(of host: Int, _ partOf: [Int]) -> Int {
    host < partOf.count ? partOf[host] : -1
  }
}
