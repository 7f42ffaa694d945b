import EarshotCore

/// What peers send that a firewall may drop.
package struct Traffic: Hashable, Sendable {
  /// What carries it.
  package enum Transport: String, Hashable, Sendable { case tcp, udp }

  let transport: Transport
  /// The ports that it goes to, any of these.
  let ports: ClosedRange<UInt16>
  /// The ports that it comes from, any of these.
  let sourcePorts: ClosedRange<UInt16>
  let isMulticast: Bool

  /// What finds peers.
  package static let multicastDNS = Traffic(
    transport: .udp, ports: 5_353...5_353, sourcePorts: 5_353...5_353, isMulticast: true)

  /// The first packets of links to some ports.
  package static func links(to ports: ClosedRange<UInt16>) -> Traffic {
    Traffic(transport: .tcp, ports: ports, sourcePorts: ephemeral, isMulticast: false)
  }

  /// The first of the datagrams that carry unreliable messages.
  package static func datagrams(to ports: ClosedRange<UInt16>) -> Traffic {
    Traffic(transport: .udp, ports: ports, sourcePorts: ephemeral, isMulticast: false)
  }

  /// The ports that Linux chooses from, unless it is told otherwise.
  package static let ephemeral: ClosedRange<UInt16> = 32_768...60_999
}

/// A rule of a firewall: what it speaks of, and what becomes of that.
struct FirewallRule: Hashable, Sendable {
  /// Something that a packet has to be for the rule to speak of it.
  enum Condition: Hashable, Sendable {
    case transport(Set<String>)
    case ports([ClosedRange<UInt16>])
    case sourcePorts([ClosedRange<UInt16>])
    case state(Set<String>)
    case interface(Set<String>)
    case addressType(Set<String>)
    case destination([AddressRange])
    case none  // What the first packet of a peer never is.
    case some  // What it may be.
    indirect case not(Condition)
  }
  /// What becomes of a packet.
  enum Verdict: Hashable, Sendable {
    case accept, drop
    case leave  // The chain, for the one that has called it.
    case call(String, returns: Bool)
  }
  /// Whether a rule speaks of all of some traffic.
  enum Fit: Int, Comparable {
    case never, perhaps, surely

    static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }

    fileprivate init(_ isSo: Bool) { self = isSo ? .surely : .never }
    fileprivate var opposite: Fit {
      switch self {
      case .never: .surely
      case .perhaps: .perhaps
      case .surely: .never
      }
    }
  }

  /// The rule as its tool prints it.
  let text: String
  var conditions: [Condition] = []
  var verdict: Verdict?

  /// A rule that speaks of everything, and does nothing.
  init(_ text: String) { self.text = text }

  /// Whether the rule speaks of some traffic.
  func fit(to traffic: Traffic) -> Fit { conditions.map { $0.fit(to: traffic) }.min() ?? .surely }
}

extension FirewallRule.Condition {
  fileprivate func fit(to traffic: Traffic) -> FirewallRule.Fit {
    switch self {
    case .transport(let names):
      FirewallRule.Fit(!names.isDisjoint(with: Self.names(of: traffic.transport)))
    case .ports(let ranges): Self.fit(ranges, to: traffic.ports)
    case .sourcePorts(let ranges): Self.fit(ranges, to: traffic.sourcePorts)
    case .state(let names): FirewallRule.Fit(names.contains("new"))
    case .interface(let names): names == ["lo"] ? .never : .perhaps
    case .addressType(let names):
      FirewallRule.Fit(
        !names.isDisjoint(with: traffic.isMulticast ? ["multicast"] : ["local", "unicast", "host"]))
    case .destination(let ranges): ranges.map { Self.fit($0, to: traffic) }.max() ?? .perhaps
    case .none: .never
    case .some: .perhaps
    case .not(let condition): condition.fit(to: traffic).opposite
    }
  }

  private static func names(of transport: Traffic.Transport) -> Set<String> {
    switch transport {
    case .tcp: ["tcp", "6", "all"]
    case .udp: ["udp", "17", "all"]
    }
  }

  /// Single ports of many are no matter: who is there may be given another one.
  private static func fit(
    _ ranges: [ClosedRange<UInt16>], to ports: ClosedRange<UInt16>
  ) -> FirewallRule.Fit {
    FirewallRule.Fit(
      ranges.contains { $0.contains(ports.lowerBound) && $0.contains(ports.upperBound) })
  }

  private static func fit(_ range: AddressRange, to traffic: Traffic) -> FirewallRule.Fit {
    if range.bits == 0 { return .surely }
    guard traffic.isMulticast else { return range.address.isMulticast ? .never : .perhaps }
    return FirewallRule.Fit(groups.contains { range.contains($0) })
  }

  private static let groups = [IPAddress.v4(0xE000_00FB), .v6(0xFF02 << 48, 0xFB, scope: 0)]
}
