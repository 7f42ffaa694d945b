import Earshot

/// The peers that are near, with the numbers by which a person calls them: a number stays while its
/// peer is there.
struct NumberedPeers: Hashable, Sendable {
  private var nearby = Nearby()
  private var numbers: [PeerID: Int] = [:]

  /// The peers, ordered by name.
  var peers: [DiscoveredPeer] { nearby.peers }

  /// The peers with their numbers, ordered by number.
  var numbered: [(number: Int, peer: DiscoveredPeer)] {
    peers.compactMap { peer in number(of: peer.id).map { ($0, peer) } }
      .sorted { $0.number < $1.number }
  }

  /// A peer, if it is there.
  subscript(id: PeerID) -> DiscoveredPeer? { nearby[id] }

  /// The number of a peer, if it is there.
  func number(of id: PeerID) -> Int? { numbers[id] }

  /// The peers that a word means: a number, the beginning of an identifier, a name, or the beginning
  /// of one.
  func select(_ word: String) -> Nearby.Selection {
    nearby.select(word) { number in peers.first { numbers[$0.id] == number } }
  }

  /// Learns what a browser reports.
  mutating func handle(_ event: BrowserEvent) {
    nearby.handle(event)
    switch event {
    case .found(let peer): numbers[peer.id] = numbers[peer.id] ?? freeNumber
    case .lost(let peer): numbers[peer.id] = nil
    case .updated, .unavailable, .available: break
    }
  }

  /// The smallest number that is free.
  private var freeNumber: Int {
    let taken = Set(numbers.values)
    return (1...taken.count + 1).first { !taken.contains($0) } ?? 0
  }
}
