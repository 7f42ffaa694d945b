/// A session of this peer and one of another peer.
package struct SessionPair: Hashable, Sendable {
  /// The session of this peer.
  package let local: SessionID
  /// The other peer.
  package let peer: PeerID
  /// Its session.
  package let remote: SessionID

  /// Two sessions.
  package init(local: SessionID, peer: PeerID, remote: SessionID) {
    (self.local, self.peer, self.remote) = (local, peer, remote)
  }
}
