import EarshotTLS

/// What a ``Session`` does: its members, and the links to them.
actor SessionCore {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let configuration: Session.Configuration
  nonisolated let id: SessionID
  nonisolated let peer: PeerCore
  nonisolated let directory = SessionDirectory()
  nonisolated let hub: EventHub<SessionEvent>

  /// What the program was given, as long as it holds that.
  weak var handle: Session?

  enum Phase { case open, leaving, ended }
  enum Deadline: Hashable { case member(PeerID), joining(PeerID), roster }
  var phase = Phase.open
  var roster: Roster
  var seats: [PeerID: Seat] = [:]
  var owners: [LinkToken: PeerID] = [:]
  var held: [LinkToken: HeldRequest] = [:]
  var pending: [(PeerID, MembershipMachine.Event)] = []
  var lastStream: UInt64 = 0
  var isUnsettled = false
  var isSettling = false
  var proposed = MembershipID.none
  var timers = TimerTable<Deadline>()
  var timer: (any NetworkTimer)?
  var leavers: [Promise<Void>] = []
  var joiners: [PeerID: [@Sendable (Bool) -> Void]] = [:]
  var random: RandomStream

  init(
    _ configuration: Session.Configuration, id: SessionID, random: RandomStream, peer: PeerCore
  ) {
    unownedExecutor = peer.unownedExecutor
    (self.configuration, self.id, self.peer) = (configuration, id, peer)
    self.random = random
    roster = Roster(of: peer.id, capacity: configuration.peersMax)
    let (directory, host) = (directory, peer.host)
    hub = EventHub(countMax: Self.eventsMax, merge: Session.summary) { events in
      Self.taken(events, directory, at: host.now)
    }
  }

  var now: Instant { peer.host.now }

  // MARK: Members

  var members: [Member] {
    roster.members.map { Member(id: $0.peer, name: $0.displayName) }
  }

  func statistics(of member: PeerID) -> LinkStatistics? {
    guard let seat = seats[member], seat.hasJoined else { return nil }
    return seat.statistics
  }

  func remove(_ member: PeerID) {
    let limit = max(configuration.patience, .seconds(5))
    handle(.leaveRequested(.removed, within: limit), of: member)
  }

  /// Gives the streams of messages that every consumer has taken their window back.
  ///
  /// A stream that ended, whose peer may have begun another one since, wants none back.
  private static func taken(
    _ events: ArraySlice<SessionEvent>, _ directory: SessionDirectory, at now: Instant
  ) {
    var rest = events
    while let first = rest.firstIndex(where: \.isMessage), case .message(let message) = rest[first]
    {
      let (origin, start) = (message.origin, first)
      var (end, bytes) = (start, 0)
      while end < rest.endIndex, case .message(let next) = rest[end], next.origin == origin {
        bytes += next.bytes.count
        end += 1
      }
      directory.source(origin)?.release(messages: end - start, bytes: bytes, at: now)
      rest = rest[end...]
    }
  }

  private static let eventsMax = 65_536
}

extension SessionEvent {
  fileprivate var isMessage: Bool {
    if case .message = self { true } else { false }
  }
}
