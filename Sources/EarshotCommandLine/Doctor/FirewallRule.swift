import Earshot
import EarshotCore

/// A rule of a firewall: the packets that it matches, and its verdict on them.
struct FirewallRule: Hashable, Sendable {
  /// Some ports, and whether others may belong to them that could not be read.
  struct Ports: Hashable, Sendable {
    var ranges: [ClosedRange<UInt16>] = []
    var isComplete = true
  }
  /// Some addresses, and whether others may belong to them that could not be read.
  struct Addresses: Hashable, Sendable {
    var ranges: [AddressRange] = []
    var isComplete = true
  }
  /// A property that a packet needs for the rule to match it.
  enum Condition: Hashable, Sendable {
    case transport(Set<String>)
    case family(IPAddress.Family)
    case ports(Ports)
    case sourcePorts(Ports)
    case state(Set<String>)
    /// The interface that packets of a direction pass; `*` or `+` at the end stands for any text.
    case interface(Set<String>, Traffic.Direction)
    case addressType(Set<String>)
    case source(Addresses)
    case destination(Addresses)
    /// The flags of TCP that a mask leaves are these; without a mask all count.
    case flags(Set<String>, mask: Set<String>?)
    case anyFlag(Set<String>)
    case mark
    case none  // The first packet of a peer never has it.
    case some  // It may have it.
    case either([Condition])
    indirect case not(Condition)
  }
  /// The fate of a packet.
  enum Verdict: Hashable, Sendable {
    case accept, drop
    case ask  // A program, which decides.
    case leave  // The chain, for the one that has called it.
    case call(String, returns: Bool)
  }
  /// Whether a rule matches all of some traffic.
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

  /// A rule that matches everything, and does nothing.
  init(_ text: String) { self.text = text }

  /// Whether the rule matches some traffic.
  func fit(to traffic: Traffic) -> Fit { conditions.map { $0.fit(to: traffic) }.min() ?? .surely }
}

extension FirewallRule.Condition {
  fileprivate func fit(to traffic: Traffic) -> FirewallRule.Fit {
    switch self {
    case .transport(let names):
      FirewallRule.Fit(!names.isDisjoint(with: Self.names(of: traffic.transport)))
    case .family(let family): traffic.path.family.map { FirewallRule.Fit($0 == family) } ?? .perhaps
    case .ports(let ports): ports.fit(to: traffic.ports)
    case .sourcePorts(let ports): ports.fit(to: traffic.sourcePorts)
    case .state(let names): FirewallRule.Fit(names.contains(traffic.state))
    case .interface(let names, let direction):
      direction == traffic.direction ? Self.fit(names, to: traffic.path.interface) : .never
    case .addressType(let names):
      FirewallRule.Fit(
        !names.isDisjoint(with: traffic.isMulticast ? ["multicast"] : ["local", "unicast", "host"]))
    case .source(let addresses): addresses.fit(to: traffic.source)
    case .destination(let addresses):
      traffic.isMulticast
        ? addresses.fit(toAnyOf: Self.groups(of: traffic.path.family))
        : addresses.fit(to: traffic.destination)
    case .flags(let flags, let mask):
      FirewallRule.Fit((mask.map { traffic.flags.intersection($0) } ?? traffic.flags) == flags)
    case .anyFlag(let flags): FirewallRule.Fit(!traffic.flags.isDisjoint(with: flags))
    case .mark: traffic.mayBeMarked ? .perhaps : .never
    case .none: .never
    case .some: .perhaps
    case .either(let conditions): conditions.map { $0.fit(to: traffic) }.max() ?? .never
    case .not(let condition): condition.fit(to: traffic).opposite
    }
  }

  private static func names(of transport: Traffic.Transport) -> Set<String> {
    switch transport {
    case .tcp: ["tcp", "6", "all"]
    case .udp: ["udp", "17", "all"]
    }
  }

  private static func fit(_ names: Set<String>, to interface: String?) -> FirewallRule.Fit {
    guard let interface else { return names == ["lo"] ? .never : .perhaps }
    return FirewallRule.Fit(
      names.contains { name in
        name.hasSuffix("*") || name.hasSuffix("+")
          ? interface.hasPrefix(name.dropLast()) : name == interface
      })
  }

  private static func groups(of family: IPAddress.Family?) -> [IPAddress] {
    (family.map { [$0] } ?? IPAddress.Family.allCases).map(\.multicastDNSGroup)
  }
}

extension FirewallRule.Ports {
  /// Whether all ports of a range are among these; a few of many are no matter, since a peer seldom
  /// gets one of them.
  fileprivate func fit(to ports: ClosedRange<UInt16>) -> FirewallRule.Fit {
    let common = ranges.reduce(0) { count, range in
      let (low, high) = (
        max(range.lowerBound, ports.lowerBound), min(range.upperBound, ports.upperBound)
      )
      return count + (low <= high ? Int(high - low) + 1 : 0)
    }
    if common >= ports.count { return .surely }
    return isComplete && common * Self.fewOf < ports.count ? .never : .perhaps
  }

  private static let fewOf = 1_000
}

extension FirewallRule.Addresses {
  fileprivate func fit(to others: AddressRange?) -> FirewallRule.Fit {
    let fits = ranges.map { range -> FirewallRule.Fit in
      if range.bits == 0, others == nil { return .surely }
      guard let others else { return range.address.isMulticast ? .never : .perhaps }
      if range.bits <= others.bits, range.contains(others.address) { return .surely }
      return others.contains(range.address) && range.bits > others.bits ? .perhaps : .never
    }
    return max(fits.max() ?? .never, isComplete ? .never : .perhaps)
  }

  fileprivate func fit(toAnyOf groups: [IPAddress]) -> FirewallRule.Fit {
    let isOne = ranges.contains { range in groups.contains { range.contains($0) } }
    if isOne { return .surely }
    return isComplete ? .never : .perhaps
  }
}
