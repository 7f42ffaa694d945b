/// An IP address.
///
/// Ordered: all of IPv4 before all of IPv6.
public enum IPAddress: Hashable, Sendable {
  /// The four bytes, the most significant first.
  case v4(UInt32)
  /// The sixteen bytes as two words, the most significant first; the scope is an interface's index, for
  /// link-local addresses, otherwise 0.
  case v6(UInt64, UInt64, scope: UInt32)

  /// A family of addresses.
  public enum Family: Hashable, Sendable, CaseIterable {
    /// IPv4.
    case v4
    /// IPv6.
    case v6

    /// The address that stands for all addresses of the family.
    public var any: IPAddress {
      switch self {
      case .v4: .anyV4
      case .v6: .anyV6
      }
    }
  }

  /// The family of the address.
  public var family: Family {
    switch self {
    case .v4: .v4
    case .v6: .v6
    }
  }

  /// Any IPv4 address of this host.
  public static let anyV4 = IPAddress.v4(0)
  /// Any IPv6 address of this host.
  public static let anyV6 = IPAddress.v6(0, 0, scope: 0)

  /// Whether the address stands for all addresses of a host.
  public var isUnspecified: Bool {
    switch self {
    case .v4(let bits): bits == 0
    case .v6(let high, let low, _): high == 0 && low == 0
    }
  }

  /// Whether the address is a group's: 224.0.0.0/4 or ff00::/8.
  public var isMulticast: Bool {
    switch self {
    case .v4(let bits): bits >> 28 == 0xE
    case .v6(let high, _, _): high >> 56 == 0xFF
    }
  }

  /// Whether the address never leaves its host: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    switch self {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let high, let low, _): high == 0 && low == 1
    }
  }

  /// Whether the address is meaningful on one link only: 169.254.0.0/16 or fe80::/10.
  public var isLinkLocal: Bool {
    switch self {
    case .v4(let bits): bits >> 16 == 0xA9FE
    case .v6(let high, _, _): high >> 54 == 0x3FA
    }
  }

  /// The bytes of the address, 4 or 16, the most significant first.
  public var bytes: [UInt8] {
    switch self {
    case .v4(let bits): (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(24 - 8 * $0)) }
    case .v6(let high, let low, _):
      [high, low].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
      }
    }
  }

  /// An address from its 4 or 16 bytes, or `nil` for another count.
  ///
  /// The scope is left 0.
  public init?(bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      self = .v6(
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
        bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }, scope: 0)
    default: return nil
    }
  }
}

extension IPAddress: Comparable {
  /// Whether the left address comes first.
  public static func < (left: IPAddress, right: IPAddress) -> Bool {
    switch (left, right) {
    case (.v4(let left), .v4(let right)): left < right
    case (.v6(let high, let low, let scope), .v6(let otherHigh, let otherLow, let otherScope)):
      (high, low, scope) < (otherHigh, otherLow, otherScope)
    case (.v4, .v6): true
    case (.v6, .v4): false
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// Dotted decimal, or RFC 5952's form of IPv6 with the scope's number: `10.0.0.1`, `fe80::1%2`.
  public var description: String {
    switch self {
    case .v4: bytes.map { String($0) }.joined(separator: ".")
    case .v6(let high, let low, let scope):
      Self.text(of: [high, low]) + (scope == 0 ? "" : "%\(scope)")
    }
  }

  private static func text(of words: [UInt64]) -> String {
    let groups = words.flatMap { word in
      (0..<4).map { UInt16(truncatingIfNeeded: word >> UInt64(48 - 16 * $0)) }
    }
    var longest = 0..<0
    var index = 0
    while index < 8 {
      let end = groups[index...].firstIndex { $0 != 0 } ?? 8
      if end - index > max(longest.count, 1) { longest = index..<end }
      index = max(end, index + 1)
    }
    func join(_ part: some Sequence<UInt16>) -> String {
      part.map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard !longest.isEmpty else { return join(groups) }
    return join(groups[..<longest.lowerBound]) + "::" + join(groups[longest.upperBound...])
  }
}

/// An address and a port.
public struct Endpoint: Hashable, Sendable {
  /// The host's address.
  public var address: IPAddress
  /// The port; 0 asks the system to choose.
  public var port: UInt16

  /// An endpoint with the given parts.
  public init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }
}

extension Endpoint: Comparable, CustomStringConvertible {
  /// Whether the left endpoint comes first: by address, then by port.
  public static func < (left: Endpoint, right: Endpoint) -> Bool {
    (left.address, left.port) < (right.address, right.port)
  }

  /// `10.0.0.1:7100` or `[fe80::1%2]:7100`.
  public var description: String {
    switch address {
    case .v4: "\(address):\(port)"
    case .v6: "[\(address)]:\(port)"
    }
  }
}

/// An interface that is up.
public struct NetworkInterface: Hashable, Sendable {
  /// The system's number for it, from 1.
  public let index: UInt32
  /// The system's name for it, such as `en0`.
  public let name: String
  /// Its addresses, in ascending order.
  public let addresses: [IPAddress]
  /// The addresses that are reached over it without a router.
  public let networks: [AddressRange]
  /// Whether it carries multicast.
  public let supportsMulticast: Bool
  /// The largest packet, in bytes, IP header included.
  public let maximumTransmissionUnit: Int

  /// An interface with the given parts.
  ///
  /// Unless said otherwise, its networks are what begins with the first 24 bits of each IPv4 address, and with
  /// the first 64 of each IPv6 address.
  public init(
    index: UInt32, name: String, addresses: [IPAddress], networks: [AddressRange]? = nil,
    supportsMulticast: Bool = true, maximumTransmissionUnit: Int = 1500
  ) {
    self.index = index
    self.name = name
    self.addresses = addresses
    self.networks =
      networks ?? addresses.map { AddressRange($0, bits: $0.family == .v4 ? 24 : 64) }
    self.supportsMulticast = supportsMulticast
    self.maximumTransmissionUnit = maximumTransmissionUnit
  }
}

extension NetworkInterface {
  /// Whether the interface has an address of a family.
  public func has(_ family: IPAddress.Family) -> Bool {
    addresses.contains { $0.family == family }
  }
}

/// The addresses of one family that begin with the same bits.
public struct AddressRange: Hashable, Sendable {
  /// One of the addresses.
  public let address: IPAddress
  /// How many bits are the same.
  public let bits: Int

  /// The addresses that begin like one.
  public init(_ address: IPAddress, bits: Int) { (self.address, self.bits) = (address, bits) }

  /// Whether an address is one of them; scopes make no difference.
  public func contains(_ other: IPAddress) -> Bool {
    let (mine, others) = (address.bytes, other.bytes)
    guard mine.count == others.count, bits <= 8 * mine.count else { return false }
    let whole = bits / 8
    guard mine.prefix(whole) == others.prefix(whole) else { return false }
    return bits % 8 == 0 || (mine[whole] ^ others[whole]) >> UInt8(8 - bits % 8) == 0
  }
}
