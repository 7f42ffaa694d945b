import EarshotCore

extension HostFacts {
  /// What keeps this host from the peers that it sees, or that a ticket names.
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
        $0.sentence("connections to \(peer.name) at \(peer.address), TCP port \(peer.port)"),
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

  /// A peer that answers, and that multicast does not find.
  private func unseenFinding(of peer: Sighting) -> Finding? {
    guard !peer.isHere else { return nil }
    guard isOnLink(peer) else {
      return Finding(
        .isolated, .note,
        "\(peer.name) answers at \(peer.address) and is in another network, which multicast DNS does not get to.",
        mendedBy: "invite it by its ticket: earshot ping --ticket, earshot chat --ticket")
    }
    guard hearingFindings.isEmpty else { return nil }  // This host hears no peer at all.
    return Finding(
      .isolated, .warning,
      "\(peer.name) answers at \(peer.address), TCP port \(peer.port), and multicast DNS does not find it: "
        + "the access point may keep multicast from going between its clients (client isolation), or the peer does not advertise.",
      mendedBy: "switch client isolation off at the access point, or invite it by its ticket: "
        + "earshot ping --ticket, earshot chat --ticket")
  }

  private func remoteFinding(of peer: Sighting) -> Finding {
    let place = "\(peer.address), TCP port \(peer.port)"
    let there =
      "on its host: start its peer with --port \(peer.port), and run: "
      + "earshot doctor --port \(peer.port)"
    if peer.answer == .refused {
      return Finding(
        .unreachable, .error,
        "\(peer.name) \(peer.isSeen ? "is seen, and" : "is known from a ticket;") its host refuses connections to \(place): "
          + "its firewall, or a peer that has ended.", mendedBy: there)
    }
    if peer.isSeen || peer.answersOnLink == true || !isOnLink(peer) {
      return Finding(
        .unreachable, .error,
        "\(peer.name) is \(peer.isSeen ? "seen" : "known from a ticket"), and does not answer connections to \(place): "
          + "its firewall, or an access point that keeps its clients apart (client isolation).",
        mendedBy: there)
    }
    let silence =
      peer.answersOnLink == false
      ? "not even its host answers on this link" : "nothing of it is seen or answers"
    return Finding(
      .isolated, .error,
      "This host and \(peer.name), known from a ticket, cannot reach each other at \(place): \(silence). "
        + "A possible cause is client isolation, with which an access point or a switch keeps its clients apart, "
        + "as in a network for guests; others are that the peer has ended or has another address now.",
      mendedBy: "switch client isolation off at the access point, or use another network; "
        + "on the peer's host: earshot doctor --port \(peer.port)")
  }
}
