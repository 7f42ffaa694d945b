/// A coordinator has all others commit a transaction, or none.
struct Commit: Program {
  private static let transactions = 10
  // Of the coordinator.
  private var number: Int
  private var votes: Set<Int> = []
  private var pending = Unacknowledged()
  // Of the others: what became of each transaction.
  private(set) var outcomes: [Int: Bool] = [:]

  init(_ turn: inout Turn) {
    number = turn.disk["number"]?[0] ?? 0
    let stored = turn.disk["outcomes"] ?? []
    for place in stride(from: 0, to: stored.count, by: 2) {
      outcomes[stored[place]] = stored[place + 1] == 1
    }
    // What is decided is told again; what is not is aborted.
    guard turn.id == 0 else { return }
    for old in 1..<max(1, number + 1) { decide(outcomes[old] ?? false, old, isStored: true, &turn) }
  }

  private mutating func decide(
    _ isCommitted: Bool, _ number: Int, isStored: Bool, _ turn: inout Turn
  ) {
    outcomes[number] = isCommitted
    if isStored { store(&turn) }
    for peer in turn.others { pending.add([2, number, isCommitted ? 1 : 0], to: peer, &turn) }
  }

  private func store(_ turn: inout Turn) {
    turn.disk["number"] = [number]
    turn.disk["outcomes"] = outcomes.sorted { $0.key < $1.key }.flatMap {
      [$0.key, $0.value ? 1 : 0]
    }
  }

  mutating func tick(_ turn: inout Turn) {
    guard turn.id == 0 else { return }
    pending.sendAgain(&turn)
    let isOpen = number > 0 && outcomes[number] == nil
    if isOpen {
      turn.sendAll([0, number])
    } else if pending.isEmpty, number < Self.transactions, turn.chance(20) {
      store(&turn)
      number += 1
      turn.disk["number"] = [number]
      votes = []
    }
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    switch message[0] {
    case 0: if outcomes[message[1]] == nil { turn.send([1, message[1]], to: sender) }
    case 1:
      guard message[1] == number, outcomes[number] == nil else { return }
      votes.insert(sender)
      guard votes.count == turn.count - 1 else { return }
      decide(true, number, isStored: turn.flaw != .decisionNotLogged, &turn)
    case 2:
      if outcomes[message[1]] == nil { outcomes[message[1]] = message[2] == 1 }
      store(&turn)
      turn.send([3, message[1]], to: sender)
    default: pending.remove(message[1], to: sender)
    }
  }

  static func oracle(_ cluster: Cluster<Commit>) -> String? {
    for number in 1...transactions
    where Set(cluster.peers.compactMap { $0.outcomes[number] }).count > 1 {
      return "some have committed and others have not"
    }
    return nil
  }
}
