/// What a browser sees of other peers.
///
/// Of each peer in this order: found once, updated any number of times, lost once.
public enum BrowserEvent: Hashable, Sendable {
  /// A peer began to advertise, or was there already. Once for each peer until it is lost.
  case found(DiscoveredPeer)
  /// A peer's info, name or endpoints changed.
  case updated(DiscoveredPeer)
  /// A peer no longer advertises, or has not been heard of for too long.
  case lost(PeerID)

  /// The peer that the event is about.
  public var id: PeerID {
    switch self {
    case .found(let peer), .updated(let peer): peer.id
    case .lost(let id): id
    }
  }
}
