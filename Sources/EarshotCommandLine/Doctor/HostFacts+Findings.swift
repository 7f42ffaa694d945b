import EarshotCore

extension HostFacts {
  /// What is in the way, the gravest first.
  package var findings: [Finding] {
    let found =
      interfaceFindings + portFindings + hearingFindings + firewallFindings + routeFindings
      + tunnelFindings + addressFindings + containerFindings + clockFindings + peerFindings
    return found.enumerated()
      .sorted { ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset) }
      .map(\.element)
  }

  /// Those that lead to other hosts.
  var cables: [Interface] { interfaces.filter { !$0.isLoopback } }

  /// Those that discovery uses.
  var useful: [Interface] {
    cables.filter { $0.isUp && $0.carriesMulticast && $0.hasAddress }
  }

  private var interfaceFindings: [Finding] {
    var found: [Finding] = []
    if useful.isEmpty {
      let first = cables.first { !$0.isUp }?.name ?? cables.first?.name ?? "eth0"
      found.append(
        Finding(
          .noInterface, .error,
          "No network interface that leads to other hosts is up, has an address and carries multicast.",
          mendedBy: "sudo ip link set \(first) up multicast on && sudo dhclient \(first)"))
    } else {
      found += cables.filter { !$0.isUp }.map {
        Finding(
          .interfaceDown, .note, "The network interface \($0.name) is down or has no signal.",
          mendedBy: "sudo ip link set \($0.name) up")
      }
    }
    found += cables.filter { $0.isUp && !$0.carriesMulticast && !$0.isTunnel }.map {
      Finding(
        .noMulticast, useful.isEmpty ? .error : .warning,
        "The network interface \($0.name) carries no multicast, so nobody is discovered there.",
        mendedBy: "sudo ip link set \($0.name) multicast on")
    }
    found += cables.filter {
      $0.isUp && $0.carriesMulticast && !$0.hasAddress && !$0.isTunnel
    }.map {
      Finding(
        .noAddress, useful.isEmpty ? .error : .note,
        "The network interface \($0.name) is up and has no address, so nobody is discovered there.",
        mendedBy: "sudo dhclient \($0.name)")
    }
    return found
  }

  private var portFindings: [Finding] {
    switch problem {
    case .portTaken:
      let holder = portHolders.first
      let who = holder?.words ?? "Another program"
      return [
        Finding(
          .portTaken, .error,
          "\(who) holds UDP port 5353 for itself alone, and discovery needs a share of it.",
          mendedBy: holder?.stopCommand ?? "sudo ss -ulpn 'sport = :5353'")
      ]
    case .portUnavailable:
      return [
        Finding(
          .portUnavailable, .error, "The system refuses UDP port 5353, which discovery needs.",
          mendedBy: "sudo ss -ulpn 'sport = :5353'")
      ]
    case .onlyIPv4:
      let holder = portHoldersV6.first
      let who = holder?.words ?? "Another program"
      return [
        Finding(
          .portTaken, .warning,
          "\(who) holds UDP port 5353 of IPv6 for itself alone, so peers that have no IPv4 address are not met.",
          mendedBy: holder?.stopCommand ?? "sudo ss -6ulpn 'sport = :5353'")
      ]
    default:
      return portHolders.map {
        Finding(
          .responder, .note,
          "\($0.words) answers multicast DNS on this host, too; both share the port.",
          mendedBy: $0.stopCommand)
      }
    }
  }

  private var addressFindings: [Finding] {
    useful.filter { !$0.hasIPv6 && !$0.isTunnel }.map {
      Finding(
        .noIPv6, .note,
        "The network interface \($0.name) has no IPv6 address; peers that have no IPv4 address are not met there.",
        mendedBy: "sudo sysctl net.ipv6.conf.\($0.name).disable_ipv6=0")
    }
  }

  private var containerFindings: [Finding] {
    guard isContainer else { return [] }
    let isAlone = sightings.allSatisfy(\.isHere)
    return [
      Finding(
        .container, isAlone ? .warning : .note,
        "This is a container, and unless it shares the network of its host, multicast seldom leaves it; "
          + "peers that are seen may all be on the same computer.",
        mendedBy: "docker run --network host")
    ]
  }

  private var peerFindings: [Finding] {
    sightings.filter { $0.answer != .reached }.map { peer in
      let what =
        peer.answer == .refused
        ? "refuses connections to" : "does not answer connections to"
      return Finding(
        .unreachable, .error,
        "\(peer.name) is seen, and \(what) \(peer.address), TCP port \(peer.port): its firewall, or a network that keeps its guests apart.",
        mendedBy:
          "on its host: sudo nft insert rule inet filter input tcp dport \(peer.port) accept")
    }
  }
}
