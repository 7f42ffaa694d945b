import Earshot
import EarshotCore

extension HostFacts {
  /// The obstacles between this host and the peers that it found, or that a ticket names.
  ///
  /// A cause on this host comes before one on the remote host; a tunnel has its own finding.
  var peerFindings: [Finding] {
    var found: [Finding] = []
    for peer in sightings {
      switch peer.answer {
      case .reached: found += peer.isSeen ? [] : [unseenFinding(of: peer)].compactMap(\.self)
      case .refused, .silent:
        guard !isInTunnel(peer) else { continue }
        found += ownFindings(about: peer) ?? [remoteFinding(of: peer)]
      }
    }
    var seen: Set<Finding> = []
    return found.filter { seen.insert($0).inserted }
  }

  /// The findings about identities that several hosts announce.
  var cloneFindings: [Finding] {
    clones.map {
      Finding(
        .sharedIdentity, .warning,
        PeerExplanation.contest(of: $0.name, at: $0.addresses)
          + " Possible cause: the disk of one is a copy of the other's.",
        mendedBy: Finding.anotherIdentity)
    }
  }

  /// Whether packets to a peer go into a tunnel.
  func isInTunnel(_ peer: Sighting) -> Bool {
    guard let ip = peer.ip, !ip.isLinkLocal, case .through(let name, _) = routes.way(to: ip) else {
      return false
    }
    return tunnels.contains(name)
  }

  /// The interfaces with a single other end that are up.
  var tunnels: [String] { interfaces.filter { $0.isTunnel && $0.isUp }.map(\.name) }

  /// The routes and the rules of this host that keep it from a peer; `nil` if it has none.
  private func ownFindings(about peer: Sighting) -> [Finding]? {
    guard let ip = peer.ip, !peer.isHere else { return nil }
    if let finding = detour(to: ip).map({ detourFinding($0, to: peer.address, .error) }) {
      return [finding]
    }
    let path = path(to: ip)
    let obstacles = [Traffic.dials(to: peer.port), .answers(from: peer.port)].flatMap {
      firewall.obstacles(to: $0, over: [path], from: network)
    }
    guard !obstacles.isEmpty else { return nil }
    return obstacles.map {
      Finding(
        .firewall, .error,
        $0.sentence(
          "connections to \(peer.name) at \(peer.address), TCP port \(peer.port)",
          "this host cannot reach the peer"),
        mendedBy: programs.asRoot($0.command))
    }
  }

  private func path(to ip: IPAddress) -> Traffic.Path {
    let direct = useful.first { $0.networks.contains { $0.contains(ip) } }
    var path = Traffic.Path()
    if case .through(let name, _) = routes.way(to: ip), !ip.isLinkLocal {
      path.interface = name
    } else {
      path.interface = direct?.name
    }
    path.local = direct?.networks.first { $0.contains(ip) }?.address
    path.remote = AddressRange(ip, bits: ip.family == .v4 ? 32 : 128)
    return path
  }

  private func isOnLink(_ peer: Sighting) -> Bool {
    guard let ip = peer.ip else { return false }
    return ip.isLinkLocal || useful.contains { $0.networks.contains { $0.contains(ip) } }
  }

  /// The finding about a peer that answers but that multicast does not find.
  private func unseenFinding(of peer: Sighting) -> Finding? {
    guard !peer.isHere else { return nil }
    guard isOnLink(peer) else {
      return Finding(
        .isolated, .note,
        "\(peer.name) answers at \(peer.address), which is in another network. Multicast DNS does not reach other networks.",
        mendedBy: "invite the peer by its ticket: earshot ping --ticket, earshot chat --ticket")
    }
    guard hearingFindings.isEmpty else { return nil }  // Multicast DNS finds no peer at all.
    return Finding(
      .isolated, .warning,
      "\(peer.name) answers at \(peer.address), TCP port \(peer.port), but multicast DNS does not find it. "
        + "Possible causes: the access point blocks multicast between its clients (client isolation), or the peer does not advertise.",
      mendedBy:
        "switch off client isolation at the access point, or invite the peer by its ticket: "
        + "earshot ping --ticket, earshot chat --ticket")
  }

  private func remoteFinding(of peer: Sighting) -> Finding {
    let origin = peer.isSeen ? "found by multicast DNS" : "known from a ticket"
    let destination = "\(peer.name), \(origin), at \(peer.address), TCP port \(peer.port)"
    let there =
      "on the host of the peer: start the peer with --port \(peer.port), and run: "
      + "earshot doctor --port \(peer.port)"
    if peer.answer == .refused {
      return Finding(
        .unreachable, .error,
        "Connections to \(destination), are refused. "
          + "Possible causes: a firewall on its host, or the peer has stopped.", mendedBy: there)
    }
    if peer.isSeen || peer.answersOnLink == true || !isOnLink(peer) {
      return Finding(
        .unreachable, .error,
        "Connections to \(destination), are not answered. "
          + "Possible causes: a firewall on its host, or an access point that isolates its clients (client isolation).",
        mendedBy: there)
    }
    let silence =
      peer.answersOnLink == false
      ? "Its host does not answer on this link either" : "Multicast DNS does not find it either"
    return Finding(
      .isolated, .error,
      "Connections to \(destination), are not answered. \(silence). "
        + "Possible causes: client isolation (an access point or a switch that isolates its clients, as in a guest network), "
        + "or the peer has stopped or has another address now.",
      mendedBy: "switch off client isolation at the access point, or use another network; "
        + "on the host of the peer: earshot doctor --port \(peer.port)")
  }
}
