import Earshot

/// A game of two, which goes on where it was after whatever comes between them.
///
/// What is sent is the whole game, after each move and whenever the two meet. Only the one whose turn it is adds to
/// it, so that of two games that differ the longer one is right.
public actor Match {
  /// The local player.
  public nonisolated let peer: Peer
  /// The game, whenever the two meet and after every move.
  public nonisolated let games: AsyncStream<Stones>
  /// The game as it is now.
  public private(set) var game = Stones()
  /// Whether the local player is to move.
  public var isOnTurn: Bool { opponent.map { game.turn == (peer.id < $0 ? 0 : 1) } ?? false }

  private let opponentName: String
  /// Who the opponent is, as soon as that is known: anybody may use its name.
  private var opponent: PeerID?
  private let session: Session
  private let user: AsyncStream<Stones>.Continuation

  /// A game that begins as soon as the opponent is nearby and wants to play with this player.
  public init(
    _ name: String, against opponent: String, on host: any NetworkHost,
    patience: Duration = .seconds(30)
  ) async throws {
    opponentName = opponent
    peer = try await Peer(name, trusting: .anyPeer, on: host)
    session = try await peer.makeSession(.init(maximumMemberCount: 1, patience: patience))
    let advertiser = try await peer.advertise("example-game")
    let browser = try await peer.browse("example-game")
    (games, user) = AsyncStream.makeStream()
    peer.addTask("play") { await self.listen() }
    peer.addTask("be found") { await self.take(advertiser.invitations) }
    peer.addTask("look for \(opponent)") { try await self.lookForOpponent(browser) }
  }

  /// Takes some stones, if it is the local player's turn and the rules permit it.
  ///
  /// - Returns: Whether that was so.
  public func take(_ count: UInt8) -> Bool {
    guard isOnTurn, game.take(count) else { return false }
    user.yield(game)
    share()
    return true
  }

  /// Leaves; the other player gets what was sent.
  public func stop() async {
    await peer.stop()
    user.finish()
  }

  private func listen() async {
    for await activity in session.activity {
      switch activity {
      case .event(.joined(let member)):
        opponent = member.id
        user.yield(game)
        share()
      case .message(let message):
        guard let theirs = Stones(moves: message.bytes), theirs.moves.count > game.moves.count,
          theirs.moves.starts(with: game.moves)
        else { continue }
        game = theirs
        user.yield(game)
      default: break
      }
    }
  }

  /// Sends the game; an opponent who is not a member gets it when the two meet again.
  private func share() { _ = try? session.trySend(game.moves) }

  private func take(_ invitations: EventStream<Invitation>) async {
    for await invitation in invitations {
      if isOpponent(invitation.sender, invitation.senderName) {
        _ = try? await invitation.accept(into: session)
      } else {
        await invitation.decline(.busy)
      }
    }
  }

  /// Invites the opponent whenever it is nearby and not a member.
  private func lookForOpponent(_ browser: Browser) async throws {
    while true {
      let found = await browser.peers.first { isOpponent($0.id, $0.name) }
      if let found, await session.members.isEmpty {
        _ = try? await peer.invite(found.id, to: session, within: .seconds(5))
      }
      try await peer.host.sleep(for: .seconds(1))
    }
  }

  private func isOpponent(_ id: PeerID, _ name: String) -> Bool {
    opponent.map { $0 == id } ?? (name == opponentName)
  }
}
