package import EarshotCore
import EarshotNetwork

extension Session {
  /// The connection that carries a membership, as one of its ends sees it.
  package struct Carrier: Hashable, Sendable {
    /// The ends, this side's first.
    package let local, remote: Endpoint

    package init(local: Endpoint, remote: Endpoint) { (self.local, self.remote) = (local, remote) }

    /// Whether it is the same connection as one that the other end sees.
    package func isOtherEnd(of other: Carrier) -> Bool {
      local == other.remote && remote == other.local
    }
  }

  /// What tells it from all other sessions, also those of other peers.
  package nonisolated var id: SessionID { core.id }

  /// The session of a member at the other end of its membership; `nil` when it is no member.
  ///
  /// Must be called on the executor of the peer's host.
  package nonisolated func session(of member: PeerID) -> SessionID? {
    core.assumeIsolated { $0.memberships[member]?.remoteSession }
  }

  /// The connection that carries the membership of a peer; `nil` while none does.
  ///
  /// Must be called on the executor of the peer's host.
  package nonisolated func carrier(of member: PeerID) -> Carrier? {
    let connection = core.assumeIsolated { $0.memberships[member]?.connection }
    return connection.map { Carrier(local: $0.localEndpoint, remote: $0.remoteEndpoint) }
  }
}

extension Membership {
  /// The connection that carries it.
  nonisolated var connection: (any Connection)? {
    assumeIsolated { $0.carrier?.assumeIsolated { $0.transport?.connection } }
  }
}
