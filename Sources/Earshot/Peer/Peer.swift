public import EarshotNetwork
public import EarshotTLS

/// A participant that others can discover and connect to.
///
/// A peer makes itself visible with ``advertise(_:info:)``, finds others with ``browse(_:)``, and connects to them
/// in sessions with ``makeSession(_:)`` and ``invite(_:to:context:within:)-(PeerID,_,_,_)``. A process may have
/// several peers, also on one host; each has an identity of its own.
///
/// End a peer with ``stop(within:)``, which waits until what was sent is delivered. A peer that is released, when
/// none of its sessions, advertisers, browsers and invitations is held any more either, ends in the same way, with
/// two seconds for what was sent; its host must run that long. Each of these holds its peer, and so does a call
/// that has not returned.
public actor Peer {
  /// Runs where its host runs.
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// The identifier of the peer.
  public nonisolated var id: PeerID { identity.id }
  /// The identity that the identifier belongs to; a program that keeps it is the same peer again.
  public nonisolated var identity: Identity { core.identity }
  /// The display name of the peer: decoration, not identity.
  public nonisolated var name: String { core.name }
  /// The settings of the peer, with each number in its range.
  public nonisolated var configuration: Configuration { core.configuration }

  /// How many datagrams came to the peer's UDP port that were for no link of a member, such as those that scanners
  /// send, or that came late; they were dropped.
  ///
  /// - SeeAlso: ``UnreliableStatistics/dropped``
  public var strayDatagramCount: Int { core.datagrams.assumeIsolated { $0.strayCount } }

  /// How many datagrams came to the peer's UDP port and were lost there, since the system had no room for them.
  ///
  /// They count when a later datagram has come, on Linux alone. Whose they were is not known.
  ///
  /// - SeeAlso: ``UnreliableStatistics/dropped``
  public var lostDatagramCount: Int { core.datagrams.assumeIsolated { $0.lostCount } }

  /// The host on which the peer is.
  public nonisolated var host: any NetworkHost { core.host }
  nonisolated let core: PeerCore

  /// A peer that listens for links from now on.
  ///
  /// - Parameters:
  ///   - name: What the peer calls itself: 1 to 63 bytes of UTF-8 without control characters. Decoration:
  ///     it need not be unique.
  ///   - identity: Who the peer is; a new one by default. Two peers at once with one identity are one to others.
  ///   - trust: Whom the peer links with. There is no default: say `.anyPeer` if everybody is welcome.
  ///   - configuration: How the peer behaves.
  ///   - host: Where the peer is: real sockets, or a simulated host.
  /// - Throws: `invalidDisplayName`; `identityWithoutKey` for a plain identity, except on simulated hosts without
  ///   TLS; `network` when nothing can be listened on.
  public init(
    _ name: String, identity: Identity? = nil, trusting trust: TrustPolicy,
    configuration: Configuration = Configuration(), on host: any NetworkHost
  ) async throws(EarshotError) {
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    core = try PeerCore(
      name, identity: identity, trusting: trust, configuration: configuration, on: host)
    try core.isolated { core throws(EarshotError) in try core.begin() }
  }

  deinit { core.released(.peer) }

  /// Has the peer call itself something else from now on.
  ///
  /// Browsers see it as an update, under the identifier that stays. Members of sessions know the peer by its new name from
  /// their next link on, and those that are not members yet when they join.
  ///
  /// - Parameter name: 1 to 63 bytes of UTF-8 without control characters.
  /// - Throws: `invalidDisplayName`; `stopped`. Nothing has changed then.
  public func rename(to name: String) throws(EarshotError) {
    try core.isolated { core throws(EarshotError) in try core.rename(to: name) }
  }

  // MARK: Discovery

  /// Makes the peer visible to those that browse for a service.
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

  /// The reason why peers, or some of them, can neither be found at the moment nor find this one; `nil` when there is
  /// none.
  ///
  /// Beginning to advertise or to browse fails while UDP port 5353 cannot be opened. Advertisers and browsers that
  /// ran before, and lost the port during a suspension, try again every few seconds until they have it back; those
  /// of a host without an interface go on as soon as there is one. Browsers report it as
  /// ``BrowserEvent/unavailable(_:)`` and ``BrowserEvent/available``, and so does the peer in its ``events``.
  public var discoveryProblem: EarshotError? { core.assumeIsolated { $0.discoveryProblem } }

  // MARK: Sessions

  /// A session without members yet.
  ///
  /// - Parameter configuration: How it behaves.
  /// - Returns: The session; invite others to it, or accept invitations into it.
  /// - Throws: `stopped`; `encryptionUnavailable` when the session requires encryption and the simulated world has
  ///   plain links. Nothing has changed then.
  public func makeSession(
    _ configuration: Session.Configuration = Session.Configuration()
  ) throws(EarshotError) -> Session {
    let session = try core.isolated { core throws(EarshotError) in
      try core.makeSession(configuration)
    }
    return Session(session, of: self)
  }

  /// Invites a peer that a browser has found into a session.
  ///
  /// Inviting a member changes nothing. Two peers that invite each other at once, for the same service, are joined by
  /// one link, and neither program is asked: each is joined in the session into which it invited the other. If one of
  /// the two has ever had two sessions open at once, both programs are asked, since only they know which belong
  /// together; two that accept each other into the same two sessions are joined once. Inviting the same peer into the
  /// same session while an invitation is open waits for that one's outcome. Cancelling the task withdraws the
  /// invitation, unless another call waits for it, too. While this peer is suspended, the invitation rests, and its
  /// deadline stays; a peer that is suspended is asked again until then.
  ///
  /// A peer to which no connection was made is asked for by multicast DNS when the invitation ends. Browsers lose it ten
  /// seconds later, unless it answers.
  ///
  /// - Parameters:
  ///   - peer: The peer to be invited, which one of this peer's browsers has found.
  ///   - session: A session of this peer.
  ///   - context: What the invited program may know before it answers; at most 16,384 bytes.
  ///   - limit: How long to wait for the answer; a negative time counts as zero.
  /// - Returns: How it ended; `cancelled` also when the session is left or this peer is stopped meanwhile.
  /// - Throws: `unknownPeer`, `untrustedPeer` (after the program was asked, if its ``TrustPolicy`` asks it: the time
  ///   runs meanwhile), `contextTooLarge`, `sessionEnded`, `suspended`, `stopped`, before anything was sent.
  public func invite(
    _ peer: PeerID, to session: Session, context: [UInt8] = [],
    within limit: Duration = .seconds(30)
  ) async throws(EarshotError) -> InvitationOutcome {
    defer { withExtendedLifetime((self, session)) {} }
    return try await core.invite(
      peer, to: session.core, context: context, timeout: limit, with: nil)
  }

  /// Invites a peer that no browser has found into a session; in all else as
  /// ``invite(_:to:context:within:)-(PeerID,_,_,_)``.
  ///
  /// - Parameters:
  ///   - ticket: Says who is to be invited, and where that peer listens.
  ///   - session: A session of this peer.
  ///   - context: What the invited program may know before it answers; at most 16,384 bytes.
  ///   - limit: How long to wait for the answer; a negative time counts as zero.
  /// - Returns: How it ended; `cancelled` also when the session is left or this peer is stopped meanwhile.
  /// - Throws: `untrustedPeer`, `contextTooLarge`, `sessionEnded`, `suspended`, `stopped`, `unknownPeer` for a ticket of
  ///   this peer, and `invalidTicket` for one that leads to loopback addresses alone when this peer's host uses no
  ///   loopback interface, before anything was sent.
  public func invite(
    _ ticket: PeerTicket, to session: Session, context: [UInt8] = [],
    within limit: Duration = .seconds(30)
  ) async throws(EarshotError) -> InvitationOutcome {
    defer { withExtendedLifetime((self, session)) {} }
    return try await core.invite(
      ticket.peer, to: session.core, context: context, timeout: limit, with: ticket)
  }

  /// What another peer must know to invite this one without a browser.
  ///
  /// - Parameters:
  ///   - serviceType: The service that this peer advertises, now or when it is invited.
  ///   - time: How long the ticket is good, from now on and by the wall clocks of both sides: at
  ///     most 292 years, and without a limit by default. With a negative time the ticket has
  ///     expired.
  /// - Returns: The ticket: this peer, and where it listens now. It is void when the peer listens elsewhere, as it
  ///   may after a suspension.
  /// - Throws: `invalidServiceType` with the rule that is broken; `suspended`; `stopped`.
  public func ticket(
    for serviceType: String, validFor time: Duration? = nil
  ) throws(EarshotError) -> PeerTicket {
    try core.isolated { core throws(EarshotError) in
      try core.ticket(for: serviceType, validFor: time)
    }
  }

  /// The TCP port on which the peer listens for links.
  ///
  /// It may change with ``resume()``, when the system has given the port to another program meanwhile.
  public var port: UInt16 { core.assumeIsolated { $0.port } }

  // MARK: Life

  /// The changes in the life of the peer: its present state first, as ``PeerEvent/running`` or
  /// ``PeerEvent/suspended`` and what is wrong with discovery, and then every change; ends after
  /// ``PeerEvent/stopped``.
  ///
  /// Each loop begins with the present state. Events that a loop takes too slowly are summed up: the last one of the
  /// peer's life, the last one of discovery, the last failure of the store of trusted peers and the last sixteen changes
  /// of keys stay.
  public nonisolated var events: EventStream<PeerEvent> { core.events(of: self) }

  /// Suspends the peer: it says goodbye to browsers, tells all members that it will be back, and stops listening.
  ///
  /// What is not delivered is kept, and invitations stay open until their deadlines: the other side asks again,
  /// or is asked again, after ``resume()``. To be called when the system is about to suspend the process.
  public func suspend() { core.assumeIsolated { $0.suspend() } }

  /// Resumes the peer: it listens, announces itself again, and takes its sessions up.
  ///
  /// Members that waited are linked again; those whose patience has ended are reported as left.
  /// While the peer cannot listen, as without a network, the call tries again every second.
  /// Cancelling it, or suspending the peer again, leaves the peer suspended.
  ///
  /// - Throws: `stopped`; `cancelled`; `suspended` if the peer was suspended again before it could
  ///   listen.
  public func resume() async throws(EarshotError) {
    defer { withExtendedLifetime(self) {} }
    try await core.resume()
  }

  /// Ends the peer for good: it leaves all sessions, says goodbye to browsers, and closes everything.
  ///
  /// Peers that wait for its answer are told that it cannot be reached. Tasks of ``task(_:_:)`` are cancelled in the
  /// end. Stopping again waits for the same end; cancelling changes nothing.
  ///
  /// - Parameter limit: How long delivering what was sent may take; a negative time counts as zero.
  ///   Sessions that are being left have no longer, either.
  public func stop(within limit: Duration = .seconds(2)) async { await core.stop(within: limit) }
}

// MARK: For the rest of the package

extension Session {
  /// What lives on behind the session until it has ended.
  package var inside: [any Actor] { core.assumeIsolated { $0.inside } }
}

extension Peer {
  /// What lives on behind the peer until it has ended.
  package var inside: [any Actor] { core.assumeIsolated { $0.inside } }

  /// A member of one of the peer's sessions, and its own session.
  package struct MemberSession: Hashable, Sendable {
    package let local: SessionID
    package let peer: PeerID
    package let remote: SessionID
  }

  /// The members of all sessions.
  package var memberships: [MemberSession] { core.assumeIsolated { $0.memberships } }

  /// How many sessions have not ended.
  package var sessionCount: Int { core.assumeIsolated { $0.sessions.count } }

  /// What is open that an invitation or a stranger has opened, each thing as a word.
  package var leftovers: [String] { core.assumeIsolated { $0.leftovers } }
}
