/// Which peers have a place in a group.
///
/// The peers are taken in the order of seniority, then of PeerID. Each has a place if the group so far, with it, is
/// within its own capacity and that of all who have a place.
struct PlaceAllocation {
  /// A peer that may have a place.
  struct Candidate {
    let peer: PeerID
    let seniority: UInt64
    let capacity: Int
  }

  /// The peers that have a place, in the order in which they were taken.
  private(set) var holders: [PeerID] = []
  /// The smallest capacity of those who have a place.
  private(set) var capacity = Int.max

  /// Allocates the places among some peers.
  ///
  /// - Parameters:
  ///   - candidates: The peers.
  ///   - first: A peer that is taken before all others.
  ///   - suits: Whether a peer may have a place beside another that has one; not asked about the first.
  init(
    _ candidates: [Candidate], first: Candidate? = nil,
    suits: (PeerID, PeerID) -> Bool = { _, _ in true }
  ) {
    if let first { take(first) }
    let firstCount = holders.count
    for candidate in candidates.sorted(by: { ($0.seniority, $0.peer) < ($1.seniority, $1.peer) })
    where holders.count < min(capacity, candidate.capacity) {
      if holders[firstCount...].allSatisfy({ suits(candidate.peer, $0) }) { take(candidate) }
    }
  }

  private mutating func take(_ candidate: Candidate) {
    holders.append(candidate.peer)
    capacity = min(capacity, candidate.capacity)
  }
}

extension PlaceAllocation.Candidate {
  init(_ entry: Roster.Entry) {
    self.init(peer: entry.peer, seniority: entry.seniority, capacity: entry.capacity)
  }

  /// A peer that may never come, and has a place only when all others have theirs.
  init(behindAll entry: Roster.Entry) {
    self.init(peer: entry.peer, seniority: .max, capacity: entry.capacity)
  }
}
