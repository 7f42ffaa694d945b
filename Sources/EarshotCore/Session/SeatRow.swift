/// Who has a seat in a group.
///
/// Everybody stands in a row by seniority, then by PeerID; each in turn has a seat if the group so far, with it, is
/// within the capacity of everyone seated and its own.
struct SeatRow {
  /// One who stands in the row.
  struct Stand {
    let peer: PeerID
    let seniority: UInt64
    let capacity: Int
  }

  /// Who has a seat, in the order of the row.
  private(set) var seats: [PeerID] = []
  /// The smallest capacity of those who have one.
  private(set) var room = Int.max

  /// The row of some peers.
  ///
  /// - Parameters:
  ///   - stands: Who stands in it.
  ///   - first: Who stands in front of them all.
  ///   - suits: Whether one may sit with another, who has a seat; those in front never matter.
  init(
    _ stands: [Stand], first: Stand? = nil, suits: (PeerID, PeerID) -> Bool = { _, _ in true }
  ) {
    if let first { take(first) }
    let front = seats.count
    for stand in stands.sorted(by: { ($0.seniority, $0.peer) < ($1.seniority, $1.peer) })
    where seats.count < min(room, stand.capacity) {
      if seats[front...].allSatisfy({ suits(stand.peer, $0) }) { take(stand) }
    }
  }

  private mutating func take(_ stand: Stand) {
    seats.append(stand.peer)
    room = min(room, stand.capacity)
  }
}

extension SeatRow.Stand {
  init(_ entry: Roster.Entry) {
    self.init(peer: entry.peer, seniority: entry.seniority, capacity: entry.capacity)
  }

  /// One that may never come, and has a seat only when all others have theirs.
  init(behindAll entry: Roster.Entry) {
    self.init(peer: entry.peer, seniority: .max, capacity: entry.capacity)
  }
}
