/// A server lends a lock for a while, and takes writes from whom it lent it last.
struct Lock: Program {
  // Of the server.
  private var token: Int
  private var highest: Int
  private var holder = -1
  private var expiry = 0
  // Of a client.
  private(set) var writes = 0
  private var held: (token: Int, since: Int)?
  private var used = 0

  init(_ turn: inout Turn) {
    token = turn.flaw == .tokenForgotten ? 0 : turn.disk["token"]?[0] ?? 0
    highest = turn.disk["highest"]?[0] ?? 0
    writes = turn.disk["writes"]?[0] ?? 0
    used = turn.disk["used"]?[0] ?? 0
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    switch message[0] {
    case 0: lend(to: sender, &turn)
    case 1:
      guard held == nil, message[1] > used else { return }
      (held, used) = ((message[1], turn.clock), message[1])
      turn.disk["used"] = [used]
      turn.note(0, used)
    case 2: write(message[1], of: sender, &turn)
    default:
      guard held?.token == message[1] else { return }
      (held, writes) = (nil, writes + 1)
      turn.disk["writes"] = [writes]
    }
  }

  private mutating func lend(to client: Int, _ turn: inout Turn) {
    let isFree = holder < 0 || turn.clock >= expiry && turn.flaw != .noExpiry
    guard isFree || holder == client else { return }
    if isFree {
      token += 1
      (holder, expiry) = (client, turn.clock + 1_000)
      turn.disk["token"] = [token]
    }
    turn.send([1, token], to: client)
  }

  private mutating func write(_ token: Int, of client: Int, _ turn: inout Turn) {
    guard token >= highest || turn.flaw == .noFencing else { return }
    if token != highest { turn.note(1, token) }
    highest = max(highest, token)
    turn.disk["highest"] = [highest]
    if holder == client { holder = -1 }
    turn.send([3, token], to: client)
  }

  mutating func tick(_ turn: inout Turn) {
    guard turn.id > 0 else { return }
    guard let held else {
      if writes < 4, turn.chance(25) { turn.send([0, 0], to: 0) }
      return
    }
    let age = turn.clock - held.since
    if age > 200 { turn.send([2, held.token], to: 0) }
    if age > 900 { self.held = nil }
  }

  static func oracle(_ cluster: Cluster<Lock>) -> String? {
    var holders: [Int: Int] = [:]
    for note in cluster.notes where note[1] == 0 {
      if let holder = holders.updateValue(note[0], forKey: note[2]), holder != note[0] {
        return "two have held one token"
      }
    }
    let writes = cluster.notes.filter { $0[1] == 1 }.map { $0[2] }
    if writes != writes.sorted() { return "a late write came after that of the next holder" }
    return cluster.peers.dropFirst().contains { $0.writes < 4 }
      ? "a client has waited for ever" : nil
  }
}
