extension [NetworkInterface] {
  /// The interfaces, each with the addresses of all that are attached to the same link.
  ///
  /// A host says on a link all of its addresses there. What it says over one interface replaces
  /// what it said over another (RFC 6762 §10.2), so interfaces of one link that each say their own
  /// replace each other without end.
  package var withAddressesOfLinks: [NetworkInterface] {
    map { interface in
      let others = filter { $0.index != interface.index && $0.sharesLink(with: interface) }
      return others.isEmpty ? interface : interface.adding(others.flatMap(\.addresses))
    }
  }
}

extension NetworkInterface {
  /// Whether another interface has a network of this one, and so is attached to the same link.
  ///
  /// Link-local networks are the same on every link.
  fileprivate func sharesLink(with other: NetworkInterface) -> Bool {
    networks.contains { mine in
      !mine.address.isLinkLocal
        && other.networks.contains { $0.bits == mine.bits && $0.contains(mine.address) }
    }
  }

  /// The interface with more addresses.
  fileprivate func adding(_ more: [IPAddress]) -> NetworkInterface {
    var all = addresses
    for address in more where !all.contains(address) { all.append(address) }
    return NetworkInterface(
      index: index, name: name, addresses: all.sorted(), networks: networks,
      supportsMulticast: supportsMulticast, maximumTransmissionUnit: maximumTransmissionUnit,
      isSubstitute: isSubstitute)
  }
}
