public import EarshotTLS

/// Ourselves, among the peers nearby.
///
/// Everything begins here: ``advertise(_:info:)`` makes us visible, ``browse(_:)`` finds others,
/// ``makeSession(_:)`` and ``invite(_:to:context:timeout:at:)`` bring us together. A process may have several
/// peers, also on one network; each is somebody of its own.
///
/// End a peer with ``stop(within:)``, which waits until what was sent is delivered. A peer that is released, when
/// none of its sessions, advertisers, browsers and invitations is held any more either, ends in the same way, with
/// two seconds for what was sent; its host must run that long. Each of these holds its peer, and so does a call
/// that has not returned.
public actor Peer {
  /// Runs where its host runs.
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// Who we are.
  public nonisolated var id: PeerID { identity.id }
  /// What proves it; keep it to be the same peer again.
  public nonisolated var identity: Identity { core.identity }
  /// What we call ourselves.
  public nonisolated var name: String { core.name }
  /// How we behave.
  public nonisolated var configuration: Configuration { core.configuration }

  package nonisolated var host: any NetworkHost { core.host }
  nonisolated let core: PeerCore

  /// A peer that listens for links from now on.
  ///
  /// - Parameters:
  ///   - name: What we call ourselves: 1 to 63 bytes of UTF-8 without control characters. Decoration:
  ///     it need not be unique.
  ///   - identity: Who we are; a stranger by default.
  ///   - configuration: How we behave.
  ///   - host: Where we are: real sockets, or a simulated host.
  /// - Throws: `invalidDisplayName`, or `network` when nothing can be listened on.
  public init(
    _ name: String, identity: Identity? = nil, configuration: Configuration = Configuration(),
    on host: any NetworkHost
  ) async throws(EarshotError) {
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    core = try PeerCore(name, identity: identity, configuration: configuration, on: host)
    try core.isolated { core throws(EarshotError) in try core.begin() }
  }

  deinit { core.released(.peer) }

  // MARK: Discovery

  /// Makes us visible to those who browse for a service.
  ///
  /// - Parameters:
  ///   - serviceType: 1 to 15 of a–z, 0–9 and hyphen, such as `chat`.
  ///   - info: What others may know before they invite this peer; every host nearby can read it. `nil` says nothing,
  ///     which is not the same as no keys.
  /// - Returns: The advertiser, already announced; stop it to become invisible.
  /// - Throws: `invalidServiceType` or `invalidDiscoveryInfo` with the rule that is broken;
  ///   `alreadyAdvertised`; `discoveryUnavailable`; `suspended`; `stopped`.
  public func advertise(
    _ serviceType: String, info: [String: String]? = nil
  ) throws(EarshotError) -> Advertiser {
    try core.isolated { core throws(EarshotError) in
      try core.advertise(serviceType, info: info, for: self)
    }
  }

  /// Looks for peers that advertise a service.
  ///
  /// - Parameter serviceType: 1 to 15 of a–z, 0–9 and hyphen, such as `chat`.
  /// - Returns: The browser, already looking; stop it to look no longer.
  /// - Throws: `invalidServiceType` with the rule that is broken; `tooManyBrowsers`;
  ///   `discoveryUnavailable`; `suspended`; `stopped`.
  public func browse(_ serviceType: String) throws(EarshotError) -> Browser {
    try core.isolated { core throws(EarshotError) in try core.browse(serviceType, for: self) }
  }

  /// Why no peer can be found at the moment and none can find this one, or `nil` when all is well.
  ///
  /// Beginning to advertise or to browse fails while UDP port 5353 cannot be opened. Advertisers and browsers that
  /// ran before, and lost the port during a suspension, try again every few seconds until they have it back; those
  /// of a host without an interface go on as soon as there is one. Browsers report it as
  /// ``BrowserEvent/unavailable(_:)`` and ``BrowserEvent/available``.
  public var discoveryProblem: EarshotError? { core.assumeIsolated { $0.discoveryProblem } }

  // MARK: Sessions

  /// A session without members yet.
  ///
  /// - Parameter configuration: How it behaves.
  /// - Returns: The session; invite others to it, or accept invitations into it.
  /// - Throws: `stopped`.
  public func makeSession(
    _ configuration: Session.Configuration = Session.Configuration()
  ) throws(EarshotError) -> Session {
    let session = try core.isolated { core throws(EarshotError) in
      try core.makeSession(configuration)
    }
    return Session(session, of: self)
  }

  /// Asks a peer into a session.
  ///
  /// Asking a member changes nothing. Two peers that ask each other at once are joined by one link, and
  /// neither application is asked. Asking the same peer into the same session while an invitation is open
  /// waits for that one's outcome. Cancelling the task withdraws the invitation, unless another call waits for
  /// it, too. While this peer is suspended, the invitation rests, and its deadline stays; a peer that goes to
  /// sleep is asked again until then.
  ///
  /// - Parameters:
  ///   - peer: Whom to ask: somebody whom one of our browsers has found, unless endpoints are given.
  ///   - session: Where to: one of our own sessions.
  ///   - context: What the peer's application should know before it answers; at most 16,384 bytes.
  ///   - timeout: How long to wait for the answer.
  ///   - endpoints: Where the peer listens, if no browser has found it; with the service type it advertises.
  /// - Returns: How it ended; `cancelled` also when the session is left or this peer is stopped meanwhile.
  /// - Throws: `unknownPeer`, `contextTooLarge`, `invalidServiceType`, `sessionEnded`, `suspended`,
  ///   `stopped`, before anything was sent.
  @discardableResult
  public func invite(
    _ peer: PeerID, to session: Session, context: [UInt8] = [], timeout: Duration = .seconds(30),
    at endpoints: (serviceType: String, endpoints: [Endpoint])? = nil
  ) async throws(EarshotError) -> InvitationOutcome {
    defer { withExtendedLifetime((self, session)) {} }
    return try await core.invite(
      peer, to: session.core, context: context, timeout: timeout, at: endpoints)
  }

  // MARK: Life

  /// Goes to sleep: says goodbye to browsers, tells all members that we will be back, and stops.
  ///
  /// What is not delivered is kept, and invitations stay open until their deadlines: the other side asks again,
  /// or is asked again, after ``resume()``. Call it when the system is about to suspend the process.
  public func suspend() { core.assumeIsolated { $0.suspend() } }

  /// Comes back: listens, announces itself again, and takes the sessions up.
  ///
  /// Members that waited are linked again; those whose patience has ended are reported as left.
  ///
  /// - Throws: `network` when nothing can be listened on; the peer stays suspended then. `stopped`.
  public func resume() throws(EarshotError) {
    try core.isolated { core throws(EarshotError) in try core.resume() }
  }

  /// Ends for good: disconnects all sessions, says goodbye, closes everything.
  ///
  /// Whoever waits for an answer of this peer is told that it cannot be reached. Stopping again waits for the
  /// same end.
  ///
  /// - Parameter limit: How long delivering what was sent may take.
  public func stop(within limit: Duration = .seconds(2)) async { await core.stop(within: limit) }
}

// MARK: For the rest of the package

extension Session {
  /// What lives on behind the session until it has ended.
  package nonisolated var inside: [any Actor] { [core] }
}

extension Peer {
  /// What lives on behind the peer until it has ended.
  package nonisolated var inside: [any Actor] { [core, core.discovery] }

  /// A member of one of our sessions, and its session.
  package struct Membership: Hashable, Sendable {
    package let local: SessionID
    package let peer: PeerID
    package let remote: SessionID
  }

  /// Where it listens.
  package var port: UInt16 { core.assumeIsolated { $0.port } }

  /// The members of all sessions.
  package var memberships: [Membership] { core.assumeIsolated { $0.memberships } }

  /// How many sessions have not ended.
  package var sessionCount: Int { core.assumeIsolated { $0.sessions.count } }

  /// What is open that an invitation or a stranger has opened, each thing as a word.
  package var leftovers: [String] { core.assumeIsolated { $0.leftovers } }
}
