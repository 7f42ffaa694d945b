import EarshotCore

/// Peers elect a leader for each term, by a majority.
struct Election: Program {
  private var term: Int
  private var vote: Int
  private var votes: Set<Int> = []
  private var isCandidate = false
  private var isLeader = false
  private var patience: Int

  init(_ turn: inout Turn) {
    term = turn.disk["term"]?[0] ?? 0
    vote = turn.flaw == .voteForgotten ? -1 : turn.disk["vote"]?[0] ?? -1
    patience = 3 + Int(turn.random.below(9))
  }

  private mutating func enter(_ term: Int, voting vote: Int, _ turn: inout Turn) {
    if term > self.term { (isCandidate, isLeader, votes) = (false, false, []) }
    (self.term, self.vote) = (term, vote)
    (turn.disk["term"], turn.disk["vote"]) = ([term], [vote])
  }

  private func isMajority(_ count: Int, _ turn: Turn) -> Bool {
    turn.flaw == .smallQuorum ? 2 * count >= turn.count - 1 : 2 * count > turn.count
  }

  mutating func tick(_ turn: inout Turn) {
    if isLeader { turn.sendAll([2, term]) }
    // Leaders come and go, as their users do.
    if isLeader, turn.time < 12_000, turn.chance(3) { isLeader = false }
    guard !isLeader else { return }
    if isCandidate {
      for peer in turn.others where !votes.contains(peer) { turn.send([0, term], to: peer) }
    }
    patience -= 1
    guard patience < 0 else { return }
    patience = 5 + Int(turn.random.below(8))
    enter(term + 1, voting: turn.id, &turn)
    isCandidate = true
    votes = [turn.id]
    turn.sendAll([0, term])
    lead(&turn)
  }

  private mutating func lead(_ turn: inout Turn) {
    guard isCandidate, isMajority(votes.count, turn) else { return }
    (isCandidate, isLeader) = (false, true)
    turn.note(term)
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    if message[1] > term { enter(message[1], voting: -1, &turn) }
    switch message[0] {
    case 0:
      guard message[1] == term, vote < 0 || vote == sender else { return }
      enter(term, voting: sender, &turn)
      patience = 4 + Int(turn.random.below(8))
      turn.send([1, term], to: sender)
    case 1:
      guard message[1] == term || turn.flaw == .staleVotes else { return }
      votes.insert(sender)
      lead(&turn)
    default:
      if message[1] == term { patience = 4 + Int(turn.random.below(8)) }
    }
  }

  static func oracle(_ cluster: Cluster<Election>) -> String? {
    var leaders: [Int: Int] = [:]
    for note in cluster.notes {
      if let leader = leaders.updateValue(note[0], forKey: note[1]), leader != note[0] {
        return "two leaders of one term"
      }
    }
    return nil
  }
}
