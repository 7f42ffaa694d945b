extension InvitationTable {
  // MARK: Receiving

  mutating func invited(
    _ link: LinkToken, _ invite: ReceivedInvite, at now: Instant, into out: inout [Action]
  ) {
    if outbound(over: link) != nil || inbound(over: link) != nil {
      violated(over: link, at: now, into: &out)
    } else if index(of: invite.id) != nil {
      tell(invite.id, .inviteReceived(link), at: now, into: &out)
    } else if inbounds.count(where: { $0.invite.id.inviter == invite.id.inviter })
      >= Self.inboundsOfPeerMax
      || inbounds.count >= inboundsMax
        && !makeRoom(among: { $0.isUnconfirmed || $0.machine.isOffered }, at: now, into: &out)
    {
      decline(invite.id, .busy, over: link, into: &out)
    } else if let membership = invite.membership {
      begin(invite, .accepted(membership), over: link, isSilent: true, at: now, into: &out)
    } else if let index = indexOfGlare(with: invite) {
      meet(invite, outbounds[index], over: link, at: now, into: &out)
    } else if let reason = answers.recall(invite.id, at: now) {
      decline(invite.id, reason, over: link, into: &out)
    } else {
      consider(invite, over: link, at: now, into: &out)
    }
  }

  private func indexOfGlare(with invite: ReceivedInvite) -> Int? {
    outbounds.firstIndex { invite.crosses($0.wish) && !$0.machine.isYielded }
  }

  private mutating func meet(
    _ invite: ReceivedInvite, _ outbound: Outbound, over link: LinkToken, at now: Instant,
    into out: inout [Action]
  ) {
    let id = outbound.wish.invitation
    if local > invite.id.inviter || outbound.machine.link == nil {
      tell(id, .yieldRequested, at: now, into: &out)
      begin(
        invite, .accepted(outbound.wish.session), over: link, counterpart: id, isSilent: true,
        at: now, into: &out)
    } else if reserve(of: id) == nil {
      begin(
        invite, .reserved, over: link, counterpart: id, isSilent: true, at: now, into: &out)
    } else {
      decline(invite.id, .busy, over: link, into: &out)
    }
  }

  private mutating func consider(
    _ invite: ReceivedInvite, over link: LinkToken, at now: Instant, into out: inout [Action]
  ) {
    let offers = inbounds.filter(\.machine.isOffered)
    if !invite.isAdvertised {
      decline(invite.id, .notAdvertising, over: link, into: &out)
    } else if offers.contains(where: { $0.invite.id.inviter == invite.id.inviter })
      || offers.count >= offersMax && !makeRoom(among: \.machine.isOffered, at: now, into: &out)
    {
      decline(invite.id, .busy, over: link, into: &out)
    } else {
      begin(invite, .offered, over: link, at: now, into: &out)
    }
  }

  private mutating func begin(
    _ invite: ReceivedInvite, _ beginning: InboundInvitationMachine.Beginning, over link: LinkToken,
    counterpart: InvitationID? = nil, isSilent: Bool = false, at now: Instant,
    into out: inout [Action]
  ) {
    var actions: [InboundInvitationMachine.Action] = []
    let machine = InboundInvitationMachine(
      over: link, until: now + invite.timeout, beginning: beginning, at: now, into: &actions)
    inbounds.append(
      Inbound(invite, machine, counterpart: counterpart, isSilent: isSilent, at: now))
    perform(actions, of: invite.id, at: now, into: &out)
  }

  private func decline(
    _ id: InboundID, _ reason: DeclineReason, over link: LinkToken, into out: inout [Action]
  ) {
    out += [.sendDecline(link, id, reason), .closeLink(link, .done)]
  }

  mutating func confirmed(
    _ link: LinkToken, at now: Instant, into out: inout [Action]
  ) {
    if let id = inbound(over: link) {
      tell(id, .attachedReceived(link), at: now, into: &out)
    } else {
      violated(over: link, at: now, into: &out)
    }
  }

  mutating func tell(
    _ id: InboundID, _ event: InboundInvitationMachine.Event, at now: Instant,
    into out: inout [Action]
  ) {
    guard let index = index(of: id) else { return }
    var actions: [InboundInvitationMachine.Action] = []
    let wasAccepted = inbounds[index].machine.acceptedSession != nil
    inbounds[index].machine.handle(event, at: now, into: &actions)
    if !wasAccepted, inbounds[index].machine.acceptedSession != nil { inbounds[index].since = now }
    perform(actions, of: id, at: now, into: &out)
  }

  mutating func perform(
    _ actions: [InboundInvitationMachine.Action], of id: InboundID, at now: Instant,
    into out: inout [Action]
  ) {
    guard let index = index(of: id) else { return }
    let inbound = inbounds[index]
    if inbound.machine.isEnded { inbounds.remove(at: index) }
    for action in actions {
      switch action {
      case .sendAccept(let link, let session): out.append(.sendAccept(link, id, session))
      case .sendDecline(let link, let reason): out.append(.sendDecline(link, id, reason))
      case .closeLink(let link, let code): out.append(.closeLink(link, code))
      case .wake(let instant): timers.set(.inbound(id), at: instant)
      case .cancelWake: timers.cancel(.inbound(id))
      case .reportOffered: out.append(.reportOffered(id))
      case .reportDeclined(let reason): answers.remember(id, reason, at: now)
      case .reportWithdrawn(let reason):
        // What was superseded may come again, if what superseded it comes to nothing.
        if reason != .superseded { answers.remember(id, .expired, at: now) }
        out.append(.reportWithdrawn(id, reason))
      case .reportFailed(let reason):
        if !inbound.isSilent {
          answers.remember(id, reason == .dismissed ? .declined : .expired, at: now)
          out.append(.reportFailed(id, reason))
        }
        inbound.counterpart.map { tell($0, .counterpartFailed, at: now, into: &out) }
      case .reportSuperseded:
        if inbound.isSilent {
          tell(id, .joiningFailed, at: now, into: &out)
        } else {
          out.append(.reportSuperseded(id))
        }
        inbound.counterpart.map { tell($0, .counterpartFailed, at: now, into: &out) }
      case .reportTakenBack: out.append(.reportTakenBack(id))
      case .reportJoined(let link, let session):
        out.append(.reportJoined(inbound.joining(session, over: link)))
        joined(id.inviter, session, at: now, into: &out)
      case .reportAttaching(let link, let session):
        out.append(.reportAttaching(inbound.joining(session, over: link)))
      }
    }
  }
}
