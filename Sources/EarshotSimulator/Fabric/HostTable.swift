/// The hosts of a world by number: their names, and the segments that they are attached to.
///
/// The n-th host, from 0, has the addresses 10.0.0.1 + n and fe80::1 + n.
final class HostTable {
  private var names: [String] = []
  private var segments: [String] = []
  private var indexOfName: [String: Int] = [:]

  func add(_ name: String, segment: String) -> Int {
    precondition(indexOfName[name] == nil, "there is a host '\(name)' already")
    indexOfName[name] = names.count
    names.append(name)
    segments.append(segment)
    return names.count - 1
  }

  var count: Int { names.count }

  func name(of host: Int) -> String { names[host] }

  func segment(of host: Int) -> String { segments[host] }

  /// The host with an address, or `nil` when none has it.
  func host(at address: IPAddress, from asker: Int) -> Int? {
    let number: UInt64
    switch address {
    case _ where address.isLoopback: return asker
    case .v4(let bits) where bits > 0x0A00_0000: number = UInt64(bits - 0x0A00_0001)
    case .v6(0xFE80_0000_0000_0000, let low, _) where low > 0: number = low - 1
    case .v4, .v6: return nil
    }
    return number < UInt64(names.count) ? Int(number) : nil
  }

  static func addressV4(of host: Int) -> IPAddress { .v4(0x0A00_0001 + UInt32(host)) }

  static func addressV6(of host: Int) -> IPAddress {
    .v6(0xFE80 << 48, UInt64(host) + 1, scope: 1)
  }

  /// Whether an address would be a neighbour's, or the host's own.
  static func isOnSegment(_ address: IPAddress) -> Bool {
    switch address {
    case .v4(let bits): bits >> 24 == 10 || address.isLoopback
    case .v6: address.isLinkLocal || address.isLoopback
    }
  }

  static func address(of host: Int, _ family: IPAddress.Family) -> IPAddress {
    switch family {
    case .v4: addressV4(of: host)
    case .v6: addressV6(of: host)
    }
  }

  /// The address that a host speaks from to another.
  static func localAddress(of host: Int, towards other: IPAddress) -> IPAddress {
    if other.isLoopback { return other }
    return address(of: host, other.family)
  }
}

extension IPAddress {
  /// Whether the address stands for all addresses of a family, that of the other one.
  func covers(_ other: IPAddress) -> Bool { isUnspecified && family == other.family }
}
