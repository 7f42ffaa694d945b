/// One peer sends a file to all others, in numbered chunks and with a window.
struct FileTransfer: Program {
  private static let (window, chunks) = (4, 90)
  // Of the sender, for each receiver: the first chunk that is not acknowledged, and the next one to send.
  private var base: [Int]
  private var next: [Int]
  private var waited: [Int]
  // Of a receiver.
  private(set) var received: [Int] = []
  private var highest = 0

  init(_ turn: inout Turn) {
    base = Array(repeating: 0, count: turn.count)
    (next, waited) = (base, base)
  }

  /// The number of a chunk on its way.
  private func number(_ chunk: Int, _ turn: Turn) -> Int {
    turn.flaw == .shortSequenceNumbers ? chunk % Self.window : chunk
  }

  mutating func tick(_ turn: inout Turn) {
    guard turn.id == 0 else { return }
    for peer in turn.others {
      waited[peer] += 1
      if waited[peer] > 4, base[peer] < next[peer] {
        next[peer] = turn.flaw == .resendsPastBase ? base[peer] + 1 : base[peer]
        waited[peer] = 0
      }
      send(to: peer, &turn)
    }
  }

  private mutating func send(to peer: Int, _ turn: inout Turn) {
    let end = min(base[peer] + Self.window, Self.chunks)
    guard next[peer] < end else { return }
    turn.send([0, number(next[peer], turn), next[peer]], to: peer)
    next[peer] += 1
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    if message[0] == 0 {
      if message[1] == number(received.count, turn) { received.append(message[2]) }
      highest = max(highest, message[2] + 1)
      let isGapless = turn.flaw != .acknowledgesBeyondGap
      turn.send([1, isGapless ? received.count : highest], to: sender)
    } else if message[1] > base[sender] {
      (base[sender], waited[sender]) = (message[1], 0)
      next[sender] = max(next[sender], base[sender])
    }
  }

  static func oracle(_ cluster: Cluster<FileTransfer>) -> String? {
    let files = cluster.peers.dropFirst().map(\.received)
    if files.contains(where: { $0 != Array(0..<$0.count) }) { return "a file is not what was sent" }
    return files.contains { $0.count < chunks } ? "a file is not complete" : nil
  }
}
