/// Clients add to a counter of a server, which must count each addition once.
struct Counter: Program {
  // Of the server: the number of additions, and the last of them, for each client.
  private(set) var counts: [Int]
  private var last: [Int]
  private var isStored = true
  // Of a client.
  private(set) var acknowledged = 0
  private var pending = Unacknowledged()

  init(_ turn: inout Turn) {
    counts = turn.disk["counts"] ?? Array(repeating: 0, count: turn.count)
    last = turn.disk["last"] ?? Array(repeating: 0, count: turn.count)
    acknowledged = turn.disk["acknowledged"]?[0] ?? 0
    if turn.flaw == .deduplicationForgotten { last = last.map { _ in 0 } }
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    switch message[0] {
    case 0: add(message[1], from: sender, &turn)
    default:
      guard message[1] == acknowledged + 1 else { return }
      acknowledged += 1
      turn.disk["acknowledged"] = [acknowledged]
      pending.remove(acknowledged, to: 0)
    }
  }

  private mutating func add(_ number: Int, from client: Int, _ turn: inout Turn) {
    if number > last[client] || turn.flaw == .noDeduplication {
      counts[client] += 1
      last[client] = max(last[client], number)
      isStored = false
      if turn.flaw != .acknowledgedBeforeStored { store(&turn) }
    }
    turn.send([1, number], to: client)
  }

  private mutating func store(_ turn: inout Turn) {
    (turn.disk["counts"], turn.disk["last"], isStored) = (counts, last, true)
  }

  mutating func tick(_ turn: inout Turn) {
    if turn.id == 0 {
      if !isStored, turn.chance(20) { store(&turn) }
    } else if pending.isEmpty, acknowledged < 12, turn.chance(20) {
      pending.add([0, acknowledged + 1], to: 0, &turn)
    } else {
      pending.sendAgain(&turn)
    }
  }

  /// What is wrong at the end.
  static func oracle(_ cluster: Cluster<Counter>) -> String? {
    let peers = cluster.peers
    for (client, peer) in peers.enumerated().dropFirst() {
      if peers[0].counts[client] > peer.acknowledged { return "an addition was counted twice" }
      if peers[0].counts[client] < peer.acknowledged { return "an addition was lost" }
    }
    return nil
  }
}
