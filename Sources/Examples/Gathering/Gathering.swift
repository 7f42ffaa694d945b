import Earshot

/// All who are nearby, each connected with all others, without a question.
///
/// Whoever comes is invited, whoever is lost is invited again for as long as it is nearby, and what is published
/// goes to all. When the app is about to be suspended, say ``suspend()``, and afterwards ``resume()``; should there
/// be no time for that, the gathering finds together again all the same.
public actor Gathering {
  /// The local participant.
  public nonisolated let peer: Peer
  /// What the others publish.
  public nonisolated var posts: MessageStream { session.messages }
  /// Who comes, and who goes.
  public nonisolated var events: EventStream<SessionEvent> { session.events }
  /// Who is here, the local peer aside.
  public var members: [Member] { get async { await session.members } }

  private nonisolated let session: Session
  private let advertiser: Advertiser
  private let browser: Browser
  /// Who is nearby, and invited unless it is a member.
  private var guests: Set<PeerID> = []

  /// A gathering of those who are nearby, this participant included.
  public init(
    _ name: String, on host: any NetworkHost, upTo maximumMemberCount: Int = 7,
    patience: Duration = .seconds(30)
  ) async throws {
    peer = try await Peer(name, trusting: .anyPeer, on: host)
    session = try await peer.makeSession(
      .init(maximumMemberCount: maximumMemberCount, patience: patience))
    advertiser = try await peer.advertise("gathering")
    browser = try await peer.browse("gathering")
    try await advertiser.acceptInvitations(into: session)
    peer.addTask("look around") { await self.lookAround() }
  }

  /// Sends a text to all members, also to those that are waited for at the moment.
  public nonisolated func publish(_ text: String) async throws {
    try await session.send(text.utf8, to: .present)
  }

  /// To be called when the app is about to be suspended: the others know that it will be back.
  public func suspend() async { await peer.suspend() }

  /// To be called when the app is in the foreground again; waits until there is a network.
  public func resume() async throws { try await peer.resume() }

  /// Leaves, and says so.
  public func stop() async { await peer.stop() }

  // MARK: Coming together

  private func lookAround() async {
    for await nearby in browser.snapshots {
      for peer in nearby where guests.insert(peer.id).inserted {
        self.peer.addTask("invite \(peer.name)") { try await self.keepInviting(peer.id) }
      }
    }
  }

  /// Invites a peer, and again when it is lost, until it is no longer nearby.
  private func keepInviting(_ id: PeerID) async throws {
    defer { guests.remove(id) }
    while await browser.peers.contains(where: { $0.id == id }) {
      var outcome: InvitationOutcome?
      if await !members.contains(where: { $0.id == id }) {
        outcome = try? await peer.invite(id, to: session, within: .seconds(10))
      }
      try await peer.host.sleep(for: outcome == .full ? .seconds(10) : .seconds(1))
    }
  }
}
