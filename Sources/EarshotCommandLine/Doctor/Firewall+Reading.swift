import EarshotCore

extension Firewall {
  /// Takes what `nft list ruleset` prints.
  package mutating func read(nft text: String) {
    let manager = Self.manager(of: text)
    var (table, current) = ("", Int?.none)
    for line in text.split(separator: "\n") {
      var words = Words(line)
      switch words.next() {
      case "table":
        tableCount += 1
        (table, current) = (words.rest.prefix(2).joined(separator: " "), nil)
      case "chain":
        let label = words.next() ?? ""
        let family = table.split(separator: " ").first.map(String.init) ?? ""
        let tool = manager ?? .nft(family: family)
        current = chains.count
        chains.append(
          Chain(name: "\(table) \(label)", label: label, table: tableCount, tool: tool))
      case "set", "map", "}": current = nil
      case "type":
        guard let current, words.next() == "filter" else { break }
        chains[current].hook = Self.hook(words.rest)
        chains[current].drops = words.rest.suffix(2) == ["policy", "drop;"]
      case nil: break
      default: if let current { chains[current].rules.append(FirewallRule(nft: line)) }
      }
    }
  }

  /// Takes what `iptables-save`, or its like of the given name, prints.
  package mutating func read(_ tool: String, _ text: String) {
    let manager = Self.manager(of: text)
    var table = ""
    for line in text.split(separator: "\n") {
      var words = Words(line)
      guard let first = words.next() else { continue }
      if first.hasPrefix("*") {
        tableCount += 1
        table = String(first.dropFirst())
      } else if first.hasPrefix(":"), let policy = words.next() {
        let label = String(first.dropFirst())
        var chain = Chain(
          name: "\(tool) \(label)", label: label, table: tableCount,
          tool: manager ?? .iptables(tool))
        chain.hook = table == "nat" ? nil : Self.hook([label.lowercased()])
        chain.drops = policy == "DROP"
        chains.append(chain)
      } else if first == "-A", let label = words.next() {
        let place = chains.lastIndex { $0.table == tableCount && $0.label == label }
        if let place { chains[place].rules.append(FirewallRule(iptables: line, words)) }
      }
    }
  }

  private static func hook(_ words: [String]) -> Hook? {
    if words.contains("output") { return .outbound }
    return words.contains("input") || words.contains("prerouting") ? .inbound : nil
  }

  /// A program that writes the tables itself, and wants to be told.
  private static func manager(of text: String) -> Tool? {
    if text.contains("ufw-") { return .ufw }
    return text.contains("table inet firewalld") ? .firewalld : nil
  }

  /// The words of a line; what stands in quotes is one, and each brace and comma of its own.
  struct Words {
    private(set) var rest: [String] = []

    init(_ line: Substring) {
      var (word, isQuoted) = ("", false)
      for character in line {
        switch character {
        case "\"":
          isQuoted.toggle()
          if !isQuoted { rest.append(word) }
          word = ""
        case _ where isQuoted: word.append(character)
        case "{", "}", ",":
          rest += (word.isEmpty ? [] : [word]) + [String(character)]
          word = ""
        case _ where character.isWhitespace:
          if !word.isEmpty { rest.append(word) }
          word = ""
        default: word.append(character)
        }
      }
      if !word.isEmpty { rest.append(word) }
    }

    /// The next word, without taking it.
    var first: String? { rest.first }

    /// Takes the next word.
    mutating func next() -> String? { rest.isEmpty ? nil : rest.removeFirst() }

    /// Takes the next word if it is the given one.
    mutating func take(_ word: String) -> Bool {
      guard rest.first == word else { return false }
      rest.removeFirst()
      return true
    }

    /// Takes one value, several with commas, or all of a set in braces.
    mutating func values() -> [String] {
      if take("{") {
        let inner = rest.prefix { $0 != "}" }
        rest.removeFirst(min(inner.count + 1, rest.count))
        return inner.filter { $0 != "," }
      }
      var values = [next()].compactMap(\.self)
      while take(",") { values += [next()].compactMap(\.self) }
      return values
    }
  }
}

extension FirewallRule {
  /// A rule as `nft` prints it.
  init(nft line: Substring) {
    self.init(line.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    var words = Firewall.Words(line)
    while verdict == nil, let word = words.next() { readNFT(word, &words) }
  }

  private mutating func readNFT(_ word: String, _ words: inout Firewall.Words) {
    switch word {
    case "accept", "queue": verdict = .accept
    case "drop", "reject": verdict = .drop
    case "return": verdict = .leave
    case "jump", "goto": verdict = words.next().map { .call($0, returns: word == "jump") }
    case "tcp", "udp", "th":
      if word != "th" { conditions.append(.transport([word])) }
      readField(&words)
    case "sctp", "dccp", "icmp", "icmpv6", "igmp", "esp", "ah":
      conditions.append(.none)
      words = Firewall.Words(
        words.rest.drop { !Self.verdicts.contains($0) }.joined(separator: " ")[...])
    case "meta": break  // What follows is named as it is without it.
    case "l4proto": readCondition(&words) { .transport(Set($0)) }
    case "mark": readCondition(&words) { _ in .none }
    case "pkttype": readCondition(&words) { .addressType(Set($0)) }
    case "iif", "iifname", "oif", "oifname": readCondition(&words) { .interface(Set($0)) }
    case "ip", "ip6": readAddress(&words)
    case "ct": readConnection(&words)
    case "fib": readFIB(&words)
    case "counter": for unit in ["packets", "bytes"] where words.take(unit) { _ = words.next() }
    case "comment", "prefix", "level", "flags", "group": _ = words.next()
    case "log": break
    default: conditions.append(.some)
    }
  }

  private static let verdicts: Set = [
    "accept", "drop", "reject", "return", "jump", "goto", "queue",
  ]

  private mutating func readField(_ words: inout Firewall.Words) {
    switch words.next() {
    case "dport": readCondition(&words) { .ports(Self.ports($0)) }
    case "sport": readCondition(&words) { .sourcePorts(Self.ports($0)) }
    default: conditions.append(.some)
    }
  }

  private mutating func readAddress(_ words: inout Firewall.Words) {
    switch words.next() {
    case "protocol", "nexthdr": readCondition(&words) { .transport(Set($0)) }
    case "daddr": readCondition(&words) { .destination(Self.ranges($0)) }
    default: readCondition(&words) { _ in .some }
    }
  }

  private mutating func readConnection(_ words: inout Firewall.Words) {
    guard words.next() == "state" else { return readCondition(&words) { _ in .none } }
    guard words.take("vmap") else { return readCondition(&words) { .state(Set($0)) } }
    let cases = words.values()  // Such as: invalid : drop, established : accept.
    conditions.append(.state(Set(cases)))
    let place = cases.firstIndex(of: "new").map { $0 + 2 } ?? cases.count
    var rest = Firewall.Words(cases.dropFirst(place).prefix(2).joined(separator: " ")[...])
    if let word = rest.next() { readNFT(word, &rest) }
  }

  private mutating func readFIB(_ words: inout Firewall.Words) {
    guard words.take("daddr"), words.take("type") else {
      conditions.append(.none)  // A source that no route leads to.
      words = Firewall.Words(
        words.rest.drop { !Self.verdicts.contains($0) }.joined(separator: " ")[...])
      return
    }
    readCondition(&words) { .addressType(Set($0)) }
  }

  private mutating func readCondition(
    _ words: inout Firewall.Words, _ condition: ([String]) -> Condition
  ) {
    let isNegated = words.take("!=")
    _ = words.take("==")
    if words.take("vmap") { return readMap(words.values()) }
    if words.first?.hasPrefix("@") == true {
      _ = words.next()
      return conditions.append(.some)
    }
    let read = condition(words.values())
    conditions.append(isNegated ? .not(read) : read)
  }

  /// Takes the first case in that what is not from this host itself may be let through.
  private mutating func readMap(_ cases: [String]) {
    conditions.append(.some)
    let place = cases.indices.dropFirst(2).first {
      ["accept", "jump", "goto"].contains(cases[$0]) && cases[$0 - 2] != "lo"
    }
    var rest = Firewall.Words(
      cases[(place ?? cases.count)...].prefix(2).joined(separator: " ")[...])
    if let word = rest.next() { readNFT(word, &rest) }
  }

  /// Ports by number or name, and ranges of them as both tools write them.
  private static func ports(_ values: [String]) -> [ClosedRange<UInt16>] {
    values.compactMap { value in
      let ends = value.split { $0 == "-" || $0 == ":" }.map { $0 == "mdns" ? 5_353 : UInt16($0) }
      guard let low = ends.first ?? nil, let high = ends.last ?? nil, low <= high else {
        return nil
      }
      return low...high
    }
  }

  private static func ranges(_ values: [String]) -> [AddressRange] {
    values.compactMap { AddressRange(text: $0) }
  }
}

extension FirewallRule {
  /// A rule as `iptables-save` prints it, and its words behind the name of the chain.
  init(iptables line: Substring, _ words: Firewall.Words) {
    self.init(line.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    var words = words
    while let word = words.next() {
      let isNegated = word == "!"
      let before = conditions.count
      readIPTables(isNegated ? words.next() ?? "" : word, &words)
      if isNegated, conditions.count > before { conditions.append(.not(conditions.removeLast())) }
    }
  }

  private mutating func readIPTables(_ word: String, _ words: inout Firewall.Words) {
    switch word {
    case "-p": conditions.append(.transport(Set(words.values())))
    case "-i", "-o": conditions.append(.interface(Set(words.values())))
    case "-d": conditions.append(.destination(Self.ranges(words.values())))
    case "--dport", "--dports": conditions.append(.ports(Self.ports(words.values())))
    case "--sport", "--sports": conditions.append(.sourcePorts(Self.ports(words.values())))
    case "--ports": conditions.append(.some)
    case "--state", "--ctstate": conditions.append(.state(lowercased(words.values())))
    case "--dst-type", "--pkt-type": conditions.append(.addressType(lowercased(words.values())))
    case "--ctstatus", "--mark": conditions.append(.none)
    case "-m":
      let module = words.next() ?? ""
      if !Self.modules.contains(module) { conditions.append(.some) }
    case "-j": verdict = words.next().flatMap { Self.verdict($0, returns: true) }
    case "-g": verdict = words.next().flatMap { Self.verdict($0, returns: false) }
    case "--comment", "--reject-with", "--log-prefix", "--log-level", "-c": _ = words.next()
    case "-s": conditions.append(.some); _ = words.next()
    default: break  // The values of what may be.
    }
  }

  private func lowercased(_ words: [String]) -> Set<String> { Set(words.map { $0.lowercased() }) }

  private static func verdict(_ target: String, returns: Bool) -> Verdict? {
    switch target {
    case "ACCEPT", "NFQUEUE": .accept
    case "DROP", "REJECT": .drop
    case "RETURN": .leave
    // LOG and its like are no chains, and pass for empty ones.
    default: .call(target, returns: returns)
    }
  }

  /// Modules that say nothing by themselves, or whose words are known above.
  private static let modules: Set = [
    "tcp", "udp", "multiport", "state", "conntrack", "comment", "addrtype", "pkttype", "mark",
    "connmark", "icmp", "icmp6",
  ]
}

extension AddressRange {
  /// A network as tools write it: an address, alone or with the number of its bits.
  init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1)
    guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    let most = address.family == .v4 ? 32 : 128
    guard let bits = parts.count == 2 ? Int(parts[1]) : most, (0...most).contains(bits) else {
      return nil
    }
    self.init(address, bits: bits)
  }
}
