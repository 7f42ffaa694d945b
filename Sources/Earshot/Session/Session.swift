/// A group of peers that send each other messages.
///
/// Comes from ``Peer/makeSession(_:)``, or from accepting an invitation. Everybody is linked with everybody;
/// whoever joins one member is introduced to all. A member whose link breaks is waited for, and misses nothing
/// if it comes back within the session's patience.
///
/// Leave it with ``disconnect(within:)``. A session that is released is left in the same way, with two seconds for
/// what was sent. A call that has not returned and a stream of ``events`` or a loop over it hold the session.
public actor Session {
  /// Runs where its peer's host runs.
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// How it behaves.
  public nonisolated var configuration: Configuration { core.configuration }
  /// Everything that happens, in order; ends after ``disconnect(within:)``.
  ///
  /// Messages that nobody takes hold up their senders, so take them.
  public nonisolated var events: EventStream<SessionEvent> { EventStream(core.hub, of: self) }

  nonisolated let core: SessionCore
  private nonisolated let peer: Peer

  init(_ core: SessionCore, of peer: Peer) {
    unownedExecutor = core.unownedExecutor
    (self.core, self.peer) = (core, peer)
    core.assumeIsolated { $0.handle = self }
  }

  deinit {
    if !core.directory.isEnded { core.peer.released(.session(core.id)) }
  }

  // MARK: Members

  /// The members that are connected or waited for, ordered by identifier.
  public var members: [Member] { core.assumeIsolated { $0.members } }

  /// What went over the link to a member, or `nil` if it is none.
  public func statistics(of member: PeerID) -> LinkStatistics? {
    core.assumeIsolated { $0.statistics(of: member) }
  }

  /// Ends the membership of one member, which is told so; the others keep theirs.
  ///
  /// What was sent to it before is still delivered; a member whose link is broken is waited for as long as the
  /// session's patience lasts, and at least five seconds.
  public func remove(_ member: PeerID) {
    core.assumeIsolated { $0.remove(member) }
  }

  // MARK: Sending

  /// Sends a message reliably: in order, exactly once, also across a link that breaks and comes back.
  ///
  /// Returns when the message is in the outbox of every member that it goes to. A member whose outbox is full is
  /// waited for, the first caller first, whatever the size of its message; the other members get the message
  /// without waiting for it. An outbox that is smaller than the message takes it when nothing else is in it.
  ///
  /// May be called from anywhere; messages of one caller keep their order. Cancelling the task takes the message
  /// back from the outboxes that it still waits for; if there are none, the call succeeds.
  ///
  /// - Parameters:
  ///   - message: Any number of bytes up to the configuration's `messageBytesMax`, and up to what each of the
  ///     members takes.
  ///   - members: Whom it is for; all members by default, also if there are none.
  /// - Throws: `messageTooLarge`, `sessionEnded` or `notConnected` before anything was sent. `notConnected` also
  ///   names members that left before there was room for the message, and `cancelled` those for whom it was
  ///   taken back or that left: all others get it.
  public nonisolated func send(
    _ message: [UInt8], to members: [PeerID]? = nil
  ) async throws(EarshotError) {
    let entries = try core.directory.entries(of: members)
    try check(message, for: entries)
    var gone: [PeerID] = []
    var pending: PendingSend?
    for entry in entries {
      switch entry.stream.append(message) {
      case .appended: break
      case .ended: gone.append(entry.id)
      case .full:
        let send = pending ?? PendingSend()
        send.wait(for: entry, toTake: message)
        pending = send
      }
    }
    if let pending {
      defer { withExtendedLifetime(self) {} }
      gone += try await Self.settled(pending)
    }
    if !gone.isEmpty, members != nil { throw SessionDirectory.notConnected(gone) }
  }

  private nonisolated func check(
    _ message: [UInt8], for entries: [SessionDirectory.Entry]
  ) throws(EarshotError) {
    guard message.count <= configuration.messageBytesMax else {
      throw EarshotError(
        .messageTooLarge,
        "The message has \(message.count) bytes; this session takes \(configuration.messageBytesMax)."
      )
    }
    for entry in entries where message.count > entry.stream.remoteMessageBytesMax {
      throw EarshotError(
        .messageTooLarge,
        "The message has \(message.count) bytes; \(entry.id.short) takes "
          + "\(entry.stream.remoteMessageBytesMax).", peers: [entry.id])
    }
  }

  /// Waits for room in all outboxes; answers who was a member no longer.
  private static func settled(_ pending: PendingSend) async throws(EarshotError) -> [PeerID] {
    let (gone, withdrawn) = await pending.settled()
    guard withdrawn.isEmpty else {
      let missing = (withdrawn + gone).sorted()
      let names = missing.map(\.short).joined(separator: ", ")
      throw EarshotError(
        .cancelled, "Sending was cancelled while the outbox was full: \(names) does not get it.",
        peers: missing)
    }
    return gone
  }

  // MARK: Ending

  /// Leaves the session: what was sent is delivered, then the members are told.
  ///
  /// Leaving again waits for the same end; cancelling changes nothing.
  ///
  /// - Parameter limit: How long delivering may take; what is left then counts as undelivered.
  public func disconnect(within limit: Duration = .seconds(2)) async {
    await core.leave(within: limit)
  }

  /// What a series of events amounts to: messages and ends stay, an interruption that was overcome goes.
  package static func summary(of events: [SessionEvent]) -> [SessionEvent] {
    var kept: [SessionEvent?] = []
    var interruptions: [PeerID: Int] = [:]
    for event in events {
      switch event {
      case .interrupted(let id, _): interruptions[id] = kept.count
      case .resumed(let id):
        guard let index = interruptions.removeValue(forKey: id) else { break }
        kept[index] = nil
        continue
      case .left(let id, _, _): interruptions[id] = nil
      case .joined, .message: break
      }
      kept.append(event)
    }
    return kept.compactMap(\.self)
  }
}
