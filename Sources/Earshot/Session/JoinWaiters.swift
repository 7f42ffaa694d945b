/// Calls that wait until it is known whether a peer becomes a member, each for a time of its own.
struct JoinWaiters {
  typealias Waiter = @Sendable (Bool) -> Void

  /// The first that have come are the first that wait no longer.
  private var waiters: [PeerID: [(tell: Waiter, deadline: Instant)]] = [:]

  /// Who is waited for, in order.
  var peers: [PeerID] { waiters.keys.sorted() }

  /// Has a call wait for a peer.
  ///
  /// - Returns: Until when the first of those that wait for it does.
  mutating func add(_ waiter: @escaping Waiter, for peer: PeerID, until deadline: Instant)
    -> Instant
  {
    waiters[peer, default: []].append((waiter, deadline))
    return waiters[peer]?.first?.deadline ?? deadline
  }

  /// Takes out all that wait for a peer.
  mutating func take(_ peer: PeerID) -> [Waiter] {
    (waiters.removeValue(forKey: peer) ?? []).map(\.tell)
  }

  /// Takes out those that wait no longer for a peer.
  ///
  /// - Returns: They, and until when the next one waits.
  mutating func takeDue(_ peer: PeerID, at now: Instant) -> (due: [Waiter], next: Instant?) {
    let all = waiters[peer] ?? []
    let rest = all.drop { $0.deadline <= now }
    waiters[peer] = rest.isEmpty ? nil : Array(rest)
    return (all.prefix(all.count - rest.count).map(\.tell), rest.first?.deadline)
  }
}
