/// What the faults that have not ended do to packets.
///
/// A packet passes when every one of them lets it pass.
struct NetworkFaults {
  private var partitions: [(id: Int, partOf: [Int])] = []
  private var rules: [(id: Int, rule: Rule)] = []
  private var media: [(id: Int, medium: SharedMedium)] = []
  private(set) var copies: [MulticastCopy] = []
  private var reaches: [HostReach] = []
  /// The faults that no packet has met yet, each with the links that it is about.
  private var strikes: [(strike: FaultStrike, isMeant: (SimulatedLink) -> Bool)] = []
  /// How many faults cut hosts off or hold their packets.
  private var hostFaultCount = 0

  // MARK: Between all hosts

  /// Separates hosts of different parts.
  ///
  /// - Parameters:
  ///   - parts: The hosts of each part; all others, also those to come, are one further part.
  ///   - hostCount: How many hosts there are.
  ///   - id: The number of the fault.
  ///   - strike: Takes in whether a packet meets it.
  mutating func add(
    partition parts: [[Int]], among hostCount: Int, _ id: Int, _ strike: FaultStrike
  ) {
    var partOf = Array(repeating: -1, count: hostCount)
    for (number, part) in parts.enumerated() {
      for host in part { partOf[host] = number }
    }
    partitions.append((id, partOf))
    watch(strike) { Self.separates($0, partOf) }
  }

  mutating func add(_ rule: Rule, _ id: Int) { rules.append((id, rule)) }

  mutating func add(_ medium: SharedMedium, _ id: Int, _ strike: FaultStrike) {
    media.append((id, medium))
    watch(strike, medium.carries)
  }

  mutating func add(_ copy: MulticastCopy) { copies.append(copy) }

  /// Ends what a fault does between all hosts.
  mutating func end(_ id: Int) {
    partitions.removeAll { $0.id == id }
    rules.removeAll { $0.id == id }
    media.removeAll { $0.id == id }
    copies.removeAll { $0.id == id }
  }

  mutating func endAll() { self = NetworkFaults() }

  var hasRules: Bool { !rules.isEmpty }

  /// What the first rule with an opinion says about a packet.
  func verdict(_ packet: Packet, at now: Instant) -> RuleVerdict? {
    for (_, rule) in rules {
      if let verdict = rule.judge(packet, now) { return verdict }
    }
    return nil
  }

  var hasMedia: Bool { !media.isEmpty }

  /// When a packet has left all media that its link goes over, or `nil` when one has no room for it.
  func departure(of bytes: Int, over link: SimulatedLink, at now: Int64) -> Int64? {
    var time = now
    for (_, medium) in media where medium.carries(link) {
      guard let departure = medium.departure(of: bytes, at: time) else { return nil }
      time = departure
    }
    return time
  }

  // MARK: What faults strike

  /// Has the next packet on a link that is meant note that it meets a fault.
  mutating func watch(_ strike: FaultStrike, _ isMeant: @escaping (SimulatedLink) -> Bool) {
    strikes.append((strike, isMeant))
  }

  var hasStrikes: Bool { !strikes.isEmpty }

  /// Notes that a packet is meant for a link, whatever becomes of it.
  mutating func noteStrikes(on link: SimulatedLink) {
    strikes.removeAll { strike, isMeant in
      if isMeant(link) { strike.note() }
      return !strike.isOpen
    }
  }

  // MARK: At one host

  /// What faults do to the packets of a host.
  struct HostReach {
    var isDeaf = 0
    var isMute = 0
    var clogs = 0
    var isUnplugged = 0
  }

  /// Begins or ends something at a host.
  mutating func change(_ what: WritableKeyPath<HostReach, Int>, of host: Int, by count: Int) {
    while reaches.count <= host { reaches.append(HostReach()) }
    reaches[host][keyPath: what] += count
    hostFaultCount += count
  }

  func isUnplugged(_ host: Int) -> Bool {
    hostFaultCount > 0 && host < reaches.count && reaches[host].isUnplugged > 0
  }

  /// Whether the packets of a link are held.
  func holds(_ link: SimulatedLink) -> Bool {
    if link.clogs > 0 { return true }
    guard hostFaultCount > 0, link.source != link.target else { return false }
    return reach(of: link.source).clogs + reach(of: link.target).clogs > 0
  }

  private func reach(of host: Int) -> HostReach {
    host < reaches.count ? reaches[host] : HostReach()
  }

  /// Which fault lets nothing pass a link, if one does.
  func obstacle(on link: SimulatedLink) -> TraceEvent.Loss? {
    if link.cuts > 0 { return .cut }
    for (_, partOf) in partitions where Self.separates(link, partOf) { return .partition }
    guard hostFaultCount > 0, link.source != link.target else { return nil }
    let (source, target) = (reach(of: link.source), reach(of: link.target))
    if source.isUnplugged + target.isUnplugged > 0 { return .unplugged }
    return source.isMute + target.isDeaf > 0 ? .isolated : nil
  }

  private static func separates(_ link: SimulatedLink, _ partOf: [Int]) -> Bool {
    part(of: link.source, partOf) != part(of: link.target, partOf)
  }

  private static func part(of host: Int, _ partOf: [Int]) -> Int {
    host < partOf.count ? partOf[host] : -1
  }
}

/// Multicasts that are sent once more.
struct MulticastCopy {
  let id: Int
  /// The host whose multicasts these are, or that sends what it hears of others.
  let host: Int
  let isReflected: Bool
  let after: Int64
  let strike: FaultStrike
}
