/// Calls that wait until it is known whether a peer becomes a member.
struct JoinWaiters {
  typealias Waiter = @Sendable (Bool) -> Void

  private var waiters: [PeerID: [Waiter]] = [:]

  /// Who is waited for, in order.
  var peers: [PeerID] { waiters.keys.sorted() }

  mutating func add(_ waiter: @escaping Waiter, for peer: PeerID) {
    waiters[peer, default: []].append(waiter)
  }

  /// Takes out all that wait for a peer.
  mutating func take(_ peer: PeerID) -> [Waiter] { waiters.removeValue(forKey: peer) ?? [] }
}
