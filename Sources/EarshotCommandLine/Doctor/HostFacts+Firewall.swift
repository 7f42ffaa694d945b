import EarshotCore

extension HostFacts {
  /// The addresses of the first network with peers, as commands take them.
  private var network: AddressText {
    let networks = useful.flatMap(\.networks)
    let first = networks.first { $0.address.family == .v4 && !$0.address.isLinkLocal }
    return first.map { AddressText(v4: $0.base) } ?? AddressText()
  }

  /// Whether this host hears what it sends to the group of multicast DNS, and what does not let it.
  var hearingFindings: [Finding] {
    let isDeaf = hearsItself == false
    let found = firewall.obstacles(to: .multicastDNS, from: network).map { obstacle in
      Finding(
        .firewall, isDeaf ? .error : .warning,
        obstacle.sentence("multicast DNS, which finds peers"), mendedBy: obstacle.command)
    }
    guard isDeaf, problem == nil, !useful.isEmpty, found.isEmpty else { return found }
    return [
      Finding(
        .deaf, .error,
        "A packet to 224.0.0.251 or ff02::fb, UDP port 5353, does not come back to this host, which a firewall is the usual cause of.",
        mendedBy: "sudo nft list ruleset")
    ]
  }

  /// What the firewall keeps from peers of this host that others have found.
  var firewallFindings: [Finding] {
    let port =
      peerPorts.count == 1
      ? "port \(peerPorts.lowerBound)" : "the ports that peers are given (--port N chooses one)"
    return firewall.obstacles(to: .links(to: peerPorts), from: network).map { obstacle in
      Finding(
        .firewall, .warning,
        obstacle.sentence(
          "connections to TCP \(port), so that peers of this host cannot be dialled"),
        mendedBy: obstacle.command)
    }
      + firewall.obstacles(to: .datagrams(to: peerPorts), from: network).map { obstacle in
        Finding(
          .firewall, .note,
          obstacle.sentence(
            "datagrams to UDP \(port), so that unreliable messages may take the link"),
          mendedBy: obstacle.command)
      }
  }
}

extension Firewall.Obstacle {
  /// What it does, to what.
  fileprivate func sentence(_ what: String) -> String {
    let how = rule.map { "\(chain): \($0)" } ?? "\(chain), which drops what no rule accepts"
    return "The firewall drops \(what) (\(how))."
  }
}
