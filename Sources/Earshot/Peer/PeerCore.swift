import EarshotTLS
import Synchronization

/// What a ``Peer`` does: its discovery, its invitations, its links, and the sessions that it has.
actor PeerCore {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let identity: Identity
  nonisolated let name: String
  nonisolated let configuration: Peer.Configuration
  nonisolated let host: any NetworkHost
  nonisolated let discovery: MulticastDNS
  nonisolated let displayName: DisplayName
  nonisolated let isReleased = Atomic(false)
  nonisolated let releases = Letterbox<Released>()
  nonisolated let cancellations = Letterbox<PeerInvitations.Cancellation>()
  nonisolated let attention = Wakeup()

  enum Phase { case running, suspended, stopped }
  var phase = Phase.running
  var random: RandomStream
  var sessions: [SessionID: SessionCore] = [:]
  var advertisers: [Advertising] = []
  var browsers: [Browsing] = []
  private var remembered: [Remembered] = []
  var links: [LinkToken: OpeningLink] = [:]
  var invitations: PeerInvitations
  var ended = EndedMemberships()
  private var nextSession: SessionID
  var tableEvents: [InvitationTable.Event] = []
  private var listeners: [any Listener] = []
  private var shutdown: (any NetworkObservation)?
  private var lastToken: UInt64 = 0
  private(set) var port: UInt16 = 0

  /// One advertiser, as long as the program holds it, and what it announces.
  struct Advertising {
    weak var advertiser: Advertiser?
    let advertisement: MulticastDNS.AdvertisementID
  }

  /// One browser, as long as the program holds it, and what it looks for.
  struct Browsing {
    weak var browser: Browser?
    let browsing: MulticastDNS.BrowsingID
  }

  /// A peer that a browser found, and for which service.
  struct Remembered: Sendable {
    let peer: DiscoveredPeer
    let serviceType: String
  }

  /// Something of the peer's own that the program has let go.
  enum Released: Sendable {
    case invitation(InvitationTable.InboundID)
    case session(SessionID)
    case advertiser(MulticastDNS.AdvertisementID)
    case browser(MulticastDNS.BrowsingID, knowing: [Remembered])
  }

  /// A peer that does not listen yet.
  init(
    _ name: String, identity: Identity?, configuration: Peer.Configuration,
    on host: any NetworkHost
  ) throws(EarshotError) {
    displayName = try Checked.displayName(name)
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    var random = host.random("peer \(name)")
    let identity = identity ?? Identity.plain(using: &random)
    (self.name, self.identity, self.configuration) = (name, identity, configuration)
    self.host = host
    discovery = MulticastDNS(for: identity.id, on: host)
    invitations = PeerInvitations(
      table: InvitationTable(of: identity.id, random: RandomStream(seed: random.next())))
    nextSession = SessionID(random: &random)
    self.random = random
  }

  nonisolated var id: PeerID { identity.id }

  /// Listens from now on, and lives until it has ended, also when nothing else holds it.
  func begin() throws(EarshotError) {
    try openListener(port: configuration.port)
    shutdown = host.observeShutdown { self.assumeIsolated { $0.hostWentDown() } }
    discovery.assumeIsolated {
      $0.observeProblem { [weak self] _ in self?.assumeIsolated { $0.tellOfDiscovery() } }
    }
    attention.connect(
      to: host.makeSignal { [weak self] in self?.assumeIsolated { $0.attend() } })
    invitations.timer = host.makeTimer { [weak self] in
      self?.assumeIsolated { $0.handle(.deadlineReached) }
    }
  }

  var now: Instant { host.now }

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

  // MARK: Discovery

  func advertise(
    _ serviceType: String, info: [String: String], for peer: Peer
  ) throws(EarshotError) -> Advertiser {
    let (service, text) = (try Checked.service(serviceType), try Checked.info(info))
    try checkRunning()
    attend()
    if self.advertiser(of: serviceType) != nil {
      throw EarshotError(
        .alreadyAdvertised, "\(name) advertises “\(serviceType)” already; update its advertiser.")
    }
    let announcement = Announcement(
      of: id, named: displayName, offering: service, on: port, info: text)
    let advertisement = discovery.assumeIsolated { $0.advertise(announcement) }
    let advertiser = Advertiser(
      serviceType: serviceType, info: text, advertisement: advertisement, peer: peer)
    advertisers.append(Advertising(advertiser: advertiser, advertisement: advertisement))
    if let problem = discoveryProblem, problem.cause != nil {
      advertiser.assumeIsolated { $0.stop() }
      throw problem
    }
    return advertiser
  }

  /// The advertiser of a service, if there is one.
  func advertiser(of serviceType: String) -> Advertiser? {
    advertisers.lazy.compactMap(\.advertiser).first { $0.serviceType == serviceType }
  }

  func withdraw(_ advertisement: MulticastDNS.AdvertisementID) {
    advertisers.removeAll { $0.advertisement == advertisement }
    discovery.assumeIsolated { $0.withdraw(advertisement) }
  }

  func browse(_ serviceType: String, for peer: Peer) throws(EarshotError) -> Browser {
    let service = try Checked.service(serviceType)
    try checkRunning()
    attend()
    guard browsers.count < MulticastDNS.browsingsMax else {
      throw EarshotError(
        .tooManyBrowsers, "\(name) has \(browsers.count) browsers; stop one of them first.")
    }
    let browser = Browser(serviceType: serviceType, peer: peer)
    let browsing = discovery.assumeIsolated { discovery in
      discovery.browse(service) { [weak browser] event in
        browser?.assumeIsolated { $0.report(event) }
      }
    }
    browsers.append(Browsing(browser: browser, browsing: browsing))
    browser.assumeIsolated { $0.started(browsing) }
    if let problem = discoveryProblem, problem.cause != nil {
      browser.assumeIsolated { $0.stop() }
      throw problem
    }
    tellOfDiscovery()
    return browser
  }

  var discoveryProblem: EarshotError? {
    discovery.assumeIsolated { discovery in
      discovery.problem.map {
        EarshotError(.discoveryUnavailable, $0.description, cause: discovery.failure)
      }
    }
  }

  /// Tells the browsers whether they can find peers.
  private func tellOfDiscovery() {
    guard phase == .running else { return }
    let problem = discovery.assumeIsolated { $0.problem }
    for browser in browsers.compactMap(\.browser) {
      browser.assumeIsolated { $0.note(problem) }
    }
  }

  func stopBrowsing(_ browsing: MulticastDNS.BrowsingID, knowing peers: [Remembered]) {
    browsers.removeAll { $0.browsing == browsing }
    remembered += peers
    remembered.removeFirst(max(0, remembered.count - Self.rememberedMax))
    discovery.assumeIsolated { $0.stopBrowsing(browsing) }
  }

  /// What our browsers know of a peer, and for which service they found it.
  ///
  /// What browsers knew that were stopped is remembered: a peer that was found can be invited after that.
  func discovered(_ id: PeerID) -> Remembered? {
    for browser in browsers.reversed().compactMap(\.browser) {
      let found = browser.assumeIsolated { $0.peer(id) }
      if let found { return Remembered(peer: found, serviceType: browser.serviceType) }
    }
    return remembered.last { $0.peer.id == id }
  }

  /// Doubts that a peer is still there; without a sign of it, browsers lose it in ten seconds.
  func doubt(_ id: PeerID) { discovery.assumeIsolated { $0.reconfirm(id) } }

  // MARK: Sessions

  func makeSession(
    _ configuration: Session.Configuration = Session.Configuration()
  ) throws(EarshotError) -> SessionCore {
    if phase == .stopped { throw Self.stopped(name) }
    let session = SessionCore(
      configuration, id: nextSession,
      random: RandomStream(seed: random.next()), peer: self)
    sessions[session.id] = session
    nextSession = nextSession.next(random: &random)
    return session
  }

  func sessionEnded(_ session: SessionCore) {
    sessions[session.id] = nil
    letGoIfEnded()
  }

  // MARK: Listening

  /// The context of a new link.
  var linkContext: LinkContext {
    LinkContext(
      host: host, identity: identity, liveness: configuration.liveness.machine,
      connectTimeout: .seconds(5),
      greeting: Hello(port: port, displayName: name))
  }

  /// A link that will be dialled.
  func makeLink(to peer: PeerID, at endpoints: [Endpoint], owner: any LinkOwner) -> Link {
    Link(makeToken(), dialling: endpoints, expecting: peer, context: linkContext, owner: owner)
  }

  func makeToken() -> LinkToken {
    lastToken += 1
    return LinkToken(rawValue: lastToken)
  }

  private func openListener(port: UInt16) throws(EarshotError) {
    do throws(NetworkError) {
      let opened = try host.listen(on: Endpoint(.anyV4, port: port), handler: self)
      self.port = opened.localEndpoint.port
      // Without IPv6, or with the port taken there, IPv4 has to do.
      let second = try? host.listen(on: Endpoint(.anyV6, port: self.port), handler: self)
      listeners = [opened] + (second.map { [$0] } ?? [])
    } catch {
      throw EarshotError(
        .network, "\(name) cannot listen on port \(port); choose another one.", cause: error)
    }
  }

  /// Listens again after the system took the listener away: on the same port if it is still free.
  func reopen(_ failed: any Listener) {
    guard listeners.contains(where: { $0 === failed }) else { return }
    let previous = port
    closeListeners()
    if (try? openListener(port: previous)) == nil, (try? openListener(port: 0)) == nil { return }
    if port != previous { announcePort() }
  }

  private func closeListeners() {
    for listener in listeners { listener.close() }
    listeners = []
  }

  /// Has browsers look for us where we listen now.
  private func announcePort() {
    let port = port
    for advertising in advertisers {
      guard let text = advertising.advertiser?.assumeIsolated({ $0.text }) else { continue }
      discovery.assumeIsolated { $0.update(advertising.advertisement, info: text, port: port) }
    }
  }

  // MARK: Life

  func suspend() {
    guard phase == .running else { return }
    phase = .suspended
    discovery.assumeIsolated { $0.suspend() }
    suspendInvitations()
    for session in sessionsInOrder { session.assumeIsolated { $0.suspend() } }
    closeListeners()
  }

  func resume() throws(EarshotError) {
    if phase == .stopped { throw Self.stopped(name) }
    guard phase == .suspended else { return }
    let previous = port
    do { try openListener(port: previous) } catch { try openListener(port: 0) }
    phase = .running
    discovery.assumeIsolated { $0.resume() }
    tellOfDiscovery()
    if port != previous { announcePort() }
    for session in sessionsInOrder { session.assumeIsolated { $0.resume() } }
    resumeInvitations()
  }

  func stop(within limit: Duration) async {
    let sessions = sessionsInOrder
    beginStopping(within: limit)
    for session in sessions { await session.leave(within: limit) }
  }

  /// Stops at once, but for the sessions, which begin to be left.
  func beginStopping(within limit: Duration) {
    if phase != .stopped {
      phase = .stopped
      stopDiscovery()
    }
    for session in sessionsInOrder { session.assumeIsolated { $0.beginLeaving(within: limit) } }
    letGoIfEnded()
  }

  /// Lets go of what keeps this alive, once nothing is left to be done.
  private func letGoIfEnded() {
    guard phase == .stopped, sessions.isEmpty else { return }
    shutdown?.cancel()
    shutdown = nil
    attention.connect(to: nil)
  }

  /// Lets go of everything, since nothing works any more.
  private func hostWentDown() {
    phase = .stopped
    abandonInvitations()
    stopDiscovery()
    for session in sessionsInOrder { session.assumeIsolated { $0.abandon() } }
    links = [:]
    letGoIfEnded()
  }

  private func stopDiscovery() {
    endInvitations()
    for advertiser in advertisers.compactMap(\.advertiser) {
      advertiser.assumeIsolated { $0.stop() }
    }
    for browser in browsers.compactMap(\.browser) { browser.assumeIsolated { $0.stop() } }
    (advertisers, browsers) = ([], [])
    discovery.assumeIsolated { $0.stop() }
    closeListeners()
  }

  var sessionsInOrder: [SessionCore] {
    sessions.values.sorted { $0.id < $1.id }
  }

  private static let rememberedMax = 1_024
  /// How long what was let go may take to deliver what it had sent.
  static let farewellTime = Duration.seconds(2)
}
