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
