import EarshotNetwork
import EarshotTLS
import Synchronization

/// What a ``Peer`` does: its discovery and its sessions, and the life that its parts share.
actor PeerCore {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let identity: Identity
  private nonisolated let currentName: Mutex<DisplayName>
  nonisolated let trust: TrustJudge
  nonisolated let configuration: Peer.Configuration
  nonisolated let host: any NetworkHost
  nonisolated let discovery: MulticastDNS
  nonisolated let datagrams: DatagramPort
  nonisolated let tasks = TaskRegistry()
  nonisolated let log: PeerLog
  /// What is counted for ``metrics``.
  nonisolated let meter: PeerMeter
  private nonisolated let events = EventHub<PeerEvent>(
    countMax: eventsMax, keepsUnread: false, merge: PeerEvent.summary,
    restate: { PeerEvent.restate(&$0, with: $1) })

  enum Phase { case running, suspended, stopped }
  private(set) var phase = Phase.running
  private var suspensionCount = 0  // Of calls, those that changed nothing included.
  private(set) var sessions: [SessionID: SessionCore] = [:]
  private var hadSeveralSessions = false
  var finding = Finding()
  var missing = MissingMembers()
  /// What has happened between this peer and others.
  var history = PeerHistory()
  /// The verification codes that led to nothing.
  var failures = VerificationFailures()
  /// Which sessions are members of which.
  var ledger: MembershipLedger
  private(set) lazy var invitations = Invitations(
    of: self, random: RandomStream(seed: invitationSeed))
  private lazy var acceptor = Acceptor(of: self)
  private nonisolated let attention = Wakeup()
  private nonisolated let releases = Mailbox<Released>()
  private let invitationSeed: UInt64
  private let credentials: LinkCredentials
  private var random: RandomStream
  private var nextSession: SessionID
  private var shutdown: (any NetworkObservation)?
  private var lastToken: UInt64 = 0

  /// Something that the program has let go.
  enum Released: Sendable {
    case peer
    case invitation(InvitationTable.InboundID)
    case session(SessionID)
    case verification(Verifier, Int)
    case advertiser(MulticastDNS.AdvertisementID, String)
    case browser(MulticastDNS.BrowsingID, String, knowing: [Finding.Remembered])

    var isPeer: Bool { if case .peer = self { true } else { false } }
  }

  /// A peer that does not listen yet.
  init(
    _ name: String, identity: Identity?, trusting trust: TrustPolicy,
    configuration: Peer.Configuration, on host: any NetworkHost
  ) throws(EarshotError) {
    currentName = Mutex(try Checked.displayName(name))
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    var random = host.random("peer \(name)")
    let credentials = try LinkCredentials(identity, on: host, named: name, using: &random)
    let identity = credentials.identity
    self.credentials = credentials
    (self.identity, self.configuration, self.host) = (identity, configuration.bounded, host)
    ledger = MembershipLedger(of: identity.id)
    discovery = MulticastDNS(for: identity.id, on: host)
    datagrams = DatagramPort(of: name, on: host)
    meter = PeerMeter(on: unownedExecutor)
    let log = PeerLog(of: identity.id, on: host)
    self.log = log
    self.trust = TrustJudge(trust, on: host, tasks, log) { [events] event in
      log.note(event)
      events.push(event)
    }
    invitationSeed = random.next()
    nextSession = SessionID(random: &random)
    self.random = random
  }

  /// The peer's core itself, and the parts that it owns but for its sessions.
  var inside: [any Actor] {
    [self, discovery, datagrams, trust, meter] + invitations.assumeIsolated { $0.inside }
      + acceptor.assumeIsolated { $0.inside }
  }

  nonisolated var id: PeerID { identity.id }
  nonisolated var displayName: DisplayName { currentName.withLock { $0 } }
  nonisolated var name: String { displayName.text }

  /// Has others know it by another name: browsers at once, members from their next link on.
  func rename(to name: String) throws(EarshotError) {
    let checked = try Checked.displayName(name)
    if phase == .stopped { throw Self.stopped(self.name) }
    currentName.withLock { $0 = checked }
    for advertising in finding.advertisers {
      discovery.assumeIsolated { $0.rename(advertising.advertisement, to: checked) }
    }
  }

  /// Listens from now on, and lives until it has ended, also when nothing else holds it.
  func begin() throws(EarshotError) {
    try acceptor.isolated { [configuration] acceptor throws(EarshotError) in
      try acceptor.open(port: configuration.port)
    }
    shutdown = host.observeShutdown { self.assumeIsolated { $0.hostWentDown() } }
    discovery.assumeIsolated {
      $0.observeProblem { [weak self] _ in self?.assumeIsolated { $0.tellOfDiscovery() } }
      $0.observeIdentity { [weak self] address in
        self?.assumeIsolated { $0.noteIdentityInUse(at: address) }
      }
      $0.observeOtherVersions { [log] in log.note($0) }
    }
    attention.connect(
      to: host.makeSignal { [weak self] in self?.assumeIsolated { $0.attend() } })
    invitations.assumeIsolated { $0.start() }
    datagrams.assumeIsolated { $0.start() }
    report(.running)
  }

  /// What becomes of the peer, from its present state on.
  nonisolated func events(of handle: Peer) -> EventStream<PeerEvent> {
    EventStream(events, from: .present, of: handle)
  }

  /// Tells the program what becomes of the peer.
  func report(_ event: PeerEvent) {
    log.note(event, port: port)
    events.push(event)
  }

  func checkRunning() throws(EarshotError) {
    switch phase {
    case .running: break
    case .suspended: throw EarshotError(.suspended, "\(name) is suspended; resume it first.")
    case .stopped: throw Self.stopped(name)
    }
  }

  static func stopped(_ name: String) -> EarshotError {
    EarshotError(.stopped, "\(name) was stopped; make a new peer.")
  }

  // MARK: Sessions

  /// A session of the program.
  func makeSession(_ configuration: Session.Configuration) throws(EarshotError) -> SessionCore {
    let session = try makeProvisionalSession(configuration)
    noteSessions()
    return session
  }

  /// A session for an acceptance that may still be taken back.
  ///
  /// ``noteSessions()`` makes it count for good.
  func makeProvisionalSession(
    _ configuration: Session.Configuration = Session.Configuration()
  ) throws(EarshotError) -> SessionCore {
    if phase == .stopped { throw Self.stopped(name) }
    if configuration.encryptionPreference == .required, !credentials.areLinksEncrypted {
      throw EarshotError(
        .encryptionUnavailable,
        "The session requires encryption, and the links of this simulated world are plain; ask it for TLS."
      )
    }
    let session = SessionCore(
      configuration, id: nextSession,
      random: RandomStream(seed: random.next()), peer: self)
    sessions[session.id] = session
    nextSession = nextSession.next(random: &random)
    return session
  }

  /// Whether two sessions were ever open at once, each for a purpose that only the program knows.
  ///
  /// A session whose acceptance is taken back counts only until it ends.
  var hasHadSeveralSessions: Bool {
    hadSeveralSessions || sessions.values.count { isOpen($0) } > 1
  }

  /// Remembers whether two sessions are open.
  func noteSessions() { hadSeveralSessions = hasHadSeveralSessions }

  /// Whether a session is one of this peer, and not being left.
  func isOpen(_ session: SessionCore) -> Bool {
    guard session.peer === self, sessions[session.id] === session else { return false }
    return session.assumeIsolated { $0.phase == .open }
  }

  func checkOpen(_ session: SessionCore) throws(EarshotError) {
    guard isOpen(session) else {
      throw EarshotError(.sessionEnded, "That is no open session of \(name).")
    }
  }

  /// The session of which a remote peer's session is a member; none that is being left.
  func session(with peer: PeerID, _ remote: SessionID) -> SessionID? {
    ledger.sessions(with: peer, remote).first { id in
      sessions[id]?.assumeIsolated { $0.phase == .open } ?? false
    }
  }

  func sessionEnded(_ session: SessionCore) {
    sessions[session.id] = nil
    ledger.forget(session.id)
    letGoIfEnded()
  }

  var sessionsInOrder: [SessionCore] {
    sessions.values.sorted { $0.id < $1.id }
  }

  // MARK: Links

  /// Where it listens.
  var port: UInt16 { acceptor.assumeIsolated { $0.port } }

  /// How many connections have not said yet what they want.
  var strangerCount: Int { acceptor.assumeIsolated { $0.tokens.count } }

  /// The context of a new link.
  var linkContext: LinkContext {
    LinkContext(
      host: host, credentials: credentials, trust: trust, log: log, meter: meter,
      liveness: configuration.liveness,
      connectTimeout: .seconds(5),
      greeting: Hello(port: port, displayName: name), buggify: host.buggify)
  }

  /// A link that will be dialled.
  func makeLink(to peer: PeerID, at endpoint: Endpoint, owner: any LinkOwner) -> Link {
    Link(
      makeToken(), dialling: endpoint, first: interface(of: endpoint, of: peer), expecting: peer,
      context: linkContext, owner: owner)
  }

  func makeToken() -> LinkToken {
    lastToken += 1
    return LinkToken(rawValue: lastToken)
  }

  /// Random bytes that nobody can guess, but in a simulation.
  func makeNonce() -> [UInt8] { credentials.randomBytes(32) ?? random.bytes(32) }

  func makeInvitationID() -> InvitationID { InvitationID(random: &random) }

  /// A member was linked over an address: who dials from there is no stranger.
  func memberLinked(at address: IPAddress) {
    acceptor.assumeIsolated { $0.memberLinked(at: address) }
  }

  /// A peer has proved who it is, and says where it listens: what is a member is found there from now on.
  func heard(_ remote: PeerID, at endpoints: [Endpoint]) {
    for session in sessionsInOrder {
      session.assumeIsolated { session in
        session.memberships[remote]?.assumeIsolated { $0.heard(at: endpoints) }
      }
    }
  }

  // MARK: Life

  func suspend() {
    suspensionCount += 1
    guard phase == .running else { return }
    phase = .suspended
    discovery.assumeIsolated { $0.suspend() }
    invitations.assumeIsolated { $0.suspend() }
    acceptor.assumeIsolated { $0.closeLinks(.suspending) }
    for session in sessionsInOrder { session.assumeIsolated { $0.suspend() } }
    acceptor.assumeIsolated { $0.close() }
    datagrams.assumeIsolated { $0.close() }
    report(.suspended)
  }

  /// Resumes the peer, as soon as it can listen.
  func resume() async throws(EarshotError) {
    let suspension = suspensionCount
    while true {
      do throws(EarshotError) { return try resumeNow() } catch {
        guard error.code == .network else { throw error }
      }
      if (try? await host.sleep(for: Self.resumptionPause)) == nil {
        guard Task.isCancelled else { throw Self.stopped(name) }  // The host went down.
        throw EarshotError(.cancelled, "Resuming \(name) was cancelled; it is still suspended.")
      }
      guard suspension == suspensionCount || phase != .suspended else {
        throw EarshotError(.suspended, "\(name) was suspended again while it was being resumed.")
      }
    }
  }

  private func resumeNow() throws(EarshotError) {
    if phase == .stopped { throw Self.stopped(name) }
    guard phase == .suspended else { return }
    let previous = port
    let isTaken = host.buggify?.occurs(.takenPort) == true
    try acceptor.isolated { acceptor throws(EarshotError) in
      do { try acceptor.open(port: isTaken ? 0 : previous) } catch { try acceptor.open(port: 0) }
    }
    phase = .running
    report(.resumed)
    discovery.assumeIsolated { $0.resume() }
    tellOfDiscovery()
    host.reached(.otherPort, if: port != previous)
    if port != previous { announcePort() }
    for session in sessionsInOrder { session.assumeIsolated { $0.resume() } }
    invitations.assumeIsolated { $0.resume() }
  }

  func stop(within limit: Duration) async {
    let sessions = sessionsInOrder
    beginStopping(within: limit)
    for session in sessions { await session.leave(within: limit) }
  }

  /// Stops at once, but for the sessions, which begin to be left.
  ///
  /// Who has dialled and not said yet what it wants may be a member that attaches again, for what is still to come to it:
  /// such links stay until the sessions have ended.
  private func beginStopping(within limit: Duration) {
    if phase != .stopped {
      phase = .stopped
      tasks.beginEnding()
      invitations.assumeIsolated { $0.end() }
      acceptor.assumeIsolated { $0.declineHeld() }
      stopListening()
    }
    for session in sessionsInOrder { session.assumeIsolated { $0.beginLeaving(within: limit) } }
    letGoIfEnded()
  }

  private func stopListening() {
    stopFinding()
    acceptor.assumeIsolated { $0.close() }
  }

  /// Lets go of what keeps this alive, once nothing is left to be done.
  private func letGoIfEnded() {
    guard phase == .stopped, sessions.isEmpty else { return }
    acceptor.assumeIsolated { $0.closeLinks(.done) }
    shutdown?.cancel()
    shutdown = nil
    trust.assumeIsolated { $0.end() }
    attention.connect(to: nil)
    datagrams.assumeIsolated { $0.stop() }
    report(.stopped)
    events.finish()
    log.finish()
    tasks.end(on: host)
  }

  /// Lets go of everything, since nothing works any more.
  private func hostWentDown() {
    phase = .stopped
    invitations.assumeIsolated { $0.abandon() }
    stopListening()
    for session in sessionsInOrder { session.assumeIsolated { $0.abandon() } }
    acceptor.assumeIsolated { $0.abandon() }
    meter.assumeIsolated { $0.abandon() }
    letGoIfEnded()
    tasks.cancelAll()
  }

  // MARK: Other threads

  /// Notes what the program has let go, on any thread.
  nonisolated func released(_ thing: Released) {
    releases.add(thing)
    lookSoon()
  }

  /// Has the peer look at what other threads have left behind.
  nonisolated func lookSoon() { attention.raise() }

  /// Looks at what other threads have left behind.
  func attend() {
    invitations.assumeIsolated { $0.attend() }
    let things = releases.take()
    // A peer that was let go stops as a whole: its invitations are not declined one by one.
    if things.contains(where: \.isPeer) {
      noteRelease(of: "peer \(name)")
      return beginStopping(within: Self.farewellTime)
    }
    for thing in things { end(thing) }
  }

  /// Ends what the program has let go, as if it had said so.
  private func end(_ released: Released) {
    switch released {
    case .peer: break
    case .invitation(let id): invitations.assumeIsolated { $0.decline(id) }
    case .session(let id):
      guard let session = sessions[id] else { break }
      noteRelease(of: "a session of \(name)")
      session.assumeIsolated { $0.beginLeaving(within: Self.farewellTime) }
    case .verification(let verifier, let number):
      verifier.assumeIsolated { $0.withdraw(number) }
    case .advertiser(let advertisement, let serviceType):
      noteRelease(of: "\(name)'s advertiser of '\(serviceType)'")
      withdraw(advertisement, of: serviceType)
    case .browser(let browsing, let serviceType, let peers):
      noteRelease(of: "\(name)'s browser of '\(serviceType)'")
      stopBrowsing(browsing, of: serviceType, knowing: peers)
    }
  }

  private func noteRelease(of thing: String) {
    log.add(.released, LogRecord.Content("\(thing) is held by nobody any more, and stops"))
  }

  /// The pause between two attempts to listen while the host has no network.
  private static let resumptionPause = Duration.seconds(1)
  /// How long what was let go may take to deliver what it had sent.
  private static let farewellTime = Duration.seconds(2)
  private static let eventsMax = 64

  // MARK: For tests

  /// The members of all sessions.
  var memberships: [Peer.MemberSession] {
    sessionsInOrder.flatMap { session in
      session.assumeIsolated { session in
        session.roster.members.map {
          Peer.MemberSession(local: session.id, peer: $0.peer, remote: $0.session)
        }
      }
    }
  }

  /// What is open that an invitation, a stranger or a receipt has opened, each thing as a word.
  var leftovers: [String] {
    let joining = sessionsInOrder.flatMap { session in
      session.assumeIsolated { $0.awaited.map { "joining \($0.short)" } }
    }
    let receipts = sessionsInOrder.flatMap { session in
      session.assumeIsolated { session in
        session.membershipsInOrder.flatMap {
          Array(repeating: "receipt of \($0.peer.short)", count: $0.parts.reliable.awaitedCount)
        }
      }
    }
    let strangers = acceptor.assumeIsolated { $0.tokens }
    return strangers.map { "link \($0.rawValue)" }
      + invitations.assumeIsolated { $0.leftovers } + joining.sorted() + receipts
  }
}
