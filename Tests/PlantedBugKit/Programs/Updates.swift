/// A server sends what has changed since a client was last there, and keeps the last few changes alone.
struct Updates: Program {
  private static let kept = 6
  private(set) var sum = 0
  private var version = 0
  private var log: [(version: Int, change: Int)] = []

  init(_ turn: inout Turn) {}

  mutating func tick(_ turn: inout Turn) {
    if turn.id > 0 { return turn.send([0, version], to: 0) }
    guard turn.time < 12_000, turn.chance(25) else { return }
    version += 1
    sum += version
    log.append((version, version))
    if log.count > Self.kept { log.removeFirst() }
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    switch message[0] {
    case 0:
      let isKept = message[1] + 1 >= log.first?.version ?? 0
      if isKept || turn.flaw == .trimmedLog {
        for entry in log where entry.version > message[1] {
          turn.send([1, entry.version, entry.change, message[1]], to: sender)
        }
      } else {
        turn.send([2, version, sum], to: sender)
      }
    case 1:
      let isNext = message[1] == version + 1
      guard isNext || turn.flaw == .trimmedLog && message[1] > version && message[3] >= version
      else { return }
      version = message[1]
      sum += message[2]
    default: if message[1] > version { (version, sum) = (message[1], message[2]) }
    }
  }

  static func oracle(_ cluster: Cluster<Updates>) -> String? {
    Set(cluster.peers.map(\.sum)).count > 1 ? "a copy differs" : nil
  }
}
