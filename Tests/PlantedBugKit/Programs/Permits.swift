/// A server lends two permits; who has waited too long cancels the request.
struct Permits: Program {
  // Of the server: who has a permit, who waits, and the last request of each that is over.
  private(set) var holders: [[Int]] = []
  private var queue: [[Int]] = []
  private var over: [Int]
  // Of a client.
  private enum State { case idle, waiting(since: Int), holding(since: Int), ending }
  private var state = State.idle
  private var request = 0
  private var isCancelled = false

  init(_ turn: inout Turn) { over = Array(repeating: 0, count: turn.count) }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    let key = [sender, message[1]]
    switch message[0] {
    case 0: ask(key, &turn)
    case 1:
      if message[1] == request, case .waiting = state { state = .holding(since: turn.time) }
    case 2, 3: finish(key, isCancelled: message[0] == 3, &turn)
    default: if message[1] == request { state = .idle }
    }
  }

  private mutating func ask(_ key: [Int], _ turn: inout Turn) {
    guard key[1] > over[key[0]] else { return }
    if !holders.contains(key), !queue.contains(key) { queue.append(key) }
    lend(&turn)
    if holders.contains(key) { turn.send([1, key[1]], to: key[0]) }
  }

  private mutating func lend(_ turn: inout Turn) {
    while holders.count < 2, !queue.isEmpty {
      let key = queue.removeFirst()
      holders.append(key)
      turn.send([1, key[1]], to: key[0])
    }
  }

  private mutating func finish(_ key: [Int], isCancelled: Bool, _ turn: inout Turn) {
    over[key[0]] = max(over[key[0]], key[1])
    queue.removeAll { $0 == key }
    // The permit of a request that is cancelled may be on its way.
    if !isCancelled || turn.flaw != .leakOnCancel { holders.removeAll { $0 == key } }
    lend(&turn)
    turn.send([4, key[1]], to: key[0])
  }

  mutating func tick(_ turn: inout Turn) {
    guard turn.id > 0 else { return }
    switch state {
    case .idle:
      guard turn.time < 15_000, turn.chance(20) else { return }
      request += 1
      state = .waiting(since: turn.time)
      turn.send([0, request], to: 0)
    case .waiting(let since):
      if turn.time - since > 1_500 { (state, isCancelled) = (.ending, true) }
      turn.send([0, request], to: 0)
    case .holding(let since):
      if turn.time - since > 300 { (state, isCancelled) = (.ending, false) }
    case .ending: turn.send([isCancelled ? 3 : 2, request], to: 0)
    }
  }

  static func oracle(_ cluster: Cluster<Permits>) -> String? {
    cluster.peers[0].holders.isEmpty ? nil : "a permit has not come back"
  }
}
