/// The hosts of a world by number: their names, and the segments that they are attached to.
///
/// The n-th host, from 0, has the addresses 10.0.0.1 + n and fe80::1 + n, until they change.
final class HostTable {
  private var names: [String] = []
  private var segments: [String] = []
  private var indexOfName: [String: Int] = [:]
  // Looked at for every packet once an address has changed: arrays, and without the dynamic checks of exclusivity.
  /// The host whose addresses were changed at each move, while it has those.
  @exclusivity(unchecked) private var movedHosts: [Int?] = []
  /// The number in the addresses of each host, if they have changed; empty before any has.
  @exclusivity(unchecked) private var movedNumbers: [UInt64?] = []

  func add(_ name: String, segment: String) -> Int {
    precondition(indexOfName[name] == nil, "there is a host '\(name)' already")
    indexOfName[name] = names.count
    names.append(name)
    segments.append(segment)
    return names.count - 1
  }

  var count: Int { names.count }

  /// How often the addresses of a host have changed.
  var moves: Int { movedHosts.count }

  func index(of name: String) -> Int? { indexOfName[name] }

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
    if number >= Self.firstMoved, number - Self.firstMoved < UInt64(moves) {
      return movedHosts[Int(number - Self.firstMoved)]
    }
    guard number < UInt64(names.count), movedNumber(of: Int(number)) == nil else { return nil }
    return Int(number)
  }

  /// Gives a host addresses that none has had; those that it had are no host's from now on.
  func readdress(_ host: Int) {
    if let number = movedNumber(of: host) { movedHosts[Int(number - Self.firstMoved)] = nil }
    while movedNumbers.count <= host { movedNumbers.append(nil) }
    movedNumbers[host] = Self.firstMoved + UInt64(moves)
    movedHosts.append(host)
  }

  private func movedNumber(of host: Int) -> UInt64? {
    host < movedNumbers.count ? movedNumbers[host] : nil
  }

  /// Whether a host has an address, or has any of a group.
  func has(_ address: IPAddress, _ host: Int) -> Bool {
    moves == 0 || address.isMulticast || self.host(at: address, from: host) == host
  }

  /// The number in the addresses of a host.
  private func number(of host: Int) -> UInt64 {
    movedNumber(of: host) ?? UInt64(host)
  }

  func addressV4(of host: Int) -> IPAddress { .v4(0x0A00_0001 + UInt32(number(of: host))) }

  func addressV6(of host: Int) -> IPAddress {
    .v6(0xFE80 << 48, number(of: host) + 1, scope: 1)
  }

  /// Numbers beyond those of the hosts of any world.
  private static let firstMoved: UInt64 = (1 << 23) + 1

  /// Whether an address would be a neighbour's, or the host's own.
  static func isOnSegment(_ address: IPAddress) -> Bool {
    switch address {
    case .v4(let bits): bits >> 24 == 10 || address.isLoopback
    case .v6: address.isLinkLocal || address.isLoopback
    }
  }

  func address(of host: Int, _ family: IPAddress.Family) -> IPAddress {
    switch family {
    case .v4: addressV4(of: host)
    case .v6: addressV6(of: host)
    }
  }

  /// The address that a host speaks from to another.
  func localAddress(of host: Int, towards other: IPAddress) -> IPAddress {
    if other.isLoopback { return other }
    return address(of: host, other.family)
  }
}

extension IPAddress {
  /// Whether the address stands for all addresses of a family, that of the other one.
  func covers(_ other: IPAddress) -> Bool { isUnspecified && family == other.family }
}
