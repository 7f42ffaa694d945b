import EarshotNetwork

/// Accepts connections of other peers, and greets those who dial until it is known what they want.
///
/// The shell of an ``AdmissionMachine``, which says who is greeted when, and who gives way.
actor Acceptor: ListenerHandler {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  /// Where it listens, or 0 before it has.
  private(set) var port: UInt16 = 0
  private unowned let peer: PeerCore  // Which holds it.
  private var listeners: [any Listener] = []
  private let driver = MachineDriver(AdmissionMachine())
  private var timer: (any NetworkTimer)?
  private var strangers: [LinkToken: Link] = [:]
  private var greetings: [LinkToken: Hello] = [:]
  /// The connections of those who wait to be greeted: nothing is read from them.
  private var waiting: [LinkToken: any Connection] = [:]
  /// When a connection was refused without need.
  private var refused: Instant?
  private let gauge: QueueGauge?

  init(of peer: PeerCore) {
    self.peer = peer
    unownedExecutor = peer.unownedExecutor
    gauge = peer.host.gauge(
      "strangers at addresses of no member", atMost: AdmissionMachine.Limits().strangers)
  }

  // MARK: Listening

  /// Listens on a port, or on any free one if it is 0.
  func open(port: UInt16) throws(EarshotError) {
    do throws(NetworkError) {
      let opened = try peer.host.listen(on: Endpoint(.anyV4, port: port), handler: self)
      self.port = opened.localEndpoint.port
      // Without IPv6, or with the port taken there, IPv4 has to do.
      let second = try? peer.host.listen(on: Endpoint(.anyV6, port: self.port), handler: self)
      listeners = [opened] + (second.map { [$0] } ?? [])
    } catch {
      let (problem, remedy) =
        port == 0
        ? ("any port", "none may be free") : ("port \(port)", "choose another one")
      throw EarshotError(
        .network, "\(peer.name) cannot listen on \(problem); \(remedy).", cause: error)
    }
  }

  /// Listens no more; those who dialled already stay.
  func close() {
    for listener in listeners { listener.close() }
    listeners = []
  }

  nonisolated func listener(
    _ listener: any Listener, accepted connection: any Connection
  ) -> (any ConnectionHandler)? {
    assumeIsolated { $0.accepted(connection) }
  }

  nonisolated func listener(_ listener: any Listener, failed error: NetworkError) {
    assumeIsolated { $0.reopen(listener) }
  }

  /// Listens again after the system took the listener away: on the same port if it is still free.
  private func reopen(_ failed: any Listener) {
    guard listeners.contains(where: { $0 === failed }) else { return }
    peer.host.reached(.listenerLost)
    let previous = port
    close()
    if (try? open(port: previous)) == nil, (try? open(port: 0)) == nil { return }
    if port != previous { peer.assumeIsolated { $0.announcePort() } }
  }

  // MARK: Strangers

  /// Lets somebody wait for a greeting, which may begin at once.
  ///
  /// - Returns: The link, or `nil` if the connection is refused.
  private func accepted(_ connection: any Connection) -> Link? {
    guard peer.assumeIsolated({ $0.phase == .running }), !refusesWithoutNeed else { return nil }
    let (token, context) = peer.assumeIsolated { ($0.makeToken(), $0.linkContext) }
    let link = Link(token, accepted: connection, context: context, owner: self)
    strangers[token] = link
    peer.log.noteAccepted(connection.remoteEndpoint, over: token)
    handle(.accepted(token, from: connection.remoteEndpoint.address))
    if let gauge { gauge.note(driver.machine.newcomerCount) }
    if driver.machine.isWaiting(token) {
      connection.pauseReading()
      waiting[token] = connection
    }
    return strangers[token]
  }

  /// A member was linked over an address, which is no stranger's any more.
  func memberLinked(at address: IPAddress) { handle(.memberLinked(at: address)) }

  private func handle(_ event: AdmissionMachine.Event) {
    driver.handle(event, at: peer.host.now) { perform($0) }
  }

  private func perform(_ action: AdmissionMachine.Action) {
    switch action {
    case .greet(let token):
      waiting.removeValue(forKey: token)?.resumeReading()
      strangers[token]?.assumeIsolated { $0.start() }
    case .drop(let token):
      peer.host.reached(.strangerDropped)
      guard let link = forget(token) else { break }
      link.assumeIsolated { link in
        if let endpoint = link.remoteEndpoint { peer.log.noteDropped(endpoint, over: token) }
        link.drop()
      }
    case .wake(let deadline):
      if timer == nil {
        timer = peer.host.makeTimer { [weak self] in
          self?.assumeIsolated { $0.handle(.deadlineReached) }
        }
      }
      timer?.arm(at: deadline)
    case .cancelWake: timer?.disarm()
    }
  }

  private func forget(_ token: LinkToken) -> Link? {
    (greetings[token], waiting[token]) = (nil, nil)
    return strangers.removeValue(forKey: token)
  }

  /// Whether BUGGIFY has a connection refused: so seldom that a dialler that has two addresses gets through.
  private var refusesWithoutNeed: Bool {
    let now = peer.host.now
    guard refused.map({ now - $0 > .seconds(10) }) ?? true,
      peer.host.buggify?.occurs(.refusedConnection) == true
    else { return false }
    refused = now
    return true
  }

  /// The links of those who are being greeted.
  var tokens: [LinkToken] { strangers.keys.sorted() }

  /// The acceptor itself, and its links.
  var inside: [any Actor] { [self] + Array(strangers.values) }

  /// Sends all away who are being greeted, or wait for that.
  func closeLinks(_ code: CloseCode) { close(tokens, code) }

  /// Sends those away who have invited and are not known to be trusted.
  func declineHeld() {
    close(tokens.filter { strangers[$0]?.assumeIsolated { $0.holdsInvitation } == true }, .done)
  }

  private func close(_ tokens: [LinkToken], _ code: CloseCode) {
    let closed = tokens.compactMap { forget($0) }
    for link in closed { link.assumeIsolated { $0.close(code) } }
    for link in closed { handle(.ended(link.token)) }
  }

  /// Forgets all who are being greeted, since nothing works any more.
  func abandon() {
    (strangers, greetings, waiting) = ([:], [:], [:])
    timer = nil
  }
}

extension Acceptor: LinkOwner {
  nonisolated func link(_ link: Link, opened greeting: Hello) {
    assumeIsolated { $0.greetings[link.token] = greeting }
  }

  nonisolated func link(_ link: Link, received frame: InvitationFrame) {
    assumeIsolated { $0.introduce(link)?.link(link, received: frame) }
  }

  nonisolated func link(_ link: Link, received frame: AttachmentFrame) {
    assumeIsolated { $0.introduce(link)?.link(link, received: frame) }
  }

  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { acceptor in
      _ = acceptor.forget(link.token)
      acceptor.handle(.ended(link.token))
    }
  }

  /// Hands a link over that is greeted, now that its dialler says what it wants.
  private func introduce(_ link: Link) -> Invitations? {
    guard let greeting = greetings[link.token], forget(link.token) != nil else { return nil }
    handle(.introduced(link.token))
    let invitations = peer.assumeIsolated { $0.invitations }
    invitations.assumeIsolated { $0.take(link, greeting) }
    return invitations
  }
}
