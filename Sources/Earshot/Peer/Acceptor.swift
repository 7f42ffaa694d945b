import EarshotNetwork

/// Accepts connections of other peers, and greets those who dial until it is known what they want.
actor Acceptor: ListenerHandler {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  /// Where it listens, or 0 before it has.
  private(set) var port: UInt16 = 0
  private unowned let peer: PeerCore  // Which holds it.
  private var listeners: [any Listener] = []
  private var strangers: [LinkToken: Link] = [:]
  private var greetings: [LinkToken: Hello] = [:]
  /// When a connection was refused without need.
  private var refused: Instant?

  init(of peer: PeerCore) {
    self.peer = peer
    unownedExecutor = peer.unownedExecutor
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

  /// Begins to greet, unless too many are being greeted already.
  private func accepted(_ connection: any Connection) -> Link? {
    let address = connection.remoteEndpoint.address
    let neighbours = strangers.values.count { stranger in
      stranger.assumeIsolated { $0.remoteAddress } == address
    }
    guard peer.assumeIsolated({ $0.phase == .running }) else { return nil }
    guard strangers.count < Self.strangersMax, neighbours < Self.strangersPerAddressMax else {
      peer.host.reached(.strangerRefused)
      return nil
    }
    guard !refusesWithoutNeed else { return nil }
    let (token, context) = peer.assumeIsolated { ($0.makeToken(), $0.linkContext) }
    let link = Link(token, accepted: connection, context: context, owner: self)
    strangers[token] = link
    link.assumeIsolated { $0.start() }
    return link
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

  /// Sends all away who are being greeted.
  func closeLinks(_ code: CloseCode) {
    for token in tokens { strangers.removeValue(forKey: token)?.assumeIsolated { $0.close(code) } }
    greetings = [:]
  }

  /// Forgets all who are being greeted, since nothing works any more.
  func abandon() { (strangers, greetings) = ([:], [:]) }

  private static let strangersMax = 64
  private static let strangersPerAddressMax = 16
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
      acceptor.strangers[link.token] = nil
      acceptor.greetings[link.token] = nil
    }
  }

  /// Hands a link over that is greeted, now that its dialler says what it wants.
  private func introduce(_ link: Link) -> Invitations? {
    guard strangers.removeValue(forKey: link.token) != nil,
      let greeting = greetings.removeValue(forKey: link.token)
    else { return nil }
    let invitations = peer.assumeIsolated { $0.invitations }
    invitations.assumeIsolated { $0.take(link, greeting) }
    return invitations
  }
}
