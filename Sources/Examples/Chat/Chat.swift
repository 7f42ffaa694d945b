import Earshot

/// A chat of two: who is nearby is asked before a chat begins, and both learn when it ends, and why.
public actor Chat {
  /// What the user is told.
  public enum News: Hashable, Sendable {
    /// Somebody asks for a chat; say ``Chat/answer(_:)``.
    case asked(by: String, greeting: String)
    /// Who asked does not wait for the answer any longer.
    case questionEnded
    case began(with: String)
    case said(String)
    /// The other one is out of reach, or is back; what is said meanwhile arrives later.
    case interrupted, resumed
    case ended(DepartureReason)
  }

  private enum State {
    case free, joining
    case asked(Invitation), chatting(Session)
  }

  /// The local user.
  public nonisolated let peer: Peer
  /// Who is nearby, at once and after every change.
  public nonisolated var nearby: SnapshotStream<[DiscoveredPeer]> { browser.snapshots }
  /// What happens, in order.
  public nonisolated let news: AsyncStream<News>

  private nonisolated let browser: Browser
  private let user: AsyncStream<News>.Continuation
  private var state = State.free

  /// Makes a user visible to others that chat.
  public init(_ name: String, on host: any NetworkHost) async throws {
    peer = try await Peer(name, trusting: .anyPeer, on: host)
    let advertiser = try await peer.advertise("example-chat")
    browser = try await peer.browse("example-chat")
    (news, user) = AsyncStream.makeStream()
    peer.addTask("questions") { await self.take(advertiser.invitations) }
  }

  /// Asks somebody for a chat, and waits for the answer.
  public func ask(_ id: PeerID, greeting: String) async throws -> InvitationOutcome {
    guard case .free = state else { return .busy }
    state = .joining
    defer { if case .joining = state { state = .free } }
    let session = try await peer.makeSession()
    let outcome = try await peer.invite(id, to: session, context: Array(greeting.utf8))
    if outcome == .accepted { begin(session) }
    return outcome
  }

  /// Answers the question that is open.
  public func answer(_ isWelcome: Bool) async throws {
    guard case .asked(let invitation) = state else { return }
    state = .joining
    defer { if case .joining = state { state = .free } }
    guard isWelcome else { return await invitation.decline() }
    begin(try await invitation.accept())
  }

  private func take(_ invitations: EventStream<Invitation>) async {
    for await invitation in invitations {
      guard case .free = state else {
        await invitation.decline(.busy)
        continue
      }
      state = .asked(invitation)
      let greeting = String(decoding: invitation.context, as: UTF8.self)
      user.yield(.asked(by: invitation.senderName, greeting: greeting))
      peer.addTask("question") { await self.forget(invitation) }
    }
  }

  /// Takes a question back that has ended without an answer.
  private func forget(_ invitation: Invitation) async {
    _ = await invitation.waitForEnd()
    guard case .asked(let current) = state, current === invitation else { return }
    state = .free
    user.yield(.questionEnded)
  }

  private func begin(_ session: Session) {
    state = .chatting(session)
    peer.addTask("chat") { await self.listen(to: session) }
  }

  private func listen(to session: Session) async {
    for await activity in session.activity {
      switch activity {
      case .message(let message): user.yield(.said(String(decoding: message.bytes, as: UTF8.self)))
      case .event(.joined(let member)): user.yield(.began(with: member.name))
      case .event(.interrupted): user.yield(.interrupted)
      case .event(.resumed): user.yield(.resumed)
      case .event(.left(_, let reason, _)):
        state = .free
        user.yield(.ended(reason))
        return await session.stop()
      default: break
      }
    }
  }

  /// Says something in the chat.
  public func say(_ text: String) async throws {
    guard case .chatting(let session) = state else { return }
    try await session.send(text.utf8)
  }

  /// Ends the chat; what was said before arrives.
  public func end() async {
    guard case .chatting(let session) = state else { return }
    await session.stop()
  }

  /// Leaves the room.
  public func stop() async {
    await peer.stop()
    user.finish()
  }
}
