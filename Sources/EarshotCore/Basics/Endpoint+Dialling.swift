extension Endpoint {
  /// Whether it may be dialled on the word of a remote peer.
  ///
  /// A remote peer must not turn this host against itself or against others: port 0, and addresses that are no
  /// single host's, are never dialled, and loopback addresses only when the remote peer is on this host itself.
  ///
  /// - Parameters:
  ///   - source: The address of the remote peer that names the endpoint, or `nil` if that is not known.
  ///   - interfaces: The interfaces of this host.
  /// - Returns: Whether it may.
  package func mayBeDialled(
    onTheWordOf source: IPAddress?, with interfaces: [NetworkInterface]
  ) -> Bool {
    let address = address.unmapped
    guard port > 0, !address.isUnspecified, !address.isMulticast else { return false }
    if address.isLoopback {
      return source.map { $0.isLocal(to: interfaces) } ?? false
    }
    return !address.isBroadcast(on: interfaces)
  }
}

extension Sequence<Endpoint> {
  /// Those that may be dialled on the word of a member, which introduces another one.
  ///
  /// Of those behind routers the first four, since every member may dial them: one that lies would have a whole group
  /// try the ports of a host anywhere. They are not refused, because a group may meet across routers, and a member
  /// behind one that only lets connections out has to dial those outside itself.
  ///
  /// - Parameters:
  ///   - source: The address of the member, or `nil` if that is not known.
  ///   - interfaces: The interfaces of this host.
  /// - Returns: They, in their order.
  package func dialable(
    asIntroducedBy source: IPAddress?, with interfaces: [NetworkInterface]
  ) -> [Endpoint] {
    var remoteCount = 0
    return filter { endpoint in
      guard endpoint.mayBeDialled(onTheWordOf: source, with: interfaces) else { return false }
      let address = endpoint.address.unmapped
      if address.isLoopback || interfaces.contains(where: { $0.isOnLink(address) }) { return true }
      remoteCount += 1
      return remoteCount <= 4
    }
  }
}

extension IPAddress {
  /// Whether the address is one of this host's own.
  fileprivate func isLocal(to interfaces: [NetworkInterface]) -> Bool {
    let address = unmapped
    return address.isLoopback || interfaces.contains { $0.addresses.contains(address) }
  }

  /// Whether the address is all hosts' of a network: 255.255.255.255, or the last one of a network of IPv4, or one of
  /// 0.0.0.0/8, which systems take for that or for themselves.
  ///
  /// - SeeAlso: RFC 1122 §3.2.1.3.
  package func isBroadcast(on interfaces: [NetworkInterface]) -> Bool {
    guard case .v4(let bits) = self else { return false }
    if bits == .max || bits >> 24 == 0 { return true }
    return interfaces.contains { $0.networks.contains { $0.isBroadcast(self) } }
  }
}
