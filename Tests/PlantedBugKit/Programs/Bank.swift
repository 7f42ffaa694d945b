/// Peers send each other money, each sum until it is acknowledged.
struct Bank: Program {
  private(set) var balance = 1_000
  private(set) var unacknowledged: [(to: Int, number: Int, sum: Int, tries: Int)] = []
  private var number = 0
  private var credited: Set<[Int]> = []

  init(_ turn: inout Turn) {}

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    if message[0] == 0 {
      if credited.insert([sender, message[1]]).inserted { balance += message[2] }
      turn.send([1, message[1]], to: sender)
    } else {
      unacknowledged.removeAll { $0.to == sender && $0.number == message[1] }
    }
  }

  mutating func tick(_ turn: inout Turn) {
    if turn.time < 12_000, turn.chance(10),
      let peer = turn.others.randomElement(using: &turn.random)
    {
      number += 1
      balance -= number
      unacknowledged.append((peer, number, number, 0))
    }
    for index in unacknowledged.indices {
      unacknowledged[index].tries += 1
      let transfer = unacknowledged[index]
      turn.send([0, transfer.number, transfer.sum], to: transfer.to)
    }
    guard turn.flaw == .refundOnTimeout else { return }
    balance += unacknowledged.filter { $0.tries > 8 }.reduce(0) { $0 + $1.sum }
    unacknowledged.removeAll { $0.tries > 8 }
  }

  static func oracle(_ cluster: Cluster<Bank>) -> String? {
    let sum = cluster.peers.reduce(0) { $0 + $1.balance }
    return sum == 1_000 * cluster.peers.count ? nil : "the sum of all balances has changed"
  }
}
