import Earshot
import EarshotTLS

/// A peer that is to come to a ground.
struct Newcomer: Sendable {
  let name: String
  let identity: Identity

  init(_ name: String, _ identity: Identity = Identity()) {
    (self.name, self.identity) = (name, identity)
  }

  var id: PeerID { identity.id }
}

extension Ground {
  /// Has peers do something who trust others by policies of their own.
  func meet(
    _ guests: [Newcomer], trusting policies: [TrustPolicy],
    _ body: @escaping @Sendable ([Peer]) async throws -> Void
  ) async throws {
    try await meetOnHosts(guests.count) { hosts in
      var peers: [Peer] = []
      for ((guest, policy), host) in zip(zip(guests, policies), hosts) {
        peers.append(
          try await Peer(guest.name, identity: guest.identity, trusting: policy, on: host))
      }
      try await body(peers)
      for peer in peers { await peer.stop() }
    }
  }
}

extension Peer {
  /// Accepts all who invite it to a service, for as long as what is returned is held.
  func open(_ service: String, into session: Session) async throws -> Advertiser {
    let advertiser = try advertise(service)
    try await advertiser.acceptInvitations(into: session)
    return advertiser
  }
}
