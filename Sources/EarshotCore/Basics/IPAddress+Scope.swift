extension IPAddress {
  /// The address without a scope, as it stands in records of the DNS.
  package var withoutScope: IPAddress {
    guard case .v6(let high, let low, _) = self else { return self }
    return .v6(high, low, scope: 0)
  }

  /// The address on an interface: with its index as the scope if the address is a link-local one of IPv6 and has none.
  package func scoped(to interface: UInt32) -> IPAddress {
    guard case .v6(let high, let low, 0) = self, isLinkLocal else { return self }
    return .v6(high, low, scope: interface)
  }
}
