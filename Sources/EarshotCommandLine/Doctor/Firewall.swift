/// What the tables of a host's firewall say of multicast DNS.
package struct Firewall: Hashable, Sendable {
  /// A rule or a policy that drops it.
  package struct Obstacle: Hashable, Sendable {
    /// The chain, and the rule as its tool prints it; without a rule the chain drops what no rule accepts.
    package let chain: String
    package let rule: String?
    /// What lets multicast DNS through.
    package let command: String
  }
  private struct Chain {
    let name: String
    var isFirst = false  // What comes in goes through it first.
    var drops = false  // By its policy.
    var command: String
    var rules: [[String]] = []
  }

  /// Rules that drop multicast DNS by name.
  package private(set) var rules: [Obstacle] = []
  /// Chains that drop what they do not know, where no rule accepts multicast DNS.
  package private(set) var policies: [Obstacle] = []

  /// No tables, or none that could be read.
  package init() {}

  /// Takes what `nft list ruleset` prints.
  package mutating func read(nft text: String) {
    var (table, chains) = ("", [Chain]())
    for line in text.split(separator: "\n") {
      let words = Self.words(line)
      switch words.first {
      case "table": table = words.dropFirst().prefix(2).joined(separator: " ")
      case "chain":
        let name = "\(table) \(words.dropFirst().first ?? "")"
        let command = "sudo nft insert rule \(name) udp dport 5353 accept"
        chains.append(Chain(name: name, command: command))
      case "type" where !chains.isEmpty:
        chains[chains.count - 1].isFirst = words.contains("input")
        chains[chains.count - 1].drops = words.suffix(2).joined(separator: " ") == "policy drop;"
      case nil: break
      default: if !chains.isEmpty { chains[chains.count - 1].rules.append(words) }
      }
    }
    judge(chains, managedBy: Self.manager(of: text))
  }

  /// Takes what `iptables-save`, or its like of the given name, prints.
  package mutating func read(_ tool: String, _ text: String) {
    var chains: [String: Chain] = [:]
    for line in text.split(separator: "\n") {
      let words = Self.words(line)
      guard let first = words.first, words.count > 1 else { continue }
      if first.hasPrefix(":") {
        let name = String(first.dropFirst())
        var chain = Chain(
          name: "\(tool) \(name)", command: "sudo \(tool) -I \(name) -p udp --dport 5353 -j ACCEPT")
        (chain.isFirst, chain.drops) = (name == "INPUT", words[1] == "DROP")
        chains[name] = chain
      } else if first == "-A" {
        chains[words[1]]?.rules.append(words)
      }
    }
    judge(chains.sorted { $0.key < $1.key }.map(\.value), managedBy: Self.manager(of: text))
  }

  private mutating func judge(_ chains: [Chain], managedBy manager: String?) {
    let isAccepted = chains.contains { $0.rules.contains { Self.isOurs($0) && Self.accepts($0) } }
    for chain in chains {
      let command = manager ?? chain.command
      for rule in chain.rules where Self.isOurs(rule) && Self.refuses(rule) {
        let text = rule.joined(separator: " ")
        rules.append(Obstacle(chain: chain.name, rule: text, command: command))
      }
      if chain.isFirst, chain.drops, !isAccepted {
        policies.append(Obstacle(chain: chain.name, rule: nil, command: command))
      }
    }
  }

  /// What programs that write the tables themselves want to be told.
  private static func manager(of text: String) -> String? {
    if text.contains("ufw-") { return "sudo ufw allow 5353/udp" }
    return text.contains("table inet firewalld") ? "sudo firewall-cmd --add-service=mdns" : nil
  }

  private static func words(_ line: Substring) -> [String] {
    line.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Whether a rule is about UDP port 5353.
  private static func isOurs(_ rule: [String]) -> Bool {
    let ports = ["dport", "sport", "--dport", "--sport", "--dports", "--sports"]
    return !rule.contains("tcp") && rule.contains(where: ports.contains)
      && rule.contains { $0.split(separator: ",").contains { ["5353", "mdns"].contains($0) } }
  }

  private static func accepts(_ rule: [String]) -> Bool {
    rule.contains { ["accept", "ACCEPT"].contains($0) }
  }

  private static func refuses(_ rule: [String]) -> Bool {
    rule.contains { ["drop", "reject", "DROP", "REJECT"].contains($0) }
  }
}
