/// A value that every peer can write, and that all tell each other: the last write wins.
struct Register: Program {
  private(set) var stamp = 0
  private(set) var writer = -1
  private(set) var value = 0
  private var written = 0

  init(_ turn: inout Turn) {}

  mutating func tick(_ turn: inout Turn) {
    if turn.time < 12_000, turn.chance(4) {
      let overwritten = value
      stamp = turn.flaw == .wallClock ? turn.clock : stamp + 1
      written += 1
      (writer, value) = (turn.id, 1_000 * (turn.id + 1) + written)
      turn.note(value, overwritten)
    }
    if turn.chance(50) { turn.sendAll([0, stamp, writer, value]) }
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    let isNewer =
      turn.flaw == .noTieBreak
      ? message[1] > stamp : (message[1], message[2], message[3]) > (stamp, writer, value)
    if isNewer { (stamp, writer, value) = (message[1], message[2], message[3]) }
  }

  static func oracle(_ cluster: Cluster<Register>) -> String? {
    let values = cluster.peers.map(\.value)
    if Set(values).count > 1 { return "the copies differ" }
    // Notes: peer, value, what it overwrote.
    if cluster.notes.contains(where: { $0[2] == values.first && $0[2] != 0 }) {
      return "the value is one that was overwritten"
    }
    return nil
  }
}
