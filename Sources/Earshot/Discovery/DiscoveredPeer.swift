/// A peer that a browser has found.
///
/// All of it was read from unauthenticated multicast: who the peer really is shows when a link to it opens.
public struct DiscoveredPeer: Hashable, Sendable {
  /// Who it says it is.
  public let id: PeerID
  /// What it calls itself.
  public let name: String
  /// What its application says about itself.
  public let info: [String: String]
  /// Where it listens, the most promising first.
  public let endpoints: [Endpoint]

  /// A peer with the given parts.
  public init(id: PeerID, name: String, info: [String: String], endpoints: [Endpoint]) {
    (self.id, self.name, self.info, self.endpoints) = (id, name, info, endpoints)
  }
}

/// What a browser sees.
public enum BrowserEvent: Hashable, Sendable {
  /// A peer began to advertise, or was there already. Once for each peer until it is lost.
  case found(DiscoveredPeer)
  /// A peer's info, name or endpoints changed.
  case updated(DiscoveredPeer)
  /// A peer no longer advertises, or has not been heard of for too long.
  case lost(PeerID)

  /// Whom it is about.
  public var id: PeerID {
    switch self {
    case .found(let peer), .updated(let peer): peer.id
    case .lost(let id): id
    }
  }
}
