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
  /// Whether the host uses the interface because it has no other: loopback, of a host without a
  /// network.
  package let isSubstitute: Bool

  /// An interface with the given parts.
  ///
  /// Unless said otherwise, its networks are what begins with the first 24 bits of each IPv4 address, and with
  /// the first 64 of each IPv6 address.
  public init(
    index: UInt32, name: String, addresses: [IPAddress], networks: [AddressRange]? = nil,
    supportsMulticast: Bool = true, maximumTransmissionUnit: Int = 1500
  ) {
    self.init(
      index: index, name: name, addresses: addresses, networks: networks,
      supportsMulticast: supportsMulticast, maximumTransmissionUnit: maximumTransmissionUnit,
      isSubstitute: false)
  }

  /// An interface with the given parts, used because there is no other or not.
  package init(
    index: UInt32, name: String, addresses: [IPAddress], networks: [AddressRange]? = nil,
    supportsMulticast: Bool = true, maximumTransmissionUnit: Int = 1500, isSubstitute: Bool
  ) {
    self.index = index
    self.name = name
    self.addresses = addresses
    self.networks =
      networks ?? addresses.map { AddressRange($0, bits: $0.family == .v4 ? 24 : 64) }
    self.supportsMulticast = supportsMulticast
    self.maximumTransmissionUnit = maximumTransmissionUnit
    self.isSubstitute = isSubstitute
  }
}

extension NetworkInterface {
  /// Whether the interface has an address of a family.
  public func has(_ family: IPAddress.Family) -> Bool {
    addresses.contains { $0.family == family }
  }

  /// Whether its addresses are all of one family.
  package var hasOneFamily: Bool { has(.v4) != has(.v6) }

  /// Whether an address is reached over the interface without a router: it is in one of its networks, or link-local.
  package func isOnLink(_ address: IPAddress) -> Bool {
    address.isLinkLocal || networks.contains { $0.contains(address) }
  }

  /// Whether an address can be that of one host of the link.
  ///
  /// Neither is the address of all hosts of a network (RFC 919 §7).
  package func canBeHost(_ address: IPAddress) -> Bool {
    isOnLink(address) && !address.isUnspecified && !address.isMulticast
      && !networks.contains { $0.isBroadcast(address) }
  }
}

/// The addresses of one family that begin with the same bits.
public struct AddressRange: Hashable, Sendable {
  /// One of the addresses.
  public let address: IPAddress
  /// The number of bits that are the same.
  public let bits: Int

  /// The addresses that begin with the same bits as one address.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - bits: The number of bits; a negative number counts as 0. A range of more bits than its
  ///     addresses have contains no address.
  public init(_ address: IPAddress, bits: Int) {
    (self.address, self.bits) = (address, max(0, bits))
  }

  /// Whether an address is one of them; scopes make no difference.
  public func contains(_ other: IPAddress) -> Bool {
    switch (address, other) {
    case (.v4(let mine), .v4(let others)): bits <= 32 && (mine ^ others) & Self.mask(bits) == 0
    case (.v6(let high, let low, _), .v6(let otherHigh, let otherLow, _)):
      bits <= 128 && (high ^ otherHigh) & Self.mask(bits) == 0
        && (low ^ otherLow) & Self.mask(bits - 64) == 0
    case (.v4, .v6), (.v6, .v4): false
    }
  }

  /// Whether an address is that of all hosts of the network, as only IPv4 has one, and no network of 31 bits (RFC 3021).
  package func isBroadcast(_ other: IPAddress) -> Bool {
    guard case .v4(let others) = other, bits < 31, contains(other) else { return false }
    let host: UInt32 = ~Self.mask(bits)
    return others & host == host
  }

  /// A word that begins with so many ones, at most as many as it has.
  private static func mask<Word: FixedWidthInteger>(_ ones: Int) -> Word {
    ones <= 0 ? 0 : ones >= Word.bitWidth ? ~0 : ~(~0 >> Word(ones))
  }
}
