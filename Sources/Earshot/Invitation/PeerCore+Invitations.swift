import Synchronization

extension PeerCore {
  func handle(_ event: InvitationTable.Event) {
    attendCancellations()
    tableEvents.append(event)
    guard tableEvents.count == 1 else { return }  // Whoever is at work below goes on with it.
    while let event = tableEvents.first {
      var actions: [InvitationTable.Action] = []
      invitations.table.handle(event, at: now, into: &actions)
      for action in actions { perform(action) }
      if tableEvents.count == 1 { forgetEnded() }
      tableEvents.removeFirst()
    }
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
      send(Decline(invitation: id.invitation, reason: reason), on: token)
    case .closeLink(let token, let code): closeLink(token, code)
    case .wake(let deadline): invitations.timer?.arm(at: deadline)
    case .cancelWake: invitations.timer?.disarm()
    case .reportOffered(let id): offer(id)
    case .reportWithdrawn(let id, let reason): withdrawn(id, reason)
    case .reportFailed(let id, let reason): failed(id, reason)
    case .reportOutcome(let id, let outcome): ended(id, InvitationOutcome(outcome))
    case .reportJoined(let joining): join(joining, attaching: false)
    case .reportAttaching(let joining): join(joining, attaching: true)
    }
  }

  /// Forgets what ended without a report, since no application was asked, or is no longer.
  private func forgetEnded() {
    for id in invitations.incoming.keys where !invitations.table.isOpen(id) { forgetIfEnded(id) }
  }

  private func send(_ payload: some FramePayload & Sendable, on token: LinkToken) {
    links[token]?.link.assumeIsolated { $0.send(payload) }
  }

  private func sendInvite(_ id: InvitationID, on token: LinkToken) {
    guard let outgoing = invitations.outgoing[id] else { return }
    let left = max((outgoing.deadline - now).nanoseconds, 0) / 1_000_000
    let session = outgoing.session
    send(
      Invite(
        invitation: id, session: session.id, ended: ended.last(of: session.id, with: outgoing.peer),
        nextSeniority: session.assumeIsolated { $0.roster.nextSeniority },
        timeoutMilliseconds: UInt64(left),
        serviceType: outgoing.serviceType, context: outgoing.context), on: token)
  }

  private func sendAttached(_ id: InvitationID, on token: LinkToken) {
    guard let outgoing = invitations.outgoing[id], let grant = outgoing.grant else { return }
    let session = outgoing.session
    let (stream, terms) = session.assumeIsolated { session in
      session.roster.takeSeniority(grant.nextSeniority)
      return (session.makeStream(), session.terms)
    }
    invitations.outgoing[id]?.stream = stream
    let (received, window) = stream.position()
    send(
      Attached(
        membership: grant.membership, epoch: 1, received: received, window: window,
        terms: terms), on: token)
  }

  private func sendAccept(
    _ id: InvitationTable.InboundID, _ session: SessionID, on token: LinkToken
  ) {
    guard let session = sessions[session], let incoming = invitations.incoming[id] else {
      return closeLink(token, .unknownSession)
    }
    let invite = incoming.invite
    let (stream, membership, next, terms) = session.assumeIsolated { session in
      let membership =
        incoming.membership
        ?? session.membershipToAccept(of: id.inviter, invite.session, ended: invite.ended)
      let next = session.roster.nextSeniority
      session.roster.takeSeniority(max(invite.nextSeniority, 1))
      return (incoming.stream ?? session.makeStream(), membership, next, session.terms)
    }
    invitations.incoming[id]?.stream = stream
    invitations.incoming[id]?.session = session
    invitations.incoming[id]?.membership = membership
    send(
      Accept(
        invitation: id.invitation, session: session.id, membership: membership,
        nextSeniority: next, window: stream.position().window, terms: terms), on: token)
  }

  func closeLink(_ token: LinkToken, _ code: CloseCode) {
    guard let opening = links.removeValue(forKey: token) else { return }
    opening.link.assumeIsolated { $0.close(code) }
  }

  // MARK: Reports

  private func offer(_ id: InvitationTable.InboundID) {
    guard let incoming = invitations.incoming[id] else { return }
    let serviceType = incoming.invite.serviceType
    guard let advertiser = advertiser(of: serviceType) else { return decline(id, .notAdvertising) }
    let timeout = Duration.milliseconds(Int64(clamping: incoming.invite.timeoutMilliseconds))
    let invitation = Invitation(
      id: id, inviter: incoming.inviter, senderName: incoming.senderName,
      context: incoming.invite.context,
      deadline: now + timeout, peer: advertiser.peer)
    invitations.incoming[id]?.invitation = invitation
    advertiser.offer(invitation)
  }

  private func withdrawn(
    _ id: InvitationTable.InboundID, _ reason: InboundInvitationMachine.Reason
  ) {
    invitations.incoming[id]?.invitation?.end(Invitation.Ending(reason))
    forgetIfEnded(id)  // Unless it is accepted in place of one of ours.
  }

  /// An acceptance led to nothing, or to what comes about another way.
  private func failed(
    _ id: InvitationTable.InboundID, _ reason: InboundInvitationMachine.Reason
  ) {
    guard let incoming = invitations.incoming[id] else { return }
    guard reason == .superseded, let session = incoming.session else {
      let isMember = incoming.session?.assumeIsolated { $0.isMember(incoming.inviter) } ?? false
      return conclude(id, isMember ? .joined : .ended, ending: Invitation.Ending(reason))
    }
    incoming.stream?.end()
    invitations.incoming[id]?.stream = nil
    wait(for: id, .otherwise, in: session)
  }

  /// Waits until it is known whether an inviter became a member.
  private func wait(
    for id: InvitationTable.InboundID, _ joining: PeerInvitations.Joining, in session: SessionCore
  ) {
    guard let inviter = invitations.incoming[id]?.inviter else { return }
    invitations.incoming[id]?.joining = joining
    session.assumeIsolated { session in
      session.whenJoined(inviter, isComing: true) { [weak self] isMember in
        self?.assumeIsolated { $0.conclude(id, isMember ? .joined : .ended) }
      }
    }
  }

  func ended(_ id: InvitationID, _ outcome: InvitationOutcome) {
    guard let outgoing = invitations.outgoing.removeValue(forKey: id) else { return }
    let outcome = outgoing.isRefused ? .full : outcome
    outgoing.session.unreserve(outgoing.peer)
    if outcome == .unreachable { doubt(outgoing.peer) }
    for waiter in outgoing.waiters { waiter.fulfil(outcome) }
  }

  /// A membership begins, over a link that goes to its session.
  private func join(_ joining: InvitationTable.Joining, attaching: Bool) {
    guard let opening = links[joining.link], let session = sessions[joining.session] else {
      closeLink(joining.link, .unknownSession)
      return conclude(joining.origin, .sessionEnded)
    }
    let (grant, stream) = takeGrant(of: joining.origin)
    guard let grant else {
      closeLink(joining.link, .expired)
      return conclude(joining.origin, .ended)
    }
    let entry = entry(
      joining.peer, joining.remoteSession, grant.terms, greeting: opening.greeting,
      endpoints: endpoints(of: opening))
    let joined = session.assumeIsolated { session in
      let acceptance = Acceptance(
        entry: entry, membership: grant.membership,
        stream: stream ?? session.makeStream(), window: grant.window, terms: grant.terms)
      if attaching { return session.expectAttaching(acceptance) }
      return session.join(opening.link, acceptance)
    }
    if !joined {
      closeLink(joining.link, .full)
    } else if !attaching {
      links[joining.link] = nil
    }
    switch joining.origin {
    case .inbound(let id) where joined && attaching: wait(for: id, .attaching, in: session)
    case _ where !joined: conclude(joining.origin, .ended)
    case .inbound, .outbound: conclude(joining.origin, .joined)
    }
  }

  private func conclude(
    _ origin: InvitationTable.Origin, _ acceptance: PeerInvitations.Acceptance
  ) {
    switch (origin, acceptance) {
    case (.inbound(let id), _): conclude(id, acceptance)
    case (.outbound, .joined): break
    case (.outbound(let id), _): invitations.outgoing[id]?.isRefused = true
    }
  }

  private func takeGrant(
    of origin: InvitationTable.Origin
  ) -> (PeerInvitations.Grant?, ReliableStream?) {
    switch origin {
    case .outbound(let id): (invitations.outgoing[id]?.grant, invitations.outgoing[id]?.stream)
    case .inbound(let id): (invitations.incoming[id]?.grant, invitations.incoming[id]?.stream)
    }
  }

  // MARK: Sleeping and ending

  /// Gives all links back; what is open stays open until its deadline.
  func suspendInvitations() {
    handle(.suspendRequested)
    for token in links.keys.sorted() { closeLink(token, .suspending) }
  }

  func resumeInvitations() { handle(.resumeRequested) }

  func endInvitations() {
    for (id, _) in invitations.outgoingInOrder { handle(.cancelRequested(id)) }
    for (id, _) in invitations.incomingInOrder {
      decline(id, .stopped)
      takeBack(id, .stopped)
    }
    for token in links.keys.sorted() { closeLink(token, .done) }
  }

  func withdrawInvitations(to session: SessionCore) {
    for (id, outgoing) in invitations.outgoingInOrder where outgoing.session === session {
      handle(.cancelRequested(id))
    }
    for (id, incoming) in invitations.incomingInOrder where incoming.session === session {
      takeBack(id, .sessionEnded)
    }
  }

  /// Ends all invitations without a word to anybody else.
  func abandonInvitations() {
    for (id, _) in invitations.outgoingInOrder { ended(id, .cancelled) }
    for (id, _) in invitations.incomingInOrder { conclude(id, .stopped, ending: .stopped) }
    invitations.timer = nil
  }

  /// The members of all sessions.
  var memberships: [Peer.Membership] {
    sessionsInOrder.flatMap { session in
      session.assumeIsolated { session in
        session.roster.members.map {
          Peer.Membership(local: session.id, peer: $0.peer, remote: $0.session)
        }
      }
    }
  }

  /// How many sessions have not ended.
  var sessionCount: Int { sessions.count }

  /// What is open that an invitation or a stranger has opened, each thing as a word.
  var leftovers: [String] {
    let joining = sessionsInOrder.flatMap { session in
      session.assumeIsolated { $0.awaited.map { "joining \($0.short)" } }
    }
    return links.keys.sorted().map { "link \($0.rawValue)" }
      + invitations.outgoing.values.map { "invitation of \($0.peer.short)" }
      + invitations.incoming.keys.map { "invitation from \($0.inviter.short)" } + joining.sorted()
      + (invitations.table.isEmpty ? [] : ["open invitations"])
  }

  // MARK: Other threads

  /// Notes that the program has let the peer go, and so all of its own, on any thread.
  nonisolated func released() {
    isReleased.store(true, ordering: .releasing)
    attention.raise()
  }

  /// Notes what the program has let go of the peer's own, on any thread.
  nonisolated func released(_ thing: Released) {
    releases.add(thing)
    attention.raise()
  }

  /// Looks at what other threads have left behind.
  func attend() {
    attendCancellations()
    if isReleased.load(ordering: .acquiring) { return beginStopping(within: Self.farewellTime) }
    for thing in releases.take() { end(thing) }
  }

  /// Ends what the program has let go, as if it had said so.
  private func end(_ released: Released) {
    switch released {
    case .invitation(let id): decline(id)
    case .session(let id):
      sessions[id]?.assumeIsolated { $0.beginLeaving(within: Self.farewellTime) }
    case .advertiser(let advertisement): withdraw(advertisement)
    case .browser(let browsing, let peers): stopBrowsing(browsing, knowing: peers)
    }
  }

  private func attendCancellations() {
    for cancellation in cancellations.take() {
      switch cancellation {
      case .inviting(let id, let waiter): giveUp(id, waiter)
      case .accepting(let id, let waiter): giveUp(id, waiter)
      }
    }
  }
}

extension Invitation.Ending {
  fileprivate init(_ reason: InboundInvitationMachine.Reason) {
    self =
      switch reason {
      case .cancelled: .withdrawn
      case .timedOut, .unconfirmed: .timedOut
      case .superseded: .superseded
      case .dismissed: .declined
      }
  }
}

extension InvitationOutcome {
  init(_ outcome: OutboundInvitationMachine.Outcome) {
    self =
      switch outcome {
      case .accepted: .accepted
      case .declined: .declined
      case .timedOut: .timedOut
      case .unreachable: .unreachable
      case .busy: .busy
      case .full: .full
      case .mismatch: .mismatch
      case .cancelled: .cancelled
      }
  }
}
