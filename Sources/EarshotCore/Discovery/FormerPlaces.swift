/// Where peers were that are not there any more, by what is said of them: whoever speaks for a peer from there is
/// believed before all that came later.
///
/// Bounded; the peer that left a place longest ago is forgotten first.
struct FormerPlaces: Hashable, Sendable {
  private static let peersMax = 256
  private static let placesMax = 4

  private var places: [PeerID: [Endpoint]] = [:]
  private var order: [PeerID] = []  // The one that left a place first is first.

  /// Where a peer was, the earliest first.
  subscript(peer: PeerID) -> [Endpoint] { places[peer] ?? [] }

  /// A peer is not at a place any more; the first few that it had are kept.
  mutating func note(_ place: Endpoint, of peer: PeerID) {
    let known = self[peer]
    guard !known.contains(place), known.count < Self.placesMax else { return }
    if known.isEmpty {
      if order.count == Self.peersMax { places[order.removeFirst()] = nil }
      order.append(peer)
    }
    places[peer] = known + [place]
  }
}
