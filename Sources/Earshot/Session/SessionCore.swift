import EarshotTLS
import Synchronization

/// What a ``Session`` does: keeps the roster of its group, and the memberships in it.
actor SessionCore {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let configuration: Session.Configuration
  nonisolated let id: SessionID
  nonisolated let peer: PeerCore
  nonisolated let directory = SessionDirectory()
  nonisolated let events = EventHub<SessionEvent>(
    countMax: eventsMax, merge: SessionEvent.summary,
    restate: { SessionEvent.restate(&$0, with: $1) })
  nonisolated let activity: EventHub<SessionActivity>
  /// The members and the peers that are joining, as reported to the program, ordered by identifier.
  nonisolated let present = SnapshotHub<[Member]>([])
  /// The streams that members open.
  nonisolated let streams = EventHub<ByteStream>(
    countMax: streamsMax, merge: { $0.filter { !$0.isSpent } },
    released: { for stream in $0 { stream.channel.taken(stream.number) } })
  /// The memory that they may fill.
  nonisolated let streamBudget: StreamBudget
  /// The resources that members offer, and those that are sent to them.
  nonisolated let resources: ResourceRegistry
  /// What members want to compare.
  nonisolated let verifications = EventHub<Verification>(
    countMax: verificationsMax, merge: { $0.suffix(verificationsMax) })
  private nonisolated let verifies = Atomic(false)

  /// What the program was given, as long as it holds that.
  weak var handle: Session?

  enum Phase { case open, leaving, ended }
  private enum Deadline: Hashable { case member(PeerID), joining(PeerID), news(PeerID), roster }
  private(set) var phase = Phase.open
  var roster: Roster
  var memberships: [PeerID: Membership] = [:]
  var requests = AttachRequests()
  private(set) var replaced: PeerID?  // Whose membership gives way to another one.
  private var joiners = JoinWaiters()
  private var leavers: [Promise<Void>] = []
  private var deadlines: DeadlineTimer<Deadline>?
  private var random: RandomStream
  private var lastSource: UInt64 = 0
  private var turns = 0  // Of memberships that are being driven, one within another.
  private var isUnsettled = false
  private var isSettling = false

  init(
    _ configuration: Session.Configuration, id: SessionID, random: RandomStream, peer: PeerCore
  ) {
    unownedExecutor = peer.unownedExecutor
    (self.configuration, self.id, self.peer) = (configuration.bounded, id, peer)
    self.random = random
    roster = Roster(of: peer.id, capacity: self.configuration.peersMax)
    streamBudget = StreamBudget(bytes: self.configuration.streamBufferBytes)
    resources = ResourceRegistry(of: id, policy: configuration.resourcePolicy, on: peer.host)
    let (directory, host) = (directory, peer.host)
    activity = EventHub(countMax: Self.eventsMax, merge: SessionActivity.summary) { activities in
      directory.release(activities, at: host.now)
    }
  }

  var now: Instant { peer.host.now }

  /// Whether the program compares verification codes when members want to.
  nonisolated var isVerifying: Bool { verifies.load(ordering: .relaxed) }

  nonisolated func beginVerifying() { verifies.store(true, ordering: .relaxed) }

  /// The invitations of its peer.
  var invitations: Invitations { peer.assumeIsolated { $0.invitations } }

  /// The session's core itself, its memberships, and the links of requests that wait.
  var inside: [any Actor] {
    [self] + memberships.values.flatMap { $0.assumeIsolated { $0.inside } } + requests.links
  }

  // MARK: Members

  nonisolated var members: [Member] { present.current.filter { $0.state != .joining } }

  func statistics(of member: PeerID) -> MemberStatistics? {
    memberships[member]?.assumeIsolated { $0.hasJoined ? $0.statistics : nil }
  }

  func remove(_ member: PeerID) {
    let limit = max(configuration.patience, .seconds(5))
    tell(member, .leaveRequested(.removed, within: limit))
  }

  /// What members are told of this session.
  var terms: SessionTerms {
    SessionTerms(
      seniority: roster.seniority ?? 0, capacity: configuration.peersMax,
      messageBytesMax: configuration.maximumMessageBytes)
  }

  nonisolated func pair(_ peer: PeerID, _ remote: SessionID) -> SessionPair {
    SessionPair(local: id, peer: peer, remote: remote)
  }

  /// Has a membership take an event in, if there is one.
  func tell(_ member: PeerID, _ event: MembershipMachine.Event) {
    memberships[member]?.assumeIsolated { $0.handle(event) }
  }

  /// The memberships, in the order of their peers.
  var membershipsInOrder: [Membership] {
    memberships.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Tells the program what becomes of a member.
  func report(_ event: SessionEvent) {
    switch event {
    case .joining(let member) where isJoining(member.id): return
    case .joined(let member):
      report(.joining(Member(id: member.id, name: member.name, state: .joining)))
    case .joining, .interrupted, .resumed, .left: break
    }
    peer.assumeIsolated { $0.note(event) }
    present.update { $0.follow(event) }
    events.push(event)
    activity.push(.event(event))
  }

  /// Tells the program that nothing came of a peer that was joining, unless it was not told that it was.
  func reportMissing(_ member: PeerID, _ departure: DepartureReason) {
    guard member != replaced, let missing = present.current[member], isJoining(member) else {
      return
    }
    let reason = departure == .lost ? .unreachable : departure
    report(.left(missing, reason, undelivered: 0))
  }

  /// Whether the last report about a peer is that it is joining.
  private func isJoining(_ peer: PeerID) -> Bool { present.current[peer]?.state == .joining }

  /// Reports the present name of a member, where that is not an event.
  func rename(_ member: PeerID, to name: String) {
    guard let known = present.current[member], known.name != name else { return }
    present.update { $0[member] = Member(id: member, name: name, state: known.state) }
  }

  // MARK: Memberships

  /// The reliable channel of a membership.
  func makeChannel(with remote: PeerID) -> ReliableChannel {
    var bounds = ReliableChannelMachine.Configuration()
    bounds.messageBytesMax = configuration.maximumMessageBytes
    bounds.outboundBytesMax = configuration.sendBufferBytes
    bounds.windowBytes = configuration.receiveWindowBytes
    bounds.streamCountMax = configuration.maximumStreamCount
    if let buggify = peer.host.buggify { bounds.draw(buggify) }
    let (activity, streams, resources, log) = (activity, streams, resources, peer.log)
    let sink = ReliableChannel.Sink(
      messages: { activity.push($0) },
      streams: { opened in
        for stream in opened { log.noteOpened(stream, byRemote: true) }
        streams.push(opened)
      },
      resource: { resources.receive($0) }, departure: directory.departure,
      log: log)
    return ReliableChannel(
      nextSource(), with: remote, bounds, streamBudget, on: peer.host, sink: sink)
  }

  /// The parts of a membership, the stream among them, which may have begun with an invitation.
  func makeParts(of remote: PeerID, _ channel: ReliableChannel) -> MembershipParts {
    let unreliable = UnreliableChannel(
      nextSource(), over: peer.datagrams, between: (peer.id, remote),
      messageBytesMax: configuration.maximumMessageBytes
    ) { [activity] in activity.push($0) }
    return MembershipParts(
      reliable: channel, unreliable: unreliable, verifier: Verifier(of: remote, in: self))
  }

  private func nextSource() -> MessageSourceID {
    lastSource += 1
    return MessageSourceID(rawValue: lastSource)
  }

  /// Looks for a peer that may attach, and waits for it.
  func seek(_ entry: Roster.Entry, _ channel: ReliableChannel, as id: MembershipID) {
    let random = RandomStream(seed: random.next())
    start(Membership(proposing: id, to: entry, channel, in: self, patience, random: random))
  }

  /// Begins a membership over the link of an invitation.
  func begin(_ acceptance: Acceptance, over link: Link) {
    let random = RandomStream(seed: random.next())
    start(Membership(acceptance, over: link, in: self, patience, random: random))
  }

  private func start(_ membership: Membership) {
    memberships[membership.peer] = membership
    noteBeginning(of: membership)
    let name = membership.assumeIsolated { $0.entry.displayName }
    report(.joining(Member(id: membership.peer, name: name, state: .joining)))
    membership.assumeIsolated { $0.start() }
  }

  /// Forgets a membership that is over.
  func drop(_ membership: Membership) {
    memberships[membership.peer] = nil
    deadlines?.set(.member(membership.peer), at: nil)
    deadlines?.set(.news(membership.peer), at: nil)
  }

  private var patience: MembershipMachine.Configuration {
    var patience = MembershipMachine.Configuration()
    patience.patience = configuration.patience
    let head = Duration.zero...(patience.introductionHead * 2)
    if let longer = peer.host.buggify?.draw(.headStart, in: head) {
      (patience.head, patience.introductionHead) = (longer / 4, longer)
    }
    return patience
  }

  // MARK: Turns

  /// A membership is being driven from now on: what follows for the group waits until none is.
  func beginTurn() { turns += 1 }

  func endTurn(unsettling: Bool) {
    turns -= 1
    if unsettling { isUnsettled = true }
    guard turns == 0 else { return }
    if isUnsettled { settle() } else { deadlines?.rearm() }
  }

  /// Does what follows from what is known of the group, until nothing more does.
  func settle() {
    isUnsettled = true
    guard turns == 0, !isSettling else { return }  // What is at work goes on with it.
    isSettling = true
    while isUnsettled, phase == .open {
      isUnsettled = false
      let asked = peer.assumeIsolated { [id] in $0.ledger.asked(by: id) }
      for change in roster.settle(at: now, asked: asked) { perform(change) }
    }
    isSettling = false
    peer.host.always(
      phase != .open || roster.members.allSatisfy { memberships[$0.peer] != nil },
      "who is in the roster of an open session has a membership in it")
    watchRoster()
  }

  /// Ends the membership of a peer that has another one at once: the group does not follow before the next
  /// ``settle()``, and the program hears nothing of a peer that goes on joining.
  func replacing(_ member: PeerID, _ body: () -> Void) {
    (isSettling, replaced) = (true, member)
    body()
    (isSettling, replaced) = (false, nil)
  }

  // MARK: Time

  /// Settles again when something is due; what is due already waits for a farewell to end, and is not asked at once.
  private func watchRoster() {
    let next = phase == .open ? roster.nextDeadline : nil
    set(.roster, at: next.map { $0 > now ? $0 : now + Self.farewellPause })
    deadlines?.rearm()
  }

  /// Has a membership handle its deadline when that comes, in place of an earlier one.
  func wake(_ member: PeerID, at deadline: Instant?) { set(.member(member), at: deadline) }

  /// Has a membership tell what is new in the group when that may be told.
  func wakeForNews(_ member: PeerID, at deadline: Instant?) {
    guard deadline != deadlines?[.news(member)] else { return }
    set(.news(member), at: deadline)
    deadlines?.rearm()
  }

  private func set(_ key: Deadline, at deadline: Instant?) {
    if deadline != nil, deadlines == nil, phase != .ended {
      deadlines = DeadlineTimer(on: peer.host) { [weak self] in
        self?.inTurn { $0.timerFired() }
      }
    }
    deadlines?.set(key, at: deadline)
  }

  private func timerFired() {
    while let deadline = deadlines?.popDue(at: now) {
      switch deadline {
      case .member(let member): tell(member, .deadlineReached)
      case .joining(let member):
        peer.host.reached(.waitForJoiningExpired)
        let (due, next) = joiners.takeDue(member, at: now)
        set(.joining(member), at: next)
        for tell in due { tell(false) }
      case .news(let member): memberships[member]?.assumeIsolated { $0.tellNews() }
      case .roster: settle()
      }
    }
    deadlines?.rearm()
  }

  // MARK: Joining

  /// Tells whether an inviter is a member, as soon as that is known.
  ///
  /// - Parameters:
  ///   - inviter: The inviter.
  ///   - tell: Called at once if it is a member already, or if it is not about to become one.
  func whenJoined(_ inviter: MembershipLedger.Inviter, _ tell: @escaping JoinWaiters.Waiter) {
    let isMember = peer.assumeIsolated { [id] in $0.ledger.hasJoined(inviter, id) }
    let member = inviter.peer
    let isComing = memberships[member]?.assumeIsolated { !$0.hasJoined } ?? false
    guard isComing, !isMember, phase == .open else { return tell(isMember) }
    let deadline = joiners.add(
      tell, for: member, until: now + InboundInvitationMachine.confirmationTimeout)
    set(.joining(member), at: deadline)
    deadlines?.rearm()
  }

  /// Tells those who wait for a peer whether it is a member.
  func answerJoiners(of member: PeerID, _ isMember: Bool) {
    set(.joining(member), at: nil)
    for tell in joiners.take(member) { tell(isMember) }
  }

  /// The peers that calls wait for to join.
  var awaited: [PeerID] { joiners.peers }

  // MARK: Sleeping and ending

  func suspend() { tellAll(.suspendRequested) }

  func resume() { tellAll(.resumeRequested) }

  private func tellAll(_ event: MembershipMachine.Event) {
    for membership in membershipsInOrder { tell(membership.peer, event) }
  }

  func leave(within limit: Duration) async {
    guard phase != .ended else { return }
    let leaver = Promise<Void>()  // Known before anything ends: waiting may begin later than that.
    leavers.append(leaver)
    beginLeaving(within: limit)
    await leaver.value(cancelled: {})
  }

  /// Begins to leave; when that was begun before, has it take no longer than this.
  func beginLeaving(within limit: Duration) {
    guard phase == .open else {
      tellAll(.leaveRequested(.disconnected, within: limit))
      deadlines?.rearm()
      return
    }
    phase = .leaving
    directory.end()
    invitations.assumeIsolated { $0.withdraw(to: self) }
    for token in requests.tokens { refuse(token) }
    for member in awaited { answerJoiners(of: member, false) }
    peer.trust.assumeIsolated { [id] in $0.sessionEnds(id) }
    tellAll(.leaveRequested(.disconnected, within: limit))
    deadlines?.rearm()
    finishIfEmpty()
  }

  /// Ends at once and tells only this side, since the host is down.
  func abandon() {
    guard phase != .ended else { return }
    phase = .leaving
    directory.end()
    for membership in membershipsInOrder {
      membership.assumeIsolated { $0.abandon() }
      noteEnd(of: membership)
    }
    for member in awaited { answerJoiners(of: member, false) }
    memberships = [:]
    present.update { $0 = [] }
    requests.removeAll()
    finishIfEmpty()
  }

  /// Ends the session when it was left and the last membership is over.
  func finishIfEmpty() {
    guard phase == .leaving, memberships.isEmpty else { return }
    phase = .ended
    deadlines?.stop()
    deadlines = nil
    events.finish()
    activity.finish()
    streams.finish()
    resources.offers.finish()
    present.finish()
    verifications.finish()
    peer.assumeIsolated { $0.sessionEnded(self) }
    let leavers = leavers
    self.leavers = []
    for leaver in leavers { leaver.fulfil(()) }
  }

  private static let farewellPause = Duration.seconds(1)
  private static let eventsMax = 65_536
  private static let streamsMax = 4_096
  private static let verificationsMax = 16
}
