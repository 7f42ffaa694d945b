import EarshotCore

extension HostFacts {
  /// The addresses of the first network with peers, as commands take them.
  var network: AddressText {
    let networks = useful.flatMap(\.networks)
    let first = networks.first { $0.address.family == .v4 && !$0.address.isLinkLocal }
    return first.map { AddressText(v4: $0.base) } ?? AddressText()
  }

  /// The interfaces and networks that packets of peers may pass.
  private var paths: [Traffic.Path] {
    useful.filter { !$0.isTunnel }.flatMap { interface in
      interface.networks.map { Traffic.Path(interface.name, $0) }
    }
  }

  /// Whether this host hears what it sends to the group of multicast DNS, and what does not let it.
  var hearingFindings: [Finding] {
    let isDeaf = hearsItself == false
    let found = firewall.obstacles(to: .multicastDNS, over: paths, from: network).map { obstacle in
      Finding(
        .firewall, isDeaf ? .error : .warning,
        obstacle.sentence("multicast DNS, which finds peers"),
        mendedBy: programs.asRoot(obstacle.command))
    }
    guard isDeaf, problem == nil, !useful.isEmpty, found.isEmpty else { return found }
    return [
      Finding(
        .deaf, .error,
        "A packet to 224.0.0.251 or ff02::fb, UDP port 5353, does not come back to this host; a firewall is the usual cause.",
        mendedBy: programs.listRules)
    ]
  }

  /// What the firewall keeps from peers of this host that others have found.
  var firewallFindings: [Finding] {
    let port =
      peerPorts.count == 1
      ? "port \(peerPorts.lowerBound)" : "the ports that peers are given (--port N chooses one)"
    let links = firewall.obstacles(to: .links(to: peerPorts), over: paths, from: network)
    let datagrams = firewall.obstacles(to: .datagrams(to: peerPorts), over: paths, from: network)
      .filter { other in  // A rule that leaves both undecided is quoted once.
        !links.contains { !$0.isCertain && ($0.chain, $0.rule) == (other.chain, other.rule) }
      }
    return unreadFindings
      + links.map { obstacle in
        Finding(
          .firewall, .warning,
          obstacle.sentence(
            "connections to TCP \(port), so that peers of this host cannot be dialled"),
          mendedBy: programs.asRoot(obstacle.command))
      }
      + datagrams.map { obstacle in
        Finding(
          .firewall, .note,
          obstacle.sentence(
            "datagrams to UDP \(port), so that unreliable messages may take the link"),
          mendedBy: programs.asRoot(obstacle.command))
      }
  }

  private var unreadFindings: [Finding] {
    isFirewallRead
      ? []
      : [
        Finding(
          .firewall, .note,
          "The rules of the firewall cannot be read by this user, so they may still keep peers apart.",
          mendedBy: programs.asRoot("earshot doctor"))
      ]
  }
}

extension Firewall.Obstacle {
  /// What it does, or may do, to what.
  func sentence(_ what: String) -> String {
    let how = rule.map { "\(chain): \($0)" } ?? "\(chain), which drops what no rule accepts"
    guard isCertain else {
      return "The firewall may drop \(what); whether it does depends on the rule: \(how)."
    }
    return "The firewall drops \(what) (\(how))."
  }
}
