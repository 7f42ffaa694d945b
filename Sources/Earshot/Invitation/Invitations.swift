import EarshotNetwork

/// The open invitations of one peer, in both directions.
///
/// The shell of an ``InvitationTable``: owns the links that invitations go over, and the calls that wait for
/// them.
actor Invitations {
  /// A call that does not want to wait any longer.
  enum Cancellation: Sendable {
    case inviting(InvitationID, Promise<InvitationOutcome>)
    case accepting(InvitationTable.InboundID, Promise<InboundInvitation.Acceptance>)
  }

  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated unowned let peer: PeerCore  // Which holds it.
  nonisolated let cancellations = Mailbox<Cancellation>()
  var outbound: [InvitationID: OutboundInvitation] = [:]
  var inbound: [InvitationTable.InboundID: InboundInvitation] = [:]
  var links: [LinkToken: GreetedLink] = [:]
  private let driver: MachineDriver<InvitationTable>
  private var timer: (any NetworkTimer)?

  init(of peer: PeerCore, random: RandomStream) {
    unownedExecutor = peer.unownedExecutor
    self.peer = peer
    driver = MachineDriver(
      InvitationTable(
        of: peer.id, offersMax: peer.configuration.maximumOpenInvitations, random: random))
  }

  func start() {
    timer = peer.host.makeTimer { [weak self] in
      self?.assumeIsolated { $0.handle(.deadlineReached) }
    }
  }

  var table: InvitationTable { driver.machine }

  /// The table itself, its links, and the searches for invited peers.
  var inside: [any Actor] {
    [self] + links.values.map(\.link)
      + outbound.values.flatMap { $0.dialling?.assumeIsolated { $0.inside } ?? [] }
  }

  nonisolated var now: Instant { peer.host.now }

  // MARK: Events in, actions out

  func handle(_ event: InvitationTable.Event) {
    attend()
    let isOutermost = !driver.isDriving
    driver.handle(event, at: now) { perform($0) }
    if isOutermost { forgetEnded() }
  }

  private func perform(_ action: InvitationTable.Action) {
    switch action {
    case .dial(let id): dial(id)
    case .cancelDial(let id): cancelDial(id)
    case .sendInvite(let token, let id): sendInvite(id, on: token)
    case .sendAttached(let token, let id): sendAttached(id, on: token)
    case .sendCancel(let token, let id, let reason):
      send(Cancel(invitation: id, reason: reason), on: token)
    case .sendAccept(let token, let id, let session): sendAccept(id, session, on: token)
    case .sendDecline(let token, let id, let reason):
      noteDeclined(id, reason)
      send(Decline(invitation: id.invitation, reason: reason), on: token)
    case .closeLink(let token, let code): closeLink(token, code)
    case .wake(let deadline): timer?.arm(at: deadline)
    case .cancelWake: timer?.disarm()
    case .reportOffered(let id): offer(id)
    case .reportWithdrawn(let id, let reason): withdrawn(id, reason)
    case .reportSuperseded(let id): superseded(id)
    case .reportFailed(let id, let reason): failed(id, reason)
    case .reportTakenBack(let id): takeBack(id, .cancelled)
    case .reportOutcome(let id, let outcome): ended(id, outcome)
    case .reportJoined(let joining): join(joining, attaching: false)
    case .reportAttaching(let joining): join(joining, attaching: true)
    }
  }

  private func noteDeclined(_ id: InvitationTable.InboundID, _ reason: DeclineReason) {
    guard let invitation = inbound[id], !invitation.isDeclined else { return }
    inbound[id]?.isDeclined = true
    peer.log.noteEnded(invitation, from: id.inviter, "\(reason)")
  }

  /// Forgets what ended without a report, since no application was asked, or is no longer.
  private func forgetEnded() {
    for id in inbound.keys where !table.isOpen(id) { forgetIfEnded(id) }
  }

  /// Lets calls go that do not want to wait any longer.
  func attend() {
    for cancellation in cancellations.take() {
      switch cancellation {
      case .inviting(let id, let waiter): giveUp(id, waiter)
      case .accepting(let id, let waiter): giveUp(id, waiter)
      }
    }
  }

  /// Has a call that does not want to wait any longer let go, from any thread.
  nonisolated func cancel(_ cancellation: Cancellation) {
    cancellations.add(cancellation)
    peer.lookSoon()
  }

  // MARK: Joining

  /// A membership begins, over a link that goes to its session.
  private func join(_ joining: InvitationTable.Joining, attaching: Bool) {
    guard let greeted = links[joining.link], let session = session(joining.session) else {
      closeLink(joining.link, .unknownSession)
      return conclude(joining.origin, .sessionEnded)
    }
    let (position, channel) = position(of: joining.origin)
    guard let position else {
      closeLink(joining.link, .expired)
      return conclude(joining.origin, .ended)
    }
    let entry = Roster.Entry(
      peer: joining.peer, session: joining.remoteSession, position.terms,
      displayName: greeted.greeting.displayName, endpoints: greeted.endpoints)
    let joined = session.assumeIsolated { session in
      let acceptance = Acceptance(
        entry: entry, reliable: channel ?? session.makeChannel(with: joining.peer),
        position: position)
      if attaching, case .inbound(let id) = joining.origin {
        return session.expectAttaching(acceptance, by: id)
      }
      return session.join(greeted.link, acceptance)
    }
    if !joined {
      closeLink(joining.link, .full)
      return conclude(joining.origin, .ended)
    }
    guard attaching else {
      links[joining.link] = nil
      return conclude(joining.origin, .joined)
    }
    if case .inbound(let id) = joining.origin { concludeIfJoined(id) }
  }

  private func conclude(
    _ origin: InvitationTable.Origin, _ acceptance: InboundInvitation.Acceptance
  ) {
    switch (origin, acceptance) {
    case (.inbound(let id), _): conclude(id, acceptance)
    case (.outbound, .joined): break
    case (.outbound(let id), _): outbound[id]?.isRefused = true
    }
  }

  /// Where the other side stands, and the channel of this side that it has heard of.
  private func position(of origin: InvitationTable.Origin) -> (SidePosition?, ReliableChannel?) {
    switch origin {
    case .outbound(let id): (outbound[id]?.accept?.position, outbound[id]?.reliable)
    case .inbound(let id): (inbound[id]?.confirmation, inbound[id]?.reliable)
    }
  }

  /// A peer became a member of a session, perhaps by an introduction while it was being invited, or while its own
  /// invitation was being accepted.
  func joined(_ peer: PeerID, _ remote: SessionID, _ session: SessionCore) {
    if let id = openInvitation(of: peer, to: session) { handle(.peerJoined(id)) }
    for (id, invitation) in inboundInOrder
    where id.inviter == peer && invitation.session === session
      && (invitation.invite.session == remote || table.isSuperseded(id) || table.isAttaching(id))
    {
      conclude(id, .joined)
    }
  }

  /// A peer that attached to a session has not become a member.
  func missed(_ peer: PeerID, _ remote: SessionID, _ session: SessionCore) {
    for (id, invitation) in inboundInOrder
    where id.inviter == peer && invitation.invite.session == remote
      && invitation.session === session && table.isAttaching(id)
    {
      conclude(id, .ended, ending: .timedOut)
    }
  }

  // MARK: Sleeping and ending

  /// Gives all links back; what is open stays open until its deadline.
  func suspend() {
    handle(.suspendRequested)
    closeLinks(.suspending)
  }

  func resume() { handle(.resumeRequested) }

  /// Ends all invitations, and tells the other sides.
  func end() {
    for (id, _) in outboundInOrder { handle(.cancelRequested(id)) }
    for (id, _) in inboundInOrder {
      decline(id, .stopped)
      takeBack(id, .stopped)
    }
    closeLinks(.done)
  }

  /// Ends those into a session that is being left.
  func withdraw(to session: SessionCore) {
    for (id, invitation) in outboundInOrder where invitation.session === session {
      handle(.cancelRequested(id))
    }
    for (id, invitation) in inboundInOrder where invitation.session === session {
      takeBack(id, .sessionEnded)
    }
  }

  /// Ends all invitations without a word to any other peer.
  func abandon() {
    for (id, _) in outboundInOrder {
      cancelDial(id)
      ended(id, .cancelled)
    }
    for (id, _) in inboundInOrder { conclude(id, .stopped, ending: .stopped) }
    timer = nil
    closeLinks(.done)
  }

  // MARK: Looking

  /// The open ones that this peer sends, in an order of their own.
  var outboundInOrder: [(id: InvitationID, invitation: OutboundInvitation)] {
    outbound.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The open ones that this peer received, in an order of their own.
  var inboundInOrder: [(id: InvitationTable.InboundID, invitation: InboundInvitation)] {
    inbound.sorted { ($0.key.inviter, $0.key.invitation) < ($1.key.inviter, $1.key.invitation) }
      .map { ($0.key, $0.value) }
  }

  func session(_ id: SessionID) -> SessionCore? { peer.assumeIsolated { $0.sessions[id] } }

  /// What is open, each thing as a word.
  var leftovers: [String] {
    let dialled = outboundInOrder.compactMap(\.invitation.dialling)
      .flatMap { $0.assumeIsolated { $0.tokens } }
    return (links.keys + dialled).sorted().map { "link \($0.rawValue)" }
      + outbound.values.map { "invitation of \($0.peer.short)" }
      + inbound.keys.map { "invitation from \($0.inviter.short)" }
      + (table.isEmpty ? [] : ["open invitations"])
      + (peer.assumeIsolated { $0.ledger.isAccepting } ? ["acceptances"] : [])
  }
}
