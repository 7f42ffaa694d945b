import EarshotCore

extension Invitations {
  /// Invites a peer, and waits for the outcome.
  func invite(
    _ invited: PeerID, to session: SessionCore, context: [UInt8], timeout: Duration,
    for serviceType: String, at endpoints: [Endpoint]
  ) async throws(EarshotError) -> InvitationOutcome {
    if Task.isCancelled { return .cancelled }
    let waiter = Promise<InvitationOutcome>()
    if let open = openInvitation(of: invited, to: session) {
      outbound[open]?.waiters.append(waiter)
      return await outcome(of: open, for: waiter)
    }
    switch reserve(invited, in: session) {
    case .alreadyMember: return .accepted
    case .full:
      note(.noPlace, of: invited)
      note(.concluded(.full), of: invited)
      return .full
    case .local:
      throw EarshotError(.unknownPeer, "\(peer.name) cannot invite itself.", peers: [invited])
    case .reserved: break
    }
    let (id, isOfSeveral) = (makeID(), hasHadSeveralSessions)
    outbound[id] = OutboundInvitation(
      peer: invited, session: session, serviceType: serviceType, context: context,
      deadline: now + timeout, isOfSeveral: isOfSeveral, endpoints: endpoints,
      wasSeen: isSeen(invited), waiters: [waiter])
    note(.invited(service: serviceType), of: invited)
    handle(
      .inviteRequested(
        InvitationTable.Wish(
          invitation: id, peer: invited, session: session.id, serviceType: serviceType,
          timeout: timeout, isOfSeveral: isOfSeveral)))
    return await outcome(of: id, for: waiter)
  }

  func note(_ fact: PeerHistory.Fact, of invited: PeerID) {
    peer.assumeIsolated { $0.note(fact, of: invited) }
  }

  private func makeID() -> InvitationID { peer.assumeIsolated { $0.makeInvitationID() } }

  private var hasHadSeveralSessions: Bool { peer.assumeIsolated { $0.hasHadSeveralSessions } }

  func openInvitation(of invited: PeerID, to session: SessionCore) -> InvitationID? {
    outbound.first { $0.value.peer == invited && $0.value.session === session }?.key
  }

  func reserve(
    _ peer: PeerID, in session: SessionCore, evenIfMember keepsPlace: Bool = false
  ) -> Roster.Reservation {
    session.assumeIsolated { $0.roster.reserve(for: peer, evenIfMember: keepsPlace) }
  }

  private func outcome(
    of id: InvitationID, for waiter: Promise<InvitationOutcome>
  ) async -> InvitationOutcome {
    await waiter.value { cancel(.inviting(id, waiter)) }
  }

  /// Lets a call go that was cancelled, and withdraws the invitation if it was the last one that waited.
  func giveUp(_ id: InvitationID, _ waiter: Promise<InvitationOutcome>) {
    waiter.fulfil(.cancelled)
    guard outbound[id] != nil else { return }
    outbound[id]?.waiters.removeAll { $0 === waiter }
    if outbound[id]?.waiters.isEmpty == true { handle(.cancelRequested(id)) }
  }

  func ended(_ id: InvitationID, _ outcome: InvitationOutcome) {
    guard let invitation = outbound.removeValue(forKey: id) else { return }
    let outcome = invitation.isRefused ? .full : outcome
    if invitation.isRefused { note(.noPlace, of: invitation.peer) }
    invitation.session.unreserve(invitation.peer)
    // A record that led to no connection is to be confirmed (RFC 6762 §10.4).
    let wasNeverReached = invitation.wasDialled && invitation.endpoint == nil
    if outcome == .unreachable || wasNeverReached && outcome != .accepted {
      peer.assumeIsolated { $0.doubt(invitation.peer) }
    }
    note(.concluded(outcome), of: invitation.peer)
    for waiter in invitation.waiters { waiter.fulfil(outcome) }
  }

  func sendInvite(_ id: InvitationID, on token: LinkToken) {
    guard let invitation = outbound[id] else { return }
    let left = max((invitation.deadline - now).nanoseconds, 0) / 1_000_000
    let session = invitation.session
    send(
      Invite(
        invitation: id, session: session.id,
        ended: peer.assumeIsolated { $0.ledger.ended(of: session.id, with: invitation.peer) },
        nextSeniority: session.assumeIsolated { $0.roster.nextSeniority },
        timeoutMilliseconds: UInt64(left), isOfSeveral: invitation.isOfSeveral,
        serviceType: invitation.serviceType, context: invitation.context), on: token)
  }

  func sendAttached(_ id: InvitationID, on token: LinkToken) {
    guard let invitation = outbound[id], let accept = invitation.accept else { return }
    let (channel, terms) = invitation.session.assumeIsolated { session in
      session.roster.takeSeniority(accept.nextSeniority)
      return (session.makeChannel(with: invitation.peer), session.terms)
    }
    outbound[id]?.reliable = channel
    let (received, grant) = channel.position()
    send(
      Attached(
        membership: accept.membership, epoch: 1, received: received, grant: grant,
        terms: terms), on: token)
  }

  // MARK: Dialling

  /// Looks for the invited peer where browsers see it, and last where it was reached and then lost.
  func dial(_ id: InvitationID) {
    guard let invitation = outbound[id] else { return }
    var endpoints = peer.assumeIsolated {
      $0.endpoints(of: invitation.peer, besides: invitation.endpoints)
    }
    if let last = invitation.endpoint, let index = endpoints.firstIndex(of: last) {
      endpoints.append(endpoints.remove(at: index))
    }
    let dialling = Dialling(for: invitation.peer, at: endpoints, by: peer, owner: self)
    outbound[id]?.dialling = dialling
    outbound[id]?.wasDialled = true
    dialling.assumeIsolated { $0.start() }
  }

  func cancelDial(_ id: InvitationID) {
    outbound[id]?.dialling.take()?.assumeIsolated { $0.cancel(.duplicate) }
  }

  /// Whether an invited peer has announced that it leaves.
  ///
  /// Doubt loses a peer as well: after this invitation, or during it if another one began the doubt.
  private func isGone(_ id: InvitationID) -> Bool {
    guard let invitation = outbound[id], invitation.wasSeen else { return false }
    return !isSeen(invitation.peer)
  }

  private func isSeen(_ invited: PeerID) -> Bool { peer.assumeIsolated { $0.isSeen(invited) } }

  private func invitation(of dialling: Dialling) -> InvitationID? {
    outbound.first { $0.value.dialling === dialling }?.key
  }
}

extension Invitations: DiallingOwner {
  nonisolated func dialling(
    _ dialling: Dialling, reached link: Link, _ greeting: Hello, at endpoint: Endpoint
  ) {
    assumeIsolated { invitations in
      guard let id = invitations.invitation(of: dialling) else { return }
      invitations.outbound[id]?.dialling = nil
      invitations.outbound[id]?.endpoint = endpoint
      invitations.take(link, greeting)
      invitations.handle(.dialOpened(id, link.token))
    }
  }

  nonisolated func dialling(_ dialling: Dialling, missed code: CloseCode?) {
    assumeIsolated { invitations in
      guard let id = invitations.invitation(of: dialling) else { return }
      invitations.outbound[id]?.dialling = nil
      if let code { return invitations.handle(.dialRefused(id, code)) }
      if invitations.isGone(id) { invitations.handle(.peerGone(id)) }
      invitations.handle(.dialFailed(id))
    }
  }
}
