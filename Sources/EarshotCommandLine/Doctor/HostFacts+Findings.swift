import EarshotCore

extension HostFacts {
  /// The obstacles, the gravest first, and last the one of the peer that was asked for.
  package var findings: [Finding] {
    let found =
      interfaceFindings + portFindings + hearingFindings + firewallFindings + routeFindings
      + tunnelFindings + addressFindings + containerFindings + clockFindings + peerFindings
      + cloneFindings
    let sorted = found.enumerated()
      .sorted { ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset) }
      .map(\.element)
    // An obstacle of this host may be what keeps the peer away.
    let remedy = sorted.first { $0.severity == .error }?.command
    let target = target?.mended(by: remedy ?? "on the host of the peer: earshot doctor")
    return sorted + [target].compactMap(\.self)
  }

  /// The interfaces that the user chose; by default all except loopback.
  var cables: [Interface] {
    let chosen = interfaces.filter(\.isChosen)
    return chosen.isEmpty ? interfaces.filter { !$0.isLoopback } : chosen
  }

  /// The interfaces that discovery uses.
  var useful: [Interface] {
    cables.filter { $0.isUp && $0.carriesMulticast && $0.hasAddress }
  }

  private var interfaceFindings: [Finding] {
    var found: [Finding] = []
    let down = cables.filter { !$0.isUp }
    if useful.isEmpty {
      let which = interfaces.contains(where: \.isChosen) ? "of --interface" : "other than loopback"
      let first = down.first ?? cables.first { !$0.isTunnel }
      found.append(
        Finding(
          .noInterface, .error,
          "No network interface \(which) is up, has an address and supports multicast.",
          mendedBy: first.map(mendingCommand) ?? listingCommand))
    } else {
      found += down.map {
        Finding(
          .interfaceDown, .note, "The network interface \($0.name) is down or has no signal.",
          mendedBy: mendingCommand($0))
      }
    }
    found += cables.filter { $0.isUp && !$0.carriesMulticast && !$0.isTunnel }.map {
      Finding(
        .noMulticast, useful.isEmpty ? .error : .warning,
        "Multicast is disabled on the network interface \($0.name), so no peer is discovered there.",
        mendedBy: programs.allowMulticast(on: $0.name))
    }
    found += cables.filter {
      $0.isUp && $0.carriesMulticast && !$0.hasAddress && !$0.isTunnel
    }.map {
      Finding(
        .noAddress, useful.isEmpty ? .error : .note,
        "The network interface \($0.name) is up but has no address, so no peer is discovered there.",
        mendedBy: programs.address($0.name))
    }
    return found
  }

  /// The command for the first thing that is wrong with an interface.
  private func mendingCommand(_ interface: Interface) -> String {
    if !interface.isEnabled { return programs.raise(interface.name) }
    if !interface.isUp {
      return programs.has("nmcli")
        ? programs.asRoot("nmcli device connect \(interface.name)")
        : "plug in the cable of \(interface.name), or join a wireless network with it"
    }
    return interface.carriesMulticast
      ? programs.address(interface.name) : programs.allowMulticast(on: interface.name)
  }

  private var listingCommand: String {
    programs.has("ip") ? "ip -brief link" : "ls /sys/class/net"
  }

  private var portFindings: [Finding] {
    switch problem {
    case .portTaken:
      let holder = portHolders.first { !$0.isEarshot }
      let program = holder?.words ?? "Another program"
      return [
        Finding(
          .portTaken, .error,
          "\(program) holds UDP port 5353 exclusively, so discovery cannot share it.",
          mendedBy: holder?.stopCommand(programs) ?? programs.portHolders())
      ]
    case .portUnavailable:
      return [
        Finding(
          .portUnavailable, .error, "The system refuses UDP port 5353, which discovery needs.",
          mendedBy: programs.portHolders())
      ]
    case .onlyIPv4:
      let holder = portHoldersV6.first { !$0.isEarshot }
      let program = holder?.words ?? "Another program"
      return [
        Finding(
          .portTaken, .warning,
          "\(program) holds UDP port 5353 of IPv6 exclusively, so peers without an IPv4 address are not discovered.",
          mendedBy: holder?.stopCommand(programs) ?? programs.portHolders(isSix: true))
      ]
    default:
      // Another earshot of this host shares the port as this one does.
      return portHolders.filter { !$0.isEarshot }.map {
        Finding(
          .responder, .note,
          "\($0.words) also answers multicast DNS on this host; it shares UDP port 5353 with Earshot.",
          mendedBy: $0.stopCommand(programs))
      }
    }
  }

  private var addressFindings: [Finding] {
    useful.filter { !$0.hasIPv6 && !$0.isTunnel && !$0.isLoopback }.map {
      Finding(
        .noIPv6, .note,
        "The network interface \($0.name) has no IPv6 address, so peers without an IPv4 address are not discovered there.",
        mendedBy: programs.renewIPv6($0.name))
    }
  }

  private var containerFindings: [Finding] {
    guard isContainer, useful.isEmpty || useful.contains(where: { !$0.isLoopback }) else {
      return []
    }
    let isAlone = sightings.allSatisfy(\.isHere)
    return [
      Finding(
        .container, isAlone ? .warning : .note,
        "This is a container. Multicast rarely leaves a container that does not share the network of its host, "
          + "so all peers that are found may be on this computer.",
        mendedBy: "on its host: start it again with --network host")
    ]
  }
}
