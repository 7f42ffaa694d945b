import Earshot
import EarshotCore

extension HostFacts {
  /// A route that leads packets for neighbours away from them.
  enum Detour: Hashable {
    /// No packet goes anywhere, because of the route with a destination.
    case blocked(RoutingTables.Route)
    /// They go to an interface that is not that of the neighbours.
    case through(String, RoutingTables.Route, insteadOf: String)
  }

  /// The findings about routes for multicast without an interface, and for packets to neighbours.
  var routeFindings: [Finding] {
    for interface in useful where !interface.isTunnel && !interface.isLoopback {
      for ip in interface.networks.flatMap(\.someHosts) where !ip.isLinkLocal {
        guard let detour = detour(to: ip) else { continue }
        let isReached = sightings.contains { $0.answer == .reached && !$0.isHere }
        let what = "neighbours on \(interface.name)"
        // A detour on the way to a peer is named with that peer.
        guard !sightings.contains(where: { $0.answer != .reached && isBehind(detour, $0) }) else {
          continue
        }
        return multicastFindings + [detourFinding(detour, to: what, isReached ? .warning : .error)]
      }
    }
    return multicastFindings
  }

  private func isBehind(_ detour: Detour, _ peer: Sighting) -> Bool {
    peer.ip.flatMap { self.detour(to: $0) } == detour
  }

  private var multicastFindings: [Finding] {
    guard let first = useful.first(where: { $0.hasIPv4 && !$0.isLoopback }),
      routes.interface(to: Self.group) == nil
    else { return [] }
    return [
      Finding(
        .noRoute, .note,
        "There is no route to multicast groups. Earshot does not need one, but other programs may find no hosts.",
        mendedBy: programs.asRoot(
          firstOf: "ip route add 224.0.0.0/4 dev \(first.name)",
          "route add -net 224.0.0.0/4 dev \(first.name)", to: "add a route"))
    ]
  }

  /// The route that leads packets for an address of a neighbour away, but for tunnels, which have a
  /// finding of their own.
  func detour(to ip: IPAddress) -> Detour? {
    guard !ip.isLinkLocal,
      let own = useful.first(where: { $0.networks.contains { $0.contains(ip) } })
    else {
      // Of other networks only what blocks them is of interest.
      guard !ip.isLinkLocal, case .blocked(let route) = routes.way(to: ip) else { return nil }
      return .blocked(route)
    }
    switch routes.way(to: ip) {
    case nil: return nil
    case .blocked(let route): return .blocked(route)
    case .through(let name, let route):
      // Two interfaces of one network have routes of the same length.
      let isTheirs = own.networks.contains { $0.contains(ip) && $0.bits >= route.range.bits }
      return isTheirs || name == own.name || tunnels.contains(name)
        ? nil : .through(name, route, insteadOf: own.name)
    }
  }

  func detourFinding(_ detour: Detour, to what: String, _ severity: Finding.Severity) -> Finding {
    let (words, route): (String, RoutingTables.Route)
    switch detour {
    case .blocked(let blocking):
      (words, route) = ("are blocked by the route \"\(blocking)\"", blocking)
    case .through(let name, let leading, let other):
      (words, route) = (
        "leave on the interface \(name) instead of \(other), because of the route \"\(leading)\"",
        leading
      )
    }
    return Finding(
      .noRoute, severity, "Packets to \(what) \(words).",
      mendedBy: programs.asRoot(firstOf: route.removal, to: "remove the route \"\(route)\""))
  }

  /// The findings about tunnels, such as those of virtual private networks, which lead to no peer nearby.
  var tunnelFindings: [Finding] {
    let tunnels = tunnels
    for interface in useful where !interface.isTunnel && !interface.isLoopback {
      let seen = sightings.compactMap(\.ip).filter { ip in
        interface.networks.contains { $0.contains(ip) }
      }
      let neighbours = interface.networks.flatMap(\.someHosts) + seen
      let ways = neighbours.lazy.filter { !$0.isLinkLocal }
        .compactMap { routes.interface(to: $0) }
      guard let tunnel = ways.first(where: tunnels.contains) else { continue }
      let isReached =
        sightings.contains { $0.answer == .reached && !$0.isHere }
        && !sightings.contains { $0.answer != .reached && isInTunnel($0) }
      return [
        Finding(
          .tunnel, isReached ? .warning : .error,
          "Packets to neighbours on \(interface.name) are routed into the tunnel \(tunnel), for example of a VPN.",
          mendedBy: programs.lower(tunnel))
      ]
    }
    let unreached = sightings.filter { $0.answer != .reached && isInTunnel($0) }
    if let peer = unreached.first, let tunnel = peer.ip.flatMap({ routes.interface(to: $0) }) {
      return [
        Finding(
          .tunnel, .error,
          "Packets to \(peer.name) at \(peer.address) are routed into the tunnel \(tunnel), for example of a VPN.",
          mendedBy: programs.lower(tunnel))
      ]
    }
    guard !interfaces.contains(where: \.isChosen),
      let tunnel = Self.farAway.lazy.compactMap({ routes.interface(to: $0) })
        .first(where: tunnels.contains)
    else { return [] }
    let other = useful.first { !$0.isTunnel }?.name
    return [
      Finding(
        .tunnel, .warning,
        "By default, packets from this host are routed into the tunnel \(tunnel), for example of a VPN. Answers to peers nearby may take the same route.",
        mendedBy: other.map { "earshot browse --interface \($0)" } ?? programs.lower(tunnel))
    ]
  }

  private static let group = IPAddress.Family.v4.multicastDNSGroup
  /// Addresses in either half of the Internet of IPv4, in that of IPv6, and where multicast goes.
  private static let farAway = [
    .v4(0x0909_0909), .v4(0xC100_0001), .v6(0x2001_4860 << 32, 1, scope: 0), group,
  ]
}

extension AddressRange {
  /// The range with the lowest of its addresses, as commands take it.
  var base: String {
    switch address {
    case .v4(let bits): "\(IPAddress.v4(bits & ~Self.hosts(32 - self.bits)))/\(self.bits)"
    case .v6: "\(address.withoutScope)/\(bits)"
    }
  }

  /// Two addresses of either half of the range that may be those of other hosts.
  fileprivate var someHosts: [IPAddress] {
    switch address {
    case .v4(let own):
      let half = Self.hosts(32 - bits) ^ Self.hosts(31 - bits)
      return bits < 31 ? [.v4(own ^ 2), .v4(own ^ 2 ^ half)] : []
    case .v6(let high, let low, _):
      return bits == 64
        ? [.v6(high, low ^ 2, scope: 0), .v6(high, low ^ 2 ^ 1 << 63, scope: 0)] : []
    }
  }

  /// A word that ends with so many ones.
  private static func hosts(_ count: Int) -> UInt32 {
    count >= 32 ? .max : (1 << UInt32(max(0, count))) - 1
  }
}
