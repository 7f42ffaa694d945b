/// A list that every peer can add to and remove from, and that all tell each other.
struct List: Program {
  private(set) var items: Set<Int>
  private var removed: Set<Int>
  private var added: Int

  init(_ turn: inout Turn) {
    items = Set(turn.disk["items"] ?? [])
    removed = Set(turn.flaw == .tombstonesForgotten ? [] : turn.disk["removed"] ?? [])
    added = turn.disk["added"]?[0] ?? 0
  }

  mutating func tick(_ turn: inout Turn) {
    if turn.time < 12_000 { change(&turn) }
    if turn.flaw != .sentOnce, turn.chance(30) {
      turn.sendAll([0] + items.sorted())
      turn.sendAll([1] + removed.sorted())
    }
  }

  /// The user adds or removes something.
  private mutating func change(_ turn: inout Turn) {
    if turn.chance(5), added < 8 {
      added += 1
      let item = 1_000 * (turn.id + 1) + added
      items.insert(item)
      turn.sendAll([0, item])
    } else if turn.chance(6), let item = items.min() {
      items.remove(item)
      removed.insert(item)
      turn.note(item)
      turn.sendAll([1, item])
    }
    store(&turn)
  }

  private func store(_ turn: inout Turn) {
    turn.disk = ["items": items.sorted(), "removed": removed.sorted(), "added": [added]]
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    let received = Set(message.dropFirst())
    if message[0] == 1 {
      removed.formUnion(received)
    } else if turn.flaw == .longerListWins, received.count > 1 {
      if received.count > items.count { items = received }
    } else {
      items.formUnion(received)
    }
    items.subtract(removed)
    store(&turn)
  }

  static func oracle(_ cluster: Cluster<List>) -> String? {
    let lists = cluster.peers.map(\.items)
    if Set(lists).count > 1 { return "the lists differ" }
    let removed = Set(cluster.notes.map { $0[1] })
    return lists.contains { !$0.isDisjoint(with: removed) } ? "what was removed is back" : nil
  }
}

extension List {
  /// Also that nothing is missing that somebody added and nobody removed.
  static func completeness(_ cluster: Cluster<List>) -> String? {
    let removed = Set(cluster.notes.map { $0[1] })
    let added = cluster.peers.enumerated().flatMap { id, peer in
      (0..<peer.added).map { 1_000 * (id + 1) + $0 + 1 }
    }
    let isMissing = cluster.peers.contains { peer in
      added.contains { !removed.contains($0) && !peer.items.contains($0) }
    }
    return isMissing ? "something is missing" : oracle(cluster)
  }
}
