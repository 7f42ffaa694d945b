import EarshotCore

/// The outcome of an invitation, which its membership begins with: the peer, its channel, and its
/// position.
struct Acceptance {
  let entry: Roster.Entry
  let reliable: ReliableChannel
  let position: SidePosition
}

/// The membership of one remote peer in a session, from the first search for it to its end.
///
/// The shell of a ``MembershipMachine``: owns the parts that follow its link (``MembershipParts``),
/// and the links over which the remote peer attaches or is asked to. Reports to its session what
/// becomes of it.
actor Membership {
  /// A link on which HELLO was exchanged, and what the remote peer said on it.
  private struct Attaching {
    let link: Link
    var position: SidePosition?
  }

  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let session: SessionCore
  nonisolated let peer: PeerID
  nonisolated let remoteSession: SessionID
  nonisolated let parts: MembershipParts
  /// What others are told of the remote peer.
  private(set) var entry: Roster.Entry
  private(set) var hasJoined = false
  private let driver: MachineDriver<MembershipMachine>
  private var links: [LinkToken: Attaching] = [:]
  private var dials: [Dialling] = []  // In the order of their beginnings.
  private var attempts = 0  // To dial, since there was a link.
  private var linkCount = 0
  /// What the remote peer may say of its group: what a thousand peers need who all come, change and
  /// go at once.
  private var groupFrames = TokenBucket(perSecond: 64, burst: 4_096)
  private var roundTrip: Duration?  // Over links that are gone.
  /// What the remote peer is still to be told of its group.
  private var news = GroupNews()
  /// Since when no link carries it: what is said meanwhile arrives at once afterwards.
  private var absentSince: Instant?

  /// The membership itself, and its links.
  var inside: [any Actor] {
    [self] + parts.inside + links.values.map(\.link)
      + dials.flatMap { $0.assumeIsolated { $0.inside } }
  }

  /// A membership that is proposed to a peer, which is looked for.
  init(
    proposing id: MembershipID, to entry: Roster.Entry, _ channel: ReliableChannel,
    in session: SessionCore, _ configuration: MembershipMachine.Configuration,
    random: RandomStream
  ) {
    var actions: [MembershipMachine.Action] = []
    let machine = MembershipMachine(
      proposing: id, to: entry.peer, from: session.peer.id, configuration: configuration,
      random: random, at: session.peer.host.now, into: &actions)
    driver = MachineDriver(machine, beginningWith: actions)
    unownedExecutor = session.unownedExecutor
    (self.session, self.entry) = (session, entry)
    (peer, remoteSession) = (entry.peer, entry.session)
    parts = session.assumeIsolated { $0.makeParts(of: entry.peer, channel) }
  }

  /// A membership over the link of an invitation that was accepted and confirmed.
  init(
    _ acceptance: Acceptance, over link: Link, in session: SessionCore,
    _ configuration: MembershipMachine.Configuration, random: RandomStream
  ) {
    var actions: [MembershipMachine.Action] = []
    let entry = acceptance.entry
    let machine = MembershipMachine(
      acceptance.position.membership, over: link.token, local: session.peer.id, remote: entry.peer,
      configuration: configuration, random: random, into: &actions)
    driver = MachineDriver(machine, beginningWith: actions)
    unownedExecutor = session.unownedExecutor
    (self.session, self.entry) = (session, entry)
    (peer, remoteSession) = (entry.peer, entry.session)
    parts = session.assumeIsolated { $0.makeParts(of: entry.peer, acceptance.reliable) }
    links[link.token] = Attaching(link: link, position: acceptance.position)
  }

  /// Begins: looks for the peer, or takes over the link of the invitation.
  func start() {
    for attaching in links.values { attaching.link.assumeIsolated { $0.handOver(to: self) } }
    turn { driver.start(at: session.peer.host.now) { perform($0) } }
  }

  // MARK: What there is to know

  /// Which of the memberships of the two sessions it is.
  var id: MembershipID { driver.machine.id }

  /// The link that carries it, if one does.
  var carrier: Link? { driver.machine.link.flatMap { links[$0]?.link } }

  /// The last one of the two sessions that has ended.
  private var lastEnded: MembershipID {
    let pair = pair
    return session.peer.assumeIsolated { $0.ledger.lastEnded(of: pair) }
  }

  nonisolated var pair: SessionPair { session.pair(peer, remoteSession) }

  private nonisolated var reliable: ReliableChannel { parts.reliable }

  var statistics: MemberStatistics {
    let (counts, link) = (reliable.counts, carrier)
    return MemberStatistics(
      messagesSent: counts.sent, messagesReceived: counts.received,
      messagesUnacknowledged: counts.unacknowledged,
      unreliable: parts.unreliable.assumeIsolated { $0.statistics },
      roundTrip: link?.assumeIsolated { $0.roundTrip } ?? roundTrip, linkCount: linkCount,
      link: link?.assumeIsolated {
        MemberStatistics.Link(bytesSent: $0.traffic.sent, bytesReceived: $0.traffic.received)
      })
  }

  // MARK: Events in, actions out

  /// Takes one event in, and does what follows.
  func handle(_ event: MembershipMachine.Event) {
    turn { driver.handle(event, at: session.peer.host.now) { perform($0) } }
  }

  /// Drives the machine; what follows for the group comes after that.
  private func turn(_ drive: () -> Void) {
    let wasAsking = driver.machine.isAsking
    session.inTurn { $0.beginTurn() }
    drive()
    note()
    // Perhaps it was kept for its asking alone.
    let hasAsked = wasAsking && !driver.machine.isAsking
    session.assumeIsolated { $0.endTurn(unsettling: hasAsked) }
  }

  /// Tells the ledger of the membership as it is now.
  private func note() {
    guard !driver.machine.isGone else { return }
    let (standing, pair) = (driver.machine.standing(hasJoined: hasJoined), pair)
    session.peer.assumeIsolated { $0.ledger.note(standing, of: pair) }
  }

  private func perform(_ action: MembershipMachine.Action) {
    note()
    switch action {
    case .dial: dial()
    case .cancelDials: cancelDials()
    case .sendAttach(let token, let epoch): sendAttach(epoch, on: token)
    case .sendAttached(let token, let epoch): sendAttached(epoch, on: token)
    case .carry(let token): carry(on: token)
    case .sendLeave(let code): sendLeave(code)
    case .closeLink(let token, let code): closeLink(token, code)
    case .wake(let deadline): session.assumeIsolated { $0.wake(peer, at: deadline) }
    case .cancelWake: session.assumeIsolated { $0.wake(peer, at: nil) }
    case .reportJoined: reportJoined()
    case .reportInterrupted(let reason):
      absentSince = session.peer.host.now
      session.assumeIsolated { $0.interrupted(self, reason) }
    case .reportResumed: session.assumeIsolated { $0.resumed(self) }
    case .reportDelivered: reliable.acknowledgeAll()
    case .reportLeft(let departure, let code):
      session.assumeIsolated { $0.left(self, departure, code) }
    }
  }

  private func reportJoined() {
    hasJoined = true
    note()
    session.assumeIsolated { $0.joined(self) }
  }

  // MARK: Dialling

  private func dial() {
    if attempts > 0 { session.peer.assumeIsolated { $0.beginSearch(for: peer, in: session.id) } }
    let known = entry.endpoints
    let endpoints = session.assumeIsolated { $0.endpoints(of: peer, besides: known) }
    let skipped = session.peer.host.buggify?.occurs(.reorderedAddresses) == true ? 1 : 0
    let first = endpoints.isEmpty ? 0 : (attempts + skipped) % endpoints.count
    let current = Array(endpoints[first...] + endpoints[..<first])  // Each is first in turn.
    attempts += 1
    let dialling = Dialling(for: peer, at: current, by: session.peer, owner: self)
    dials.append(dialling)
    dialling.assumeIsolated { $0.start() }
  }

  private func cancelDials() {
    let cancelled = dials
    dials = []
    session.peer.host.reached(.crossedDials, if: !cancelled.isEmpty)
    for dialling in cancelled { dialling.assumeIsolated { $0.cancel(.duplicate) } }
  }

  /// Learns where the remote peer listens now; what was known before comes behind.
  private func learn(_ current: [Endpoint]) {
    let endpoints = current + entry.endpoints.filter { !current.contains($0) }
    entry.endpoints = Array(endpoints.prefix(FrameBounds.endpointsMax))
  }

  /// The remote peer was heard from where it listens now, perhaps on business of another session.
  func heard(at current: [Endpoint]) {
    guard !current.allSatisfy(entry.endpoints.contains) else { return }
    learn(current)
    attempts = 0  // The next dial goes there.
    if hasJoined { session.assumeIsolated { $0.update(self) } }
  }

  // MARK: Links

  /// Takes a link whose dialler asks to attach to this membership.
  func take(_ request: AttachRequest) {
    let (link, attach) = (request.link, request.attach)
    links[link.token] = Attaching(link: link, position: attach.position)
    link.assumeIsolated { $0.handOver(to: self) }
    entry.displayName = request.name
    learn(request.endpoints)
    let isLinked = carrier != nil
    handle(.attachReceived(link.token, attach.membership, epoch: attach.epoch))
    // A link that replaces a live one interrupts nothing: no report brings what is new to the
    // others.
    if isLinked, carrier === link { session.assumeIsolated { $0.update(self) } }
  }

  private func sendAttach(_ epoch: UInt64, on token: LinkToken) {
    guard let link = links[token]?.link else { return }
    let (received, grant) = reliable.position()
    let attach = Attach(
      source: session.id, destination: remoteSession, membership: id, isProposal: !hasJoined,
      ended: lastEnded, epoch: epoch, received: received, grant: grant,
      terms: session.assumeIsolated { $0.terms })
    link.assumeIsolated { $0.send(attach) }
  }

  private func sendAttached(_ epoch: UInt64, on token: LinkToken) {
    guard let link = links[token]?.link else { return }
    let (received, grant) = reliable.position()
    let attached = Attached(
      membership: id, epoch: epoch, received: received, grant: grant,
      terms: session.assumeIsolated { $0.terms })
    link.assumeIsolated { $0.send(attached) }
  }

  private func carry(on token: LinkToken) {
    guard let attaching = links[token], let position = attaching.position else { return }
    for token in links.keys { links[token]?.position = nil }
    session.peer.host.reached(.carriedAgain, if: linkCount > 0)
    (attempts, linkCount) = (0, linkCount + 1)
    session.peer.assumeIsolated { $0.endSearch(for: peer, in: session.id) }
    entry.seniority = position.terms.seniority
    entry.capacity = position.terms.capacity
    let link = attaching.link
    if let address = link.assumeIsolated({ $0.remoteAddress }) {
      session.peer.assumeIsolated { $0.memberLinked(at: address) }
    }
    do throws(FrameError) {
      try parts.attach(to: link, at: position)
    } catch {
      closeLink(token, error.closeCode)
      handle(.violationFound(token))
    }
    absentSince = nil
    tellNews()
  }

  private func closeLink(_ token: LinkToken, _ code: CloseCode) {
    drop(token)?.assumeIsolated { $0.close(code) }
  }

  /// Forgets a link.
  private func drop(_ token: LinkToken) -> Link? {
    guard let link = links.removeValue(forKey: token)?.link else { return nil }
    parts.detach(from: link)
    roundTrip = link.assumeIsolated { $0.roundTrip } ?? roundTrip
    return link
  }

  // MARK: The group

  /// Tells the remote peer what is new of another one, now or later: how it is introduced, or that
  /// it is gone.
  func tell(
    _ change: GroupNews.Change, of subject: GroupNews.Subject, _ introduction: Introduce?
  ) {
    let now = absentSince ?? session.peer.host.now
    guard news.mayTell(change, of: subject, at: now) else { return tellNews() }
    say(introduction, of: subject)
  }

  /// Tells what has waited, as much as may be told now.
  func tellNews() {
    guard absentSince == nil else { return }
    while let subject = news.takeDue(at: session.peer.host.now) {
      say(session.assumeIsolated { $0.introduction(of: subject) }, of: subject)
    }
    let next = news.next
    session.assumeIsolated { $0.wakeForNews(peer, at: next) }
  }

  private func say(_ introduction: Introduce?, of subject: GroupNews.Subject) {
    guard let introduction else {
      return reliable.send(Retract(peer: subject.peer, session: subject.session))
    }
    reliable.send(introduction)
    if session.peer.host.buggify?.occurs(.repeatedIntroduction) == true {
      reliable.send(introduction)
    }
  }

  // MARK: Ending

  private func sendLeave(_ code: CloseCode) {
    session.assumeIsolated { $0.directory.remove(peer) }
    parts.leave(Leave(code: code)) { [weak self] in
      self?.assumeIsolated { $0.handle(.streamFlushed) }
    }
  }

  /// Ends the parts; no message comes from them after that.
  nonisolated func endParts() {
    parts.end()
    session.directory.close(parts.sources)
  }

  /// Lets go of everything at once, since nothing works any more.
  func abandon() {
    endParts()
    (links, dials) = ([:], [])
  }
}

extension Membership: DiallingOwner {
  nonisolated func dialling(
    _ dialling: Dialling, reached link: Link, _ greeting: Hello, at endpoint: Endpoint
  ) {
    assumeIsolated { $0.reached(by: dialling, link, greeting) }
  }

  nonisolated func dialling(_ dialling: Dialling, missed code: CloseCode?) {
    assumeIsolated { $0.missed(by: dialling) }
  }

  private func reached(by dialling: Dialling, _ link: Link, _ greeting: Hello) {
    guard forget(dialling) else { return }
    links[link.token] = Attaching(link: link)
    link.assumeIsolated { $0.handOver(to: self) }
    entry.displayName = greeting.displayName
    learn(link.assumeIsolated { $0.endpoints(after: greeting) })
    if driver.machine.needsNumber(after: lastEnded) {
      session.peer.host.reached(.proposalRenumbered)
      let pair = pair
      handle(.numbered(session.peer.assumeIsolated { $0.ledger.propose(to: pair) }))
    }
    handle(.dialOpened(link.token))
  }

  private func missed(by dialling: Dialling) {
    if forget(dialling) { handle(.dialFailed) }
  }

  /// - Returns: Whether it was under way.
  private func forget(_ dialling: Dialling) -> Bool {
    guard let place = dials.firstIndex(where: { $0 === dialling }) else { return false }
    dials.remove(at: place)
    return true
  }
}

extension Membership: LinkOwner {
  nonisolated func link(_ link: Link, received frame: AttachmentFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, received frame: GroupFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  /// Ignores the frame, which the remote peer may have sent before another link took over.
  nonisolated func linkReceivedUncarried(_ link: Link) {}

  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { $0.ended(link, end) }
  }

  private func received(_ frame: AttachmentFrame, on link: Link) {
    guard case .attached(let attached) = frame else { return refuse(link) }
    guard links[link.token] != nil else { return }
    links[link.token]?.position = attached.position
    handle(.attachedReceived(link.token, attached.membership, epoch: attached.epoch))
  }

  private func received(_ frame: GroupFrame, on link: Link) {
    if case .leave(let leave) = frame { return handle(.leaveReceived(leave.code)) }
    guard groupFrames.take(at: session.peer.host.now) else { return refuse(link) }
    switch frame {
    case .introduce(let introduction):
      let source = carrier?.assumeIsolated { $0.remoteAddress }
      session.assumeIsolated { $0.introduced(introduction, by: peer, at: source) }
    case .retract(let retraction):
      session.assumeIsolated { $0.retracted(retraction, by: peer) }
    case .leave: break
    }
  }

  private func ended(_ link: Link, _ end: LinkEnd) {
    let token = link.token
    guard drop(token) != nil else { return }
    switch end {
    case .unreachable, .broken: handle(.linkBroken(token, .linkBroken))
    case .silence: handle(.linkBroken(token, .silence))
    case .closed(let code): handle(.closeReceived(token, code))
    case .otherPeer, .violation: handle(.violationFound(token))
    }
  }
}
