/// A group of peers that send each other messages and streams.
///
/// Comes from ``Peer/makeSession(_:)``, or from accepting an invitation. Each member is linked with every other;
/// a peer that joins one member is introduced to all. A member whose link breaks is waited for, and misses nothing
/// if it comes back within the session's patience. It is looked for where it was, where other members say it is, and
/// by discovery, under the services that the session's peer advertises or browses for.
///
/// Leave it with ``stop(within:)``. A session that is released is left in the same way, with two seconds for what was
/// sent. A call that has not returned and a sequence of ``events``, ``snapshots``,
/// ``messages``, ``streams`` or ``activity``, or a loop over it, hold the session. A ``ByteStream`` does not.
public actor Session {
  /// Runs where its peer's host runs.
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// The settings of the session, with each number in its range.
  public nonisolated var configuration: Configuration { core.configuration }
  /// The present state and the changes of the members, in order; ends after ``stop(within:)``.
  ///
  /// Each loop begins with `joining`, `joined` and `interrupted` for the peers of which that is the present state.
  /// Independent of ``messages``: neither holds up the other. Events that no loop takes are summed up from 65,536 on:
  /// an interruption that was overcome goes.
  public nonisolated var events: EventStream<SessionEvent> { events(from: .present) }
  /// The changes of the members, from a given place on.
  ///
  /// - Parameter start: Where each loop begins: with the present state, as with ``events``, or with the first event that
  ///   no loop has got yet.
  /// - Returns: The events; each loop over them is a consumer of its own.
  public nonisolated func events(from start: EventStart) -> EventStream<SessionEvent> {
    EventStream(core.events, from: start, of: self)
  }
  /// The messages of all members; ends after ``stop(within:)``.
  ///
  /// The messages of one member are in the order in which it sent them. Messages that no loop takes hold up their
  /// senders, each as soon as the configuration's `receiveWindowBytes` are waiting, so take them.
  public nonisolated var messages: MessageStream { MessageStream(activity) }
  /// The messages and the changes of the members, in one order; ends after ``stop(within:)``.
  ///
  /// A member's messages stand behind its `joined` and in front of its `left`. A loop over it is a consumer of the
  /// messages: each goes to every loop over this or over ``messages``.
  public nonisolated var activity: EventStream<SessionActivity> {
    EventStream(core.activity, of: self)
  }

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
  public var members: [Member] { core.members }

  /// The members and the peers that are joining, ordered by identifier: at once, and then after every change.
  ///
  /// A consumer that takes them slowly gets the latest list and misses those before it. Ends when the session does,
  /// after the last list, which is empty.
  public nonisolated var snapshots: SnapshotStream<[Member]> {
    SnapshotStream(core.present, of: self)
  }

  /// The traffic with a member, or `nil` if the peer is not a member.
  public func statistics(of member: PeerID) -> MemberStatistics? {
    core.assumeIsolated { $0.statistics(of: member) }
  }

  /// Ends the membership of one member, which is told so; the others keep theirs.
  ///
  /// What was sent to it before is still delivered; a member whose link is broken is waited for as long as the
  /// session's patience lasts, and at least five seconds. If it asks to join again later, it receives the removal then.
  /// It joins again only by an invitation.
  public func remove(_ member: PeerID) {
    core.assumeIsolated { $0.remove(member) }
  }

  // MARK: Ending

  /// Leaves the session: what was sent is delivered, then the members are told.
  ///
  /// So is what was written to streams that are finished; all other streams end at once.
  ///
  /// Calls of `send` that wait for room are refused. Leaving again, or stopping the peer meanwhile, waits for the same end,
  /// which comes when the first of all limits is over at the latest; cancelling changes nothing.
  ///
  /// - Parameter limit: How long delivering may take; a negative time counts as zero. Messages that
  ///   are not known to have arrived then count as undelivered.
  public func stop(within limit: Duration = .seconds(2)) async {
    await core.leave(within: limit)
  }
}
