/// What a browser sees.
///
/// Of each peer in this order: found once, updated any number of times, lost once. Later versions may add events.
@nonexhaustive
public enum BrowserEvent: Hashable, Sendable {
  /// A peer began to advertise, or was there already. Once for each peer until it is lost.
  case found(DiscoveredPeer)
  /// A peer's info, name or endpoints changed.
  case updated(DiscoveredPeer)
  /// A peer, as it was known last, no longer advertises, or has not been heard of for too long.
  case lost(DiscoveredPeer)
  /// No peers can be found from now on, or not all of them, as the problem says; or for another reason than before.
  ///
  /// The browser tries again by itself. Peers that it has found are lost as their records expire.
  case unavailable(DiscoveryProblem)
  /// Nothing keeps peers from being found any more.
  case available

  /// The peer that the event is about, or `nil` if it is about no single one.
  public var peer: DiscoveredPeer? {
    switch self {
    case .found(let peer), .updated(let peer), .lost(let peer): peer
    case .unavailable, .available: nil
    }
  }
}
