/// Peers look for a partner: two that invite each other agree on who invited whom.
struct Pairing: Program {
  private enum State { case idle, inviting(since: Int) }
  private var state = State.idle
  /// The partner that it has invited, or that has invited it.
  private(set) var (guest, host): (Int?, Int?)

  init(_ turn: inout Turn) {}

  private func partner(_ turn: Turn) -> Int? {
    let partner = turn.id ^ 1
    return partner < turn.count ? partner : nil
  }

  mutating func tick(_ turn: inout Turn) {
    guard guest == nil, host == nil, let partner = partner(turn) else { return }
    switch state {
    case .idle:
      // The two begin two seconds apart, so that the one that is later is invited in time.
      if turn.time > 1_500 + 2_000 * (turn.id % 2) {
        state = .inviting(since: turn.time)
        turn.send([0, 0], to: partner)
      }
    case .inviting: turn.send([0, 0], to: partner)
    }
  }

  mutating func receive(_ message: [Int], from sender: Int, _ turn: inout Turn) {
    switch (message[0], state) {
    case (0, .inviting) where turn.flaw != .bothAccept && sender > turn.id: break
    case (0, _):
      guard guest == nil else { return }
      host = sender
      turn.send([1, 0], to: sender)
    default: if host == nil || turn.flaw == .bothAccept { guest = sender }
    }
  }

  static func oracle(_ cluster: Cluster<Pairing>) -> String? {
    let peers = cluster.peers
    for id in stride(from: 0, to: peers.count - 1, by: 2) {
      let hosts = [peers[id], peers[id + 1]].count { $0.host != nil }
      if hosts == 2 { return "both were invited" }
      if hosts == 0 { return "they have not met" }
    }
    return nil
  }
}
