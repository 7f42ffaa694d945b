/// Clients keep a copy of what a server has, until it tells them that the copy is old.
struct Cache: Program {
  private(set) var version = 0
  // Of a client.
  private(set) var copy: Int?
  private var invalidated = 0
  private var pending = Unacknowledged()

  init(_ turn: inout Turn) {}

  mutating func tick(_ turn: inout Turn) {
    if turn.id == 0 {
      if turn.time < 12_000, turn.chance(15) {
        version += 1
        for peer in turn.others { pending.add([2, version], to: peer, &turn) }
      }
      pending.sendAgain(&turn)
    } else if copy == nil {
      turn.send([0, 0], to: 0)
    }
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    switch message[0] {
    case 0: turn.send([1, version], to: sender)
    case 1:
      guard copy == nil, message[1] >= invalidated || turn.flaw == .staleReply else { return }
      copy = message[1]
      if message[1] < invalidated { turn.note(message[1]) }
    case 2:
      turn.send([3, message[1]], to: sender)
      guard message[1] > invalidated else { return }
      invalidated = message[1]
      if copy ?? 0 < invalidated { copy = nil }
    default: pending.remove(message[1], to: sender)
    }
  }

  static func oracle(_ cluster: Cluster<Cache>) -> String? {
    if !cluster.notes.isEmpty { return "a copy is older than the client knows" }
    let peers = cluster.peers
    return peers.dropFirst().contains { $0.copy != peers[0].version } ? "a copy is old" : nil
  }
}
