/// A group chat: everyone tells everyone, each line until it is acknowledged, and some lines answer others.
struct Chat: Program {
  private(set) var shown: [[Int]] = []
  private var held: [(line: [Int], answers: [Int])] = []
  private var number = 0
  private var pending = Unacknowledged()
  private var last: [Int: Int] = [:]

  init(_ turn: inout Turn) {}

  mutating func tick(_ turn: inout Turn) {
    if turn.time < 12_000, turn.chance(6) {
      number += 1
      let question = shown.last ?? []
      for peer in turn.others { pending.add([0, number] + question, to: peer, &turn) }
      shown.append([turn.id, number])
    }
    pending.sendAgain(&turn)
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    guard message[0] == 0 else { return pending.remove(message[1], to: sender) }
    turn.send([1, message[1]], to: sender)
    let line = [sender, message[1]]
    if turn.flaw == .lateMessageDropped {
      guard message[1] > last[sender] ?? 0 else { return }
      last[sender] = message[1]
    }
    guard !shown.contains(line), !held.contains(where: { $0.line == line }) else { return }
    held.append((line, Array(message.dropFirst(2))))
    showHeld(&turn)
  }

  private mutating func showHeld(_ turn: inout Turn) {
    while let index = held.firstIndex(where: { line in
      turn.flaw == .noCausalOrder || line.answers.isEmpty || shown.contains(line.answers)
    }) {
      let (line, answers) = held.remove(at: index)
      if !answers.isEmpty, !shown.contains(answers) { turn.note(line[0]) }
      shown.append(line)
    }
  }

  static func oracle(_ cluster: Cluster<Chat>) -> String? {
    if !cluster.notes.isEmpty { return "an answer was shown before its question" }
    return Set(cluster.peers.map(\.shown.count)).count > 1 ? "a line is missing" : nil
  }
}
