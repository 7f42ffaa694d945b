/// What the tables of a host's firewall do with what peers send.
package struct Firewall: Hashable, Sendable {
  /// A rule or a policy that drops something.
  package struct Obstacle: Hashable, Sendable {
    /// The chain, and the rule as its tool prints it; without a rule the chain drops what no rule accepts.
    package let chain: String
    package let rule: String?
    /// What lets it through.
    package let command: String
  }
  /// A chain of rules.
  struct Chain: Hashable, Sendable {
    /// What its tool calls it, after the name of the tool itself for `iptables`.
    let name: String
    /// What other chains of its table call it.
    let label: String
    let table: Int
    let tool: Tool
    /// What packets come through it first, unless other chains call it.
    var hook: Hook?
    var drops = false  // By its policy.
    var rules: [FirewallRule] = []
  }
  /// Where packets come through a chain.
  enum Hook: Hashable, Sendable {
    case inbound, outbound
  }
  /// What changes a firewall's tables.
  enum Tool: Hashable, Sendable {
    case nft(family: String), iptables(String), ufw, firewalld
  }
  private enum Fate {
    case accepted
    case dropped(Chain, FirewallRule?)
  }

  var chains: [Chain] = []
  var tableCount = 0

  /// No tables, or none that could be read.
  package init() {}

  /// What drops some traffic.
  ///
  /// A rule that speaks of more than is known of the traffic, such as of where it comes from, may let it through, and
  /// is not taken to drop it.
  ///
  /// - Parameters:
  ///   - traffic: What comes in; of multicast DNS also what goes out.
  ///   - network: The local network, which commands let in where traffic has no certain port.
  /// - Returns: One for each chain that the system asks about it, and that drops it.
  package func obstacles(to traffic: Traffic, from network: AddressText) -> [Obstacle] {
    let asked = chains.filter {
      $0.hook == .inbound || $0.hook == .outbound && traffic.isMulticast
    }
    return asked.compactMap { first in
      let fate =
        fate(of: traffic, in: first, depth: 0) ?? (first.drops ? .dropped(first, nil) : .accepted)
      guard case .dropped(let chain, let rule) = fate else { return nil }
      return Obstacle(
        chain: chain.name, rule: rule?.text,
        command: chain.tool.command(admitting: traffic, from: network, in: chain))
    }
  }

  /// What becomes of traffic in a chain; `nil` if the chain leaves that to the one that has called it.
  private func fate(of traffic: Traffic, in chain: Chain, depth: Int) -> Fate? {
    for rule in chain.rules {
      let fit = rule.fit(to: traffic)
      guard fit > .never, let verdict = rule.verdict else { continue }
      switch verdict {
      case .accept: return .accepted
      case .drop: if fit == .surely { return .dropped(chain, rule) }
      case .leave: if fit == .surely { return nil }
      case .call(let label, let returns):
        guard depth < Self.depthMax, let called = self.chain(label, of: chain.table) else { break }
        switch fate(of: traffic, in: called, depth: depth + 1) {
        case .accepted: return .accepted
        case .dropped(let chain, let rule): if fit == .surely { return .dropped(chain, rule) }
        case nil: if fit == .surely, !returns { return nil }
        }
      }
    }
    return nil
  }

  private func chain(_ label: String, of table: Int) -> Chain? {
    chains.first { $0.table == table && $0.label == label }
  }

  private static let depthMax = 16  // As many as the system lets call each other.
}

extension Firewall.Tool {
  /// What to type to let traffic through, by its port if that is certain, or else from the local network.
  fileprivate func command(
    admitting traffic: Traffic, from network: AddressText, in chain: Firewall.Chain
  ) -> String {
    let kind = traffic.transport.rawValue
    let port = traffic.ports.count == 1 ? traffic.ports.lowerBound : nil
    switch self {
    case .nft(let family):
      let isSix = family == "ip6"
      let what =
        port.map { "\(kind) dport \($0)" }
        ?? "\(isSix ? "ip6" : "ip") saddr \(network.text(isSix: isSix)) meta l4proto \(kind)"
      return "sudo nft insert rule \(chain.name) \(what) accept"
    case .iptables(let name):
      let isSix = name.hasPrefix("ip6")
      let what =
        port.map { "-p \(kind) --dport \($0)" }
        ?? "-s \(network.text(isSix: isSix)) -p \(kind)"
      return "sudo \(name) -I \(chain.label) \(what) -j ACCEPT"
    case .ufw:
      return port.map { "sudo ufw allow \($0)/\(kind)" }
        ?? "sudo ufw allow proto \(kind) from \(network.text(isSix: false))"
    case .firewalld:
      if traffic.isMulticast { return "sudo firewall-cmd --add-service=mdns" }
      return port.map { "sudo firewall-cmd --add-port=\($0)/\(kind)" }
        ?? "sudo firewall-cmd --add-rich-rule='rule family=ipv4 source "
        + "address=\(network.text(isSix: false)) protocol value=\(kind) accept'"
    }
  }
}

/// The addresses of the local network, as commands take them.
package struct AddressText: Hashable, Sendable {
  /// Those of IPv4, such as `10.0.0.0/24`.
  package var v4: String
  /// Those of IPv6.
  package var v6: String

  /// Addresses as text; by default those of private networks, and those that hold on one link.
  package init(v4: String = "192.168.0.0/16", v6: String = "fe80::/10") {
    (self.v4, self.v6) = (v4, v6)
  }

  func text(isSix: Bool) -> String { isSix ? v6 : v4 }
}
