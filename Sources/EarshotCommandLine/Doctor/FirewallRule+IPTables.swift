extension FirewallRule {
  /// A rule as `iptables-save` prints it, and its words after the name of the chain.
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
    case "-i": conditions.append(.interface(Set(words.values()), .inbound))
    case "-o": conditions.append(.interface(Set(words.values()), .outbound))
    case "-s": conditions.append(.source(Addresses(words.values())))
    case "-d": conditions.append(.destination(Addresses(words.values())))
    case "--dport", "--dports": conditions.append(.ports(Ports(words.values())))
    case "--sport", "--sports": conditions.append(.sourcePorts(Ports(words.values())))
    case "--tcp-flags":
      let (mask, flags) = (lowercased(words.values()), lowercased(words.values()))
      conditions.append(
        .flags(flags.subtracting(["none"]), mask: mask.contains("all") ? nil : mask))
    case "--state", "--ctstate": conditions.append(.state(lowercased(words.values())))
    case "--dst-type", "--pkt-type": conditions.append(.addressType(lowercased(words.values())))
    case "--mark": conditions.append(.mark); _ = words.next()
    case "--ctstatus", "-f": conditions.append(.none)
    case "-m":
      let module = words.next() ?? ""
      if !Self.modules.contains(module) { conditions.append(.some) }
    case "-j": verdict = words.next().flatMap { Self.verdict($0, returns: true) }
    case "-g": verdict = words.next().flatMap { Self.verdict($0, returns: false) }
    case "--comment", "-c", "--icmp-type", "--icmpv6-type": _ = words.next()
    case _ where word.hasPrefix("--") && verdict == nil: conditions.append(.some)
    default: break  // Values of those, and options of the target.
    }
  }

  private func lowercased(_ words: [String]) -> Set<String> { Set(words.map { $0.lowercased() }) }

  private static func verdict(_ target: String, returns: Bool) -> Verdict? {
    switch target {
    case "ACCEPT": .accept
    case "DROP", "REJECT", "TARPIT": .drop
    case "NFQUEUE": .ask
    case "RETURN": .leave
    case _ where harmless.contains(target): nil
    default: .call(target, returns: returns)
    }
  }

  /// Targets that are no chains, and let a packet go on.
  private static let harmless: Set = [
    "LOG", "NFLOG", "ULOG", "MARK", "CONNMARK", "CT", "NOTRACK", "SET", "TOS", "DSCP", "TTL", "HL",
    "TCPMSS", "CLASSIFY", "CHECKSUM", "TRACE", "AUDIT", "SECMARK", "CONNSECMARK", "TEE", "RATEEST",
  ]

  /// Modules that say nothing by themselves, or whose words are known above.
  private static let modules: Set = [
    "tcp", "udp", "multiport", "state", "conntrack", "comment", "addrtype", "pkttype", "mark",
    "connmark", "icmp", "icmp6",
  ]
}
