extension IPAddress {
  /// The IPv4 address that an IPv6 address stands for, or the address itself.
  ///
  /// - SeeAlso: RFC 4291 §2.5.5: `::ffff:a.b.c.d`, and the older `::a.b.c.d`.
  package var unmapped: IPAddress {
    guard case .v6(0, let low, _) = self else { return self }
    let isMapped = low >> 32 == 0xFFFF || low >> 32 == 0 && low > 1
    return isMapped ? .v4(UInt32(truncatingIfNeeded: low)) : self
  }

  /// What counts as one source: an IPv4 address, or the /64 of an IPv6 address, of which one host has all.
  package var source: IPAddress {
    switch unmapped {
    case .v4(let bits): .v4(bits)
    case .v6(let high, _, let scope): .v6(high, 0, scope: scope)
    }
  }
}
