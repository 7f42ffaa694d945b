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

  /// The findings about multicast DNS: rules that drop it, and packets that do not return.
  var hearingFindings: [Finding] {
    let isDeaf = hearsItself == false
    let found = firewall.obstacles(to: .multicastDNS, over: paths, from: network).map { obstacle in
      Finding(
        .firewall, isDeaf ? .error : .warning,
        obstacle.sentence("multicast DNS", "peers may not be discovered"),
        mendedBy: programs.asRoot(obstacle.command))
    }
    guard isDeaf, problem == nil, !useful.isEmpty, found.isEmpty else { return found }
    return [
      Finding(
        .deaf, .error,
        "Packets to 224.0.0.251 or ff02::fb, UDP port 5353, do not return to this host. The usual cause is a firewall.",
        mendedBy: programs.listRules)
    ]
  }

  /// The rules that drop packets from remote peers that have found a peer of this host.
  var firewallFindings: [Finding] {
    func ports(_ transport: String) -> String {
      peerPorts.count == 1
        ? "\(transport) port \(peerPorts.lowerBound)"
        : "the \(transport) ports of peers (--port N chooses one)"
    }
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
            "connections to \(ports("TCP"))", "remote peers cannot connect to peers of this host"),
          mendedBy: programs.asRoot(obstacle.command))
      }
      + datagrams.map { obstacle in
        Finding(
          .firewall, .note,
          obstacle.sentence(
            "datagrams to \(ports("UDP"))", "unreliable messages may be sent over TCP instead"),
          mendedBy: programs.asRoot(obstacle.command))
      }
  }

  private var unreadFindings: [Finding] {
    isFirewallRead
      ? []
      : [
        Finding(
          .firewall, .note,
          "This user cannot read the rules of the firewall, so a rule may still keep peers apart.",
          mendedBy: programs.asRoot("earshot doctor"))
      ]
  }
}

extension Firewall.Obstacle {
  /// The sentence about packets that the firewall drops, or may drop, and the effect of that.
  func sentence(_ packets: String, _ effect: String) -> String {
    let place = rule.map { "\(chain): \($0)" } ?? "default policy of \(chain)"
    return isCertain
      ? "The firewall drops \(packets) (\(place)), so \(effect)."
      : "The firewall may drop \(packets), depending on a rule (\(place)). If it does, \(effect)."
  }
}
