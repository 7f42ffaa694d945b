import EarshotCore

extension HostFacts {
  /// Whether multicast that is sent on no certain interface goes anywhere.
  var routeFindings: [Finding] {
    guard let first = useful.first(where: \.hasIPv4), routes.interface(to: Self.group) == nil else {
      return []
    }
    return [
      Finding(
        .noRoute, .note,
        "No route leads to multicast groups; Earshot names its interfaces, other programs may find nobody.",
        mendedBy: "sudo ip route add 224.0.0.0/4 dev \(first.name)")
    ]
  }

  /// What goes into tunnels, as of virtual private networks: peers nearby are not in there.
  var tunnelFindings: [Finding] {
    let tunnels = cables.filter { $0.isTunnel && $0.isUp }.map(\.name)
    for interface in useful where !interface.isTunnel {
      let neighbours = interface.networks.flatMap(\.someHosts).filter { !$0.isLinkLocal }
      let ways = neighbours.lazy.compactMap { routes.interface(to: $0) }
      guard let tunnel = ways.first(where: tunnels.contains) else { continue }
      let isReached = sightings.contains { $0.answer == .reached && !$0.isHere }
      return [
        Finding(
          .tunnel, isReached ? .warning : .error,
          "What this host sends to its neighbours on \(interface.name) goes into the tunnel \(tunnel), as of a virtual private network.",
          mendedBy: "sudo ip link set \(tunnel) down")
      ]
    }
    guard
      let tunnel = Self.farAway.lazy.compactMap({ routes.interface(to: $0) })
        .first(where: tunnels.contains)
    else { return [] }
    let other = useful.first { !$0.isTunnel }?.name
    return [
      Finding(
        .tunnel, .warning,
        "What this host sends goes into the tunnel \(tunnel), as of a virtual private network, and answers to peers nearby may, too.",
        mendedBy: other.map { "earshot browse --interface \($0)" }
          ?? "sudo ip link set \(tunnel) down")
    ]
  }

  private static let group = IPAddress.v4(0xE000_00FB)
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
