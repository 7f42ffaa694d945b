import EarshotCore

extension Firewall {
  /// Takes what `nft list ruleset` prints.
  package mutating func read(nft text: String) {
    let manager = Self.manager(of: text)
    mayMark = mayMark || text.contains("mark set")
    let lines = text.split(separator: "\n")
    let sets = Self.sets(in: lines)
    var (table, current, nesting) = ("", Int?.none, 0)
    for line in lines {
      var words = Words(line)
      let isEnd = words.first == "}"
      if nesting > 0 {  // A chain within a rule, which is not read.
        nesting += isEnd ? -1 : words.rest.last == "{" ? 1 : 0
        continue
      }
      switch words.next() {
      case "table":
        tableCount += 1
        (table, current) = (words.rest.prefix(2).joined(separator: " "), nil)
      case "chain":
        current = chains.count
        chains.append(chain(words.next() ?? "", of: table, manager))
      case "set", "map", "flowtable", "}": current = nil
      case "type":
        guard let current, words.next() == "filter" else { break }
        chains[current].hook = Self.hook(words.rest)
        chains[current].drops = words.rest.suffix(2) == ["policy", "drop;"]
        if words.rest.contains(where: { $0.hasPrefix("device") }) {
          words.skip(to: ["device", "devices"])
          _ = (words.next(), words.take("="))
          chains[current].devices = Set(words.values())
        }
      case nil: break
      case let word? where word.hasPrefix("#"): break
      default:
        guard let current else { break }
        if words.rest.last == "{" {
          nesting = 1
          chains[current].rules.append(FirewallRule(opaque: line))
        } else {
          chains[current].rules += NFTRuleReader.rules(in: line, of: table, sets)
        }
      }
    }
  }

  private func chain(_ label: String, of table: String, _ manager: Tool?) -> Chain {
    let family = table.split(separator: " ").first.map(String.init) ?? ""
    let families: Set<IPAddress.Family>
    switch family {
    case "ip": families = [.v4]
    case "ip6": families = [.v6]
    case "arp": families = []
    default: families = [.v4, .v6]
    }
    return Chain(
      name: "\(table) \(label)", label: label, table: tableCount,
      tool: manager ?? .nft(family: family), families: families)
  }

  /// The sets and maps of all tables, by the names of table and set.
  private static func sets(in lines: [Substring]) -> [String: NamedSet] {
    var sets: [String: NamedSet] = [:]
    var (table, name) = ("", String?.none)
    var inner: [Substring] = []
    for line in lines {
      var words = Words(line)
      switch words.next() {
      case "table": table = words.rest.prefix(2).joined(separator: " ")
      case "set" where name == nil, "map" where name == nil: name = words.next()
      case "}":
        if let name { sets["\(table) \(name)"] = NamedSet(lines: inner) }
        (name, inner) = (nil, [])
      default: if name != nil { inner.append(line) }
      }
    }
    return sets
  }

  /// Takes what `iptables-save`, or its like of the given name, prints.
  package mutating func read(_ tool: String, _ text: String) {
    let manager = Self.manager(of: text)
    mayMark = mayMark || text.contains("-j MARK ") || text.contains("-j CONNMARK ")
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
          tool: manager ?? .iptables(tool), families: tool.hasPrefix("ip6") ? [.v6] : [.v4])
        chain.hook = table == "nat" ? nil : Self.hook([label.lowercased()])
        chain.drops = policy == "DROP"
        chains.append(chain)
      } else if first == "-A", let label = words.next() {
        let place = chains.lastIndex { $0.table == tableCount && $0.label == label }
        if let place { chains[place].rules.append(FirewallRule(iptables: line, words)) }
      }
    }
  }

  private static func hook(_ words: [String]) -> Traffic.Direction? {
    if words.contains("output") || words.contains("postrouting") { return .outbound }
    return ["input", "prerouting", "ingress"].contains { words.contains($0) } ? .inbound : nil
  }

  /// A program that writes the tables itself, and whose own commands change them.
  private static func manager(of text: String) -> Tool? {
    if text.contains("ufw-") { return .ufw }
    return text.contains("table inet firewalld") ? .firewalld : nil
  }
}

extension FirewallRule {
  /// A rule that cannot be read, and may drop anything.
  fileprivate init(opaque line: Substring) {
    self.init(line.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    (conditions, verdict) = ([.some], .drop)
  }
}
