package import EarshotCore

/// Ends the search for a peer as soon as one of its addresses answers.
private final class ReachedPeer: DiallingOwner {
  let isOver = Promise<Void>()

  func dialling(
    _ dialling: Dialling, reached link: Link, _ greeting: Hello, at endpoint: Endpoint
  ) {
    link.assumeIsolated { $0.close(.done) }
    isOver.fulfil(())
  }

  func dialling(_ dialling: Dialling, missed code: CloseCode?) { isOver.fulfil(()) }
}

extension Peer {
  /// Dials a peer without an invitation, so that its program learns nothing of it, and explains how
  /// that ended.
  ///
  /// Nothing is dialled if the peer is not trusted, or no address of it is known.
  ///
  /// - Parameters:
  ///   - peer: The other peer.
  ///   - endpoints: Where it may be, besides the endpoints that browsers know.
  /// - Returns: The explanation.
  package func reach(_ peer: PeerID, at endpoints: [Endpoint] = []) async -> PeerExplanation {
    await core.reach(peer, at: endpoints)
    return explanation(of: peer)
  }

  /// The interface on which an endpoint of a peer was received, if its address is one of another
  /// host of the link: the one to dial by first.
  package func interface(of endpoint: Endpoint, of peer: PeerID) -> UInt32? {
    core.assumeIsolated { $0.interface(of: endpoint, of: peer) }
  }

  /// Explains why no peer is known by the beginning of a name or of an identifier.
  package func absence(of word: String) -> PeerAbsence {
    core.assumeIsolated { $0.absence(of: word) }
  }
}

extension PeerCore {
  fileprivate func reach(_ peer: PeerID, at known: [Endpoint]) async {
    let owner = ReachedPeer()
    guard let dialling = dial(peer, at: known, for: owner) else { return }
    await owner.isOver.value { owner.isOver.fulfil(()) }
    if Task.isCancelled { cancel(dialling) }
  }

  private func dial(
    _ peer: PeerID, at known: [Endpoint], for owner: ReachedPeer
  ) -> Dialling? {
    let endpoints = endpoints(of: peer, besides: dialable(known))
    guard phase == .running, peer != id, !endpoints.isEmpty, standing(of: peer) != .refused else {
      return nil
    }
    note(.dialled, of: peer)
    let dialling = Dialling(for: peer, at: endpoints, by: self, owner: owner)
    dialling.assumeIsolated { $0.start() }
    return dialling
  }

  private func cancel(_ dialling: Dialling) {
    dialling.assumeIsolated { $0.cancel(.duplicate) }
  }
}
