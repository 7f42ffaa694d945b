import EarshotCore

/// Reads a rule as `nft` prints it.
///
/// A word that is not known stands for a condition that may hold or not. A map from values to
/// verdicts becomes one rule for each of its elements.
struct NFTRuleReader {
  private var rule: FirewallRule
  private var words: Firewall.Words
  private var branches: [FirewallRule] = []
  private let table: String
  private let sets: [String: Firewall.NamedSet]

  /// The rules that a line amounts to.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - table: The family and the name of the rule's table.
  ///   - sets: The sets and maps of all tables.
  /// - Returns: One rule, or one for each element of a map.
  static func rules(
    in line: Substring, of table: String, _ sets: [String: Firewall.NamedSet]
  ) -> [FirewallRule] {
    var reader = NFTRuleReader(
      rule: FirewallRule(line.split(whereSeparator: \.isWhitespace).joined(separator: " ")),
      words: Firewall.Words(line), table: table, sets: sets)
    return reader.read()
  }

  private init(
    rule: FirewallRule, words: Firewall.Words, table: String, sets: [String: Firewall.NamedSet]
  ) {
    (self.rule, self.words, self.table, self.sets) = (rule, words, table, sets)
  }

  private mutating func read() -> [FirewallRule] {
    while branches.isEmpty, rule.verdict == nil, let word = words.next() { read(word) }
    return branches.isEmpty ? [rule] : branches
  }

  private mutating func read(_ word: String) {
    if let verdict = Self.verdict(word, &words) { return rule.verdict = verdict }
    switch word {
    case "tcp", "udp", "th": readTransport(word)
    case "sctp", "dccp", "icmp", "icmpv6", "igmp", "esp", "ah", "comp", "udplite", "arp":
      neverFits()
    case "meta": break  // The word after it has the same meaning without it.
    case "nfproto":
      readCondition { .either($0.map { .family($0 == "ipv6" || $0 == "10" ? .v6 : .v4) }) }
    case "l4proto": readCondition { .transport(Set($0)) }
    case "mark": readCondition { _ in .mark }
    case "pkttype": readCondition { .addressType(Set($0)) }
    case "iif", "iifname": readCondition { .interface(Set($0), .inbound) }
    case "oif", "oifname": readCondition { .interface(Set($0), .outbound) }
    case "ip", "ip6":
      add(.family(word == "ip" ? .v4 : .v6))
      readAddress()
    case "ct": readConnection()
    case "fib": readFIB()
    case "xt": readExtension()
    case "counter":
      _ = words.take("name") ? words.next() : nil
      for unit in ["packets", "bytes"] where words.take(unit) { _ = words.next() }
    case "comment", "prefix", "level", "flags", "group", "snaplen", "queue-threshold":
      _ = words.next()
    case "log", "notrack": break
    default: add(.some)
    }
  }

  private mutating func add(_ condition: FirewallRule.Condition) {
    rule.conditions.append(condition)
  }

  private mutating func neverFits() {
    add(.none)
    words.skip(to: Self.verdicts)
  }

  private static func verdict(
    _ word: String, _ words: inout Firewall.Words
  ) -> FirewallRule.Verdict? {
    switch word {
    case "accept": .accept
    case "drop", "reject": .drop
    case "queue": .ask
    case "return": .leave
    case "jump", "goto": words.next().map { .call($0, returns: word == "jump") }
    default: nil
    }
  }

  private static let verdicts: Set = [
    "accept", "drop", "reject", "return", "jump", "goto", "queue", "vmap",
  ]

  // MARK: Conditions

  private mutating func readTransport(_ word: String) {
    if word != "th" { add(.transport([word])) }
    switch words.next() {
    case "dport": readCondition { .ports(FirewallRule.Ports($0)) }
    case "sport": readCondition { .sourcePorts(FirewallRule.Ports($0)) }
    case "flags": readFlags()
    default: add(.some)
    }
  }

  private mutating func readAddress() {
    switch words.next() {
    case "protocol", "nexthdr": readCondition { .transport(Set($0)) }
    case "saddr": readCondition { .source(FirewallRule.Addresses($0)) }
    case "daddr": readCondition { .destination(FirewallRule.Addresses($0)) }
    default: readCondition { _ in .some }
    }
  }

  private mutating func readConnection() {
    switch words.next() {
    case "state": readCondition { .state(Set($0)) }
    case "mark": readCondition { _ in .mark }
    case "status":
      readCondition { $0.allSatisfy(["dnat", "snat"].contains) ? .none : .some }
    default: readCondition { _ in .some }
    }
  }

  private mutating func readFIB() {
    let fields = words.prefix(upTo: Self.verdicts.union(["type", "oif", "oifname", "check"]))
    let result = words.next()
    if fields.contains("daddr"), result == "type" {
      return readCondition { .addressType(Set($0)) }
    }
    // A source that no route leads to, or that is this host.
    neverFits()
  }

  /// What `iptables` wrote and `nft` has no words for.
  private mutating func readExtension() {
    add(.some)
    guard words.next() == "target" else { return _ = words.next() }
    let target = words.next()
    if target == "DROP" || target == "REJECT" { rule.verdict = .drop }
  }

  /// Flags of TCP: some of a mask, all of these, or any of these.
  private mutating func readFlags() {
    guard words.first != "{" else {
      return readCondition { .either($0.map { .flags(Self.flags([$0]), mask: nil) }) }
    }
    let expression = words.prefix(
      upTo: Self.verdicts.union(["counter", "limit", "log", "ct", "ip", "ip6", "meta", "comment"]))
    let parts = expression.split(
      omittingEmptySubsequences: false, whereSeparator: { ["&", "==", "!=", "/"].contains($0) }
    ).map { Self.flags(Array($0)) }
    let signs = expression.filter { ["&", "==", "!=", "/"].contains($0) }
    func flip(_ condition: FirewallRule.Condition, _ isFlipped: Bool) -> FirewallRule.Condition {
      isFlipped ? .not(condition) : condition
    }
    switch signs {
    case []: add(.anyFlag(parts[0]))
    case ["=="], ["!="]: add(flip(.flags(parts[1], mask: nil), signs == ["!="]))
    case ["&", "=="]: add(.flags(parts[2], mask: parts[1]))
    case ["&", "!="]:
      add(parts[2].isEmpty ? .anyFlag(parts[1]) : .not(.flags(parts[2], mask: parts[1])))
    case ["/"]: add(.flags(parts[0], mask: parts[1]))
    case ["!=", "/"]: add(.not(.flags(parts[1], mask: parts[2])))
    default: add(.some)
    }
  }

  private static func flags(_ words: [String]) -> Set<String> {
    let names = words.flatMap { $0.split { "()|,".contains($0) } }.map(String.init)
    return Set(names.filter { $0 != "0x0" && $0 != "0" })
  }

  /// Reads the values of a field, and adds what they make of a condition.
  private mutating func readCondition(
    _ condition: ([String]) -> FirewallRule.Condition
  ) {
    if words.take("set") { return _ = words.next() }  // A change of the field, no condition.
    if words.first == "." {  // Several fields at once.
      words.skip(to: Self.verdicts.union(["{", "!="]).union(sets(in: words)))
      return readSeveralFields()
    }
    let isNegated = words.take("!=") || words.take("!")
    _ = words.take("==")
    if words.take("vmap") { return readMap(condition) }
    guard let name = words.first, name.hasPrefix("@") else {
      let read = condition(words.values())
      return add(isNegated ? .not(read) : read)
    }
    _ = words.next()
    guard let set = sets["\(table) \(name.dropFirst())"], !set.isOpaque else { return add(.some) }
    let read = condition(set.elements.compactMap(\.first))
    add(isNegated ? .not(read) : read)
  }

  private func sets(in words: Firewall.Words) -> Set<String> {
    Set(words.rest.filter { $0.hasPrefix("@") })
  }

  private mutating func readSeveralFields() {
    _ = words.take("!=")
    if words.take("vmap") { return readMap { _ in .some } }
    _ = words.values()
    add(.some)
  }

  /// Makes a rule of each element of a map.
  private mutating func readMap(_ condition: ([String]) -> FirewallRule.Condition) {
    var elements: [[String]] = []
    var isOpaque = false
    if let name = words.first, name.hasPrefix("@") {
      _ = words.next()
      let map = sets["\(table) \(name.dropFirst())"]
      (elements, isOpaque) = (map?.elements ?? [], map?.isOpaque ?? true)
      if elements.isEmpty, isOpaque { elements = [["*", ":", "drop"]] }
    } else {
      elements = words.elements()
    }
    for element in elements {
      guard let colon = element.firstIndex(of: ":"), let value = element.first else { continue }
      var verdict = Firewall.Words(element[(colon + 1)...].joined(separator: " ")[...])
      var branch = rule
      let isPlain = !isOpaque && !element[..<colon].contains(".")
      branch.conditions.append(isPlain ? condition([value]) : .some)
      branch.verdict = verdict.next().flatMap { Self.verdict($0, &verdict) }
      branches.append(branch)
    }
    if elements.isEmpty { add(.none) }
  }
}
