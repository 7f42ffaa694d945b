/// The links that a browser looks at, in the order of preference.
struct BrowsedLinks: Hashable, Sendable {
  private let interfaces: [NetworkInterface]
  /// The indices of the interfaces.
  let indices: [UInt32]

  init(_ interfaces: [NetworkInterface]) {
    (self.interfaces, indices) = (interfaces, interfaces.map(\.index))
  }

  /// Whether an address that was heard on an interface can be that of a peer: one host's of the link, and this host's
  /// own loopback only if it was said there.
  ///
  /// A name that leads elsewhere would have this host knock at the doors of strangers.
  func canBeDialled(
    _ address: IPAddress, heardFrom source: IPAddress, on index: UInt32
  ) -> Bool {
    if address.isLoopback { return source.isLoopback }
    guard let place = interfaces.firstIndex(where: { $0.index == index }) else { return false }
    return interfaces[place].canBeHost(address)
  }

  /// Whether what a record says can still be used: it was heard on one of the links, and leads to no address of another.
  func reach(_ cached: CachedRecord) -> Bool {
    guard let place = interfaces.firstIndex(where: { $0.index == cached.interface }) else {
      return false
    }
    guard case .address(let address) = cached.record.data, !address.isLoopback else { return true }
    return interfaces[place].canBeHost(address)
  }
}
