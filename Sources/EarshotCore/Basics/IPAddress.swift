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
