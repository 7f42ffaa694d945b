/// Peers count, and tell their count: one whose count does not grow is taken for gone.
struct Heartbeats: Program {
  private var count: [Int]
  private var heard: [Int: (count: [Int], at: Int)] = [:]
  /// Those that it takes for gone.
  private(set) var gone: Set<Int> = []

  init(_ turn: inout Turn) {
    let start = turn.disk["start"]?[0] ?? 0
    turn.disk["start"] = [start + 1]
    count = turn.flaw == .restartIgnored ? [0, 0] : [start, 0]
  }

  mutating func tick(_ turn: inout Turn) {
    count[1] += 1
    turn.sendAll([0] + count)
    for peer in turn.others where turn.clock - (heard[peer]?.at ?? 0) > 3_000 { gone.insert(peer) }
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    let (count, last) = (Array(message.dropFirst()), heard[sender]?.count ?? [-1, -1])
    guard last.lexicographicallyPrecedes(count) else { return }
    heard[sender] = (count, turn.clock)
    gone.remove(sender)
  }

  static func oracle(_ cluster: Cluster<Heartbeats>) -> String? {
    cluster.peers.allSatisfy(\.gone.isEmpty) ? nil : "a peer that is there is taken for gone"
  }
}
