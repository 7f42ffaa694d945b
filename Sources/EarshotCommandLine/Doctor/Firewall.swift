import EarshotCore

/// The tables of a host's firewall, and their verdict on the packets of peers.
package struct Firewall: Hashable, Sendable {
  /// A rule or a policy that drops something, or may.
  package struct Obstacle: Hashable, Sendable {
    /// The chain, and the rule as its tool prints it; without a rule the chain drops what no rule
    /// accepts.
    package let chain: String
    package let rule: String?
    /// Whether it drops the traffic; otherwise it may, and nothing that is known of the traffic
    /// decides that.
    package let isCertain: Bool
    /// The command that lets the traffic through, which takes the rights of root.
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
    /// The families of addresses whose packets come through it.
    let families: Set<IPAddress.Family>
    /// The packets that come through it first, unless other chains call it.
    var hook: Traffic.Direction?
    /// The interfaces whose packets come through it; none stands for all.
    var devices: Set<String> = []
    var drops = false  // By its policy.
    var rules: [FirewallRule] = []
  }
  /// The program that changes a firewall's tables.
  enum Tool: Hashable, Sendable {
    case nft(family: String), iptables(String), ufw, firewalld
  }
  /// The place where the fate of a packet is decided.
  private struct Place: Hashable {
    let chain: Chain
    let rule: FirewallRule?
  }
  private enum Fate: Hashable {
    case accepted
    case dropped(Place)
  }
  /// The fate of some traffic in a chain.
  private enum Outcome: Hashable {
    case accepted
    case undecided(Place)
    case dropped(Place)

    var rank: Int {
      switch self {
      case .accepted: 0
      case .undecided: 1
      case .dropped: 2
      }
    }
  }
  /// The first rules that may decide, but do not for certain.
  private struct Doubts {
    var accepting: Place?
    var dropping: Place?
  }

  var chains: [Chain] = []
  var tableCount = 0
  var mayMark = false

  /// No tables, or none that could be read.
  package init() {}

  /// The obstacles to some traffic.
  ///
  /// A rule whose conditions are not all known of the traffic, such as those of its rate, leaves it
  /// undecided. Where a host has addresses of both families on an interface, those of IPv4 decide
  /// in a chain for both.
  ///
  /// - Parameters:
  ///   - traffic: The traffic; of multicast DNS also what goes out counts.
  ///   - paths: The interfaces and networks that it may pass; none if these are not known.
  ///   - network: The local network, which commands let in where traffic has no certain port.
  /// - Returns: One for each chain that the system asks about it, and that drops it or may.
  package func obstacles(
    to traffic: Traffic, over paths: [Traffic.Path] = [], from network: AddressText
  ) -> [Obstacle] {
    chains.compactMap { first in
      guard let hook = first.hook, hook == traffic.direction || traffic.isMulticast else {
        return nil
      }
      var traffic = traffic
      (traffic.direction, traffic.mayBeMarked) = (hook, mayMark)
      let outcome = outcome(of: traffic, over: paths, in: first)
      let (place, isCertain): (Place, Bool)
      switch outcome {
      case .accepted: return nil
      case .undecided(let undecided): (place, isCertain) = (undecided, false)
      case .dropped(let dropped): (place, isCertain) = (dropped, true)
      }
      return Obstacle(
        chain: place.chain.name, rule: place.rule?.text, isCertain: isCertain,
        command: place.chain.tool.command(
          admitting: traffic, from: network,
          in: place.rule.map(\.isDropping) == false ? first : place.chain))
    }
  }

  /// The gravest outcome on any interface.
  private func outcome(
    of traffic: Traffic, over paths: [Traffic.Path], in first: Chain
  ) -> Outcome {
    guard !paths.isEmpty else { return outcome(of: traffic, in: first) }
    let used = paths.filter { path in
      path.family.map(first.families.contains) ?? true
        && (first.devices.isEmpty || path.interface.map(first.devices.contains) ?? true)
    }
    var names: [String?] = []
    for path in used where !names.contains(path.interface) { names.append(path.interface) }
    return names.map { name in
      outcome(of: traffic, overOneOf: used.filter { $0.interface == name }, in: first)
    }.max { $0.rank < $1.rank } ?? .accepted
  }

  /// The outcome on one interface with several networks.
  private func outcome(
    of traffic: Traffic, overOneOf paths: [Traffic.Path], in first: Chain
  ) -> Outcome {
    func outcomes(_ paths: [Traffic.Path]) -> [Outcome] {
      paths.map { path in
        var traffic = traffic
        traffic.path = path
        return outcome(of: traffic, in: first)
      }
    }
    let four = paths.filter { $0.family == .v4 }
    let lasting = four.filter { $0.local?.isLinkLocal != true }
    // A host of IPv6 has several addresses, and one that is reached will do.
    let found =
      four.isEmpty
      ? outcomes(paths).min { $0.rank < $1.rank }
      : outcomes(lasting.isEmpty ? four : lasting).max { $0.rank < $1.rank }
    return found ?? .accepted
  }

  private func outcome(of traffic: Traffic, in first: Chain) -> Outcome {
    var doubts = Doubts()
    let end = fate(of: traffic, in: first, isSure: true, depth: 0, &doubts)
    switch end ?? (first.drops ? .dropped(Place(chain: first, rule: nil)) : .accepted) {
    case .accepted: return doubts.dropping.map { .undecided($0) } ?? .accepted
    case .dropped(let place): return doubts.accepting.map { .undecided($0) } ?? .dropped(place)
    }
  }

  /// The fate of traffic in a chain; `nil` if the chain leaves that to the one that has called it.
  private func fate(
    of traffic: Traffic, in chain: Chain, isSure: Bool, depth: Int, _ doubts: inout Doubts
  ) -> Fate? {
    var isSure = isSure
    for rule in chain.rules {
      let fit = rule.fit(to: traffic)
      guard fit > .never, let verdict = rule.verdict else { continue }
      let place = Place(chain: chain, rule: rule)
      let decides = isSure && fit == .surely
      switch verdict {
      case .accept:
        if decides { return .accepted }
        doubts.accepting = doubts.accepting ?? place
      case .drop:
        if decides { return .dropped(place) }
        doubts.dropping = doubts.dropping ?? place
      case .ask:
        doubts.dropping = doubts.dropping ?? place
        if decides { return .accepted }
      case .leave:
        if fit == .surely { return nil }
        isSure = false
        continue
      case .call(let label, let returns):
        guard depth < Self.depthMax, let called = self.chain(label, of: chain.table) else {
          doubts.dropping = doubts.dropping ?? place
          continue
        }
        let fate = fate(of: traffic, in: called, isSure: decides, depth: depth + 1, &doubts)
        if decides, let fate { return fate }
        if fit == .surely, !returns { return nil }
        continue
      }
      if fit == .surely { return nil }  // No later rule sees it.
    }
    return nil
  }

  private func chain(_ label: String, of table: Int) -> Chain? {
    chains.first { $0.table == table && $0.label == label }
  }

  private static let depthMax = 16  // As many as the system lets call each other.
}

extension FirewallRule {
  /// Whether it is a rule for what is dropped: what it is to spare is let through before it.
  fileprivate var isDropping: Bool { verdict == .drop || verdict == .ask }
}

extension Firewall.Tool {
  /// What to type to let traffic through, by its port if that is certain, or else from the local
  /// network.
  fileprivate func command(
    admitting traffic: Traffic, from network: AddressText, in chain: Firewall.Chain
  ) -> String {
    let kind = traffic.transport.rawValue
    let port = traffic.ports.count == 1 ? traffic.ports.lowerBound : nil
    let isAnswer = traffic.state == "established"
    switch self {
    case .nft(let family):
      let isSix = family == "ip6"
      let what =
        isAnswer
        ? "ct state established,related"
        : port.map { "\(kind) dport \($0)" }
          ?? "\(isSix ? "ip6" : "ip") saddr \(network.text(isSix: isSix)) meta l4proto \(kind)"
      return "nft insert rule \(chain.name) \(what) accept"
    case .iptables(let name):
      let isSix = name.hasPrefix("ip6")
      let what =
        isAnswer
        ? "-m conntrack --ctstate ESTABLISHED,RELATED"
        : port.map { "-p \(kind) --dport \($0)" }
          ?? "-s \(network.text(isSix: isSix)) -p \(kind)"
      return "\(name) -I \(chain.label) \(what) -j ACCEPT"
    case .ufw:
      if traffic.direction == .outbound, let port { return "ufw allow out \(port)/\(kind)" }
      return port.map { "ufw allow \($0)/\(kind)" }
        ?? "ufw allow proto \(kind) from \(network.text(isSix: false))"
    case .firewalld:
      if traffic.isMulticast { return "firewall-cmd --add-service=mdns" }
      return port.map { "firewall-cmd --add-port=\($0)/\(kind)" }
        ?? "firewall-cmd --add-rich-rule='rule family=ipv4 source "
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
