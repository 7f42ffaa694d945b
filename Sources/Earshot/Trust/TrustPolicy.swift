import EarshotCore

/// Which other peers a ``Peer`` has to do with.
///
/// Every link proves who the remote peer is: its ``PeerID`` is the hash of the key that has signed the handshake. A policy
/// says whose word counts. What is refused never learns this peer's name: it hears that it is not trusted, and its
/// invitations and their contexts reach no program. Discovery is not affected: what is announced nearby is a hint that
/// everybody can forge.
public struct TrustPolicy: Sendable, Hashable {
  private enum Kind: Hashable, Sendable {
    case any
    case pinned(Set<PeerID>)
  }
  private let kind: Kind

  /// Every peer that proves its own key, whoever that is: programs, or the people who use them, have to find out
  /// whether it is the one that they mean.
  public static let anyPeer = TrustPolicy(kind: .any)

  /// These peers and no others, such as those whose identifiers were compared, or scanned from a screen, before.
  public static func pinned(_ peers: Set<PeerID>) -> TrustPolicy {
    TrustPolicy(kind: .pinned(peers))
  }

  /// Whether a peer is trusted that has proved who it is.
  public func trusts(_ peer: PeerID) -> Bool {
    switch kind {
    case .any: true
    case .pinned(let peers): peers.contains(peer)
    }
  }
}
