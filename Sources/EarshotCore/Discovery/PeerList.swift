/// The peers that an instance may be, most often one, which then takes no memory of its own.
enum PeerList: Hashable, Sendable {
  case none
  case one(DiscoveredPeer)
  case many([DiscoveredPeer])

  /// The peers as an array, the one to believe first.
  var peers: [DiscoveredPeer] {
    switch self {
    case .none: []
    case .one(let peer): [peer]
    case .many(let peers): peers
    }
  }

  /// Adds a peer, unless there is one of its identifier.
  mutating func add(_ peer: DiscoveredPeer) {
    let known = peers
    guard !known.contains(where: { $0.id == peer.id }) else { return }
    self = known.isEmpty ? .one(peer) : .many(known + [peer])
  }
}
