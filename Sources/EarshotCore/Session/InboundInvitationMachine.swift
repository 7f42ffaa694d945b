/// One invitation that we received: offered, accepted, and confirmed.
///
/// The story: the application is asked until the deadline, also while the link is broken, since the inviter
/// dials again and sends the same INVITE. Its answer goes out on the latest link. An acceptance has to be
/// confirmed within five seconds: ATTACHED on the link, or ATTACH on another, when the link broke meanwhile.
/// An invitation that crosses one of ours is held in reserve, or accepted at once, and nobody is asked.
package struct InboundInvitationMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case inviteReceived(LinkToken)  // The same again, over another link.
    case acceptRequested(SessionID)
    case declineRequested(DeclineReason)
    case offerRequested  // Held in reserve for nothing: the application decides.
    case dismissRequested(CloseCode)  // Without an answer.
    case cancelReceived(CancelReason)
    case attachedReceived(LinkToken)
    case attachReceived(LinkToken)  // From the inviter's session to the one that accepted.
    case closeReceived(LinkToken, CloseCode)
    case linkBroken(LinkToken)
    case deadlineReached
  }
  package enum Action: Hashable, Sendable {
    case sendAccept(LinkToken, SessionID)
    case sendDecline(LinkToken, DeclineReason)
    case closeLink(LinkToken, CloseCode)  // No event of that link may follow.
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
    case reportOffered
    case reportWithdrawn(Reason)  // The offer is over; ends it.
    case reportDeclined(DeclineReason)  // The answer went out; ends it.
    case reportJoined(LinkToken, SessionID)  // By ATTACHED; ends it.
    case reportAttaching(LinkToken, SessionID)  // ATTACH is to be answered; ends it.
    case reportFailed(Reason)  // The acceptance led to nothing; ends it.
  }
  package enum Reason: Hashable, Sendable {
    case cancelled  // By the inviter.
    case timedOut  // The inviter waits no longer.
    case unconfirmed  // Nobody knows what the inviter made of the acceptance.
    case superseded  // Another invitation of the two peers serves the same purpose.
    case dismissed  // By us.
  }
  /// How an invitation begins.
  package enum Beginning: Hashable, Sendable {
    case offered
    case reserved
    case accepted(SessionID)
  }
  private enum State: Hashable {
    case offered(LinkToken?)
    case reserved(LinkToken)
    case accepted(LinkToken?, SessionID, until: Instant)
    case ended
  }

  /// How long the confirmation of an acceptance may take.
  package static let confirmationTimeout = Duration.seconds(5)
  private var state: State
  private let deadline: Instant

  /// An invitation that came over a link, open until a deadline.
  package init(
    over link: LinkToken, until deadline: Instant, beginning: Beginning, at now: Instant,
    into out: inout [Action]
  ) {
    self.deadline = deadline
    state = .ended
    switch beginning {
    case .offered: state = offer(link, into: &out)
    case .reserved: state = hold(link, into: &out)
    case .accepted(let session): state = accept(session, over: link, at: now, into: &out)
    }
  }

  /// Whether nothing more will come.
  package var isEnded: Bool { state == .ended }
  /// Whether the application is asked.
  package var isOffered: Bool { if case .offered = state { true } else { false } }
  /// Whether it is held in reserve.
  package var isReserved: Bool { if case .reserved = state { true } else { false } }
  /// The session that accepted it and waits to be confirmed.
  package var acceptedSession: SessionID? {
    if case .accepted(_, let session, _) = state { session } else { nil }
  }
  /// The link over which the inviter can be told.
  package var link: LinkToken? {
    switch state {
    case .offered(let link), .accepted(let link, _, _): link
    case .reserved(let link): link
    case .ended: nil
    }
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    state = next(after: event, at: now, into: &out)
  }

  private func next(after event: Event, at now: Instant, into out: inout [Action]) -> State {
    switch (state, event) {
    case (.offered, .inviteReceived(let newer)):
      replaceLink(into: &out)
      return .offered(newer)
    case (.reserved, .inviteReceived(let newer)):
      replaceLink(into: &out)
      return .reserved(newer)
    case (.accepted(_, let session, _), .inviteReceived(let newer)):
      replaceLink(into: &out)
      return accept(session, over: newer, at: now, into: &out)

    case (.offered, .acceptRequested(let session)), (.reserved, .acceptRequested(let session)):
      return accept(session, over: link, at: now, into: &out)
    case (.offered, .declineRequested(let reason)), (.reserved, .declineRequested(let reason)):
      return decline(reason, into: &out)
    case (.reserved(let link), .offerRequested): return offer(link, into: &out)

    case (.accepted(let link, let session, _), .attachedReceived(let confirmed))
    where link == confirmed:
      out += [.cancelWake, .reportJoined(confirmed, session)]
      return .ended
    case (.accepted(_, let session, _), .attachReceived(let newer)):
      replaceLink(into: &out)
      out += [.cancelWake, .reportAttaching(newer, session)]
      return .ended

    case (.offered, .cancelReceived(let reason)), (.reserved, .cancelReceived(let reason)),
      (.accepted, .cancelReceived(let reason)):
      return end(reason == .timedOut ? .timedOut : .cancelled, closing: .done, into: &out)
    case (_, .closeReceived(let closed, let code)) where closed == link:
      return linkClosed(code, at: now, into: &out)
    case (_, .linkBroken(let broken)) where broken == link:
      return linkLost(at: now, into: &out)

    case (.offered, .deadlineReached), (.reserved, .deadlineReached):
      if now >= deadline { return end(.timedOut, closing: .expired, into: &out) }
      out.append(.wake(at: deadline))
      return state
    case (.accepted(_, _, let until), .deadlineReached):
      if now >= until { return end(.unconfirmed, closing: .expired, into: &out) }
      out.append(.wake(at: until))
      return state
    case (.offered, .dismissRequested(let code)), (.reserved, .dismissRequested(let code)),
      (.accepted, .dismissRequested(let code)):
      return end(code == .duplicate ? .superseded : .dismissed, closing: code, into: &out)

    case (.offered, .attachedReceived(let link)), (.reserved, .attachedReceived(let link)):
      return violated(over: link, into: &out)
    case (.accepted, .attachedReceived(let link)), (.offered, .attachReceived(let link)),
      (.reserved, .attachReceived(let link)), (.ended, .attachedReceived(let link)),
      (.ended, .attachReceived(let link)), (.ended, .inviteReceived(let link)):
      out.append(.closeLink(link, .expired))
      return state

    // A second answer, and news of links that are ours no longer.
    case (.offered, .offerRequested), (.reserved, .closeReceived), (.reserved, .linkBroken),
      (.offered, .closeReceived), (.offered, .linkBroken), (.accepted, .acceptRequested),
      (.accepted, .declineRequested), (.accepted, .offerRequested),
      (.accepted, .closeReceived), (.accepted, .linkBroken), (.ended, _):
      return state
    }
  }

  private func replaceLink(into out: inout [Action]) {
    if let link { out.append(.closeLink(link, .duplicate)) }
  }

  private func offer(_ link: LinkToken, into out: inout [Action]) -> State {
    out += [.wake(at: deadline), .reportOffered]
    return .offered(link)
  }

  private func hold(_ link: LinkToken, into out: inout [Action]) -> State {
    out.append(.wake(at: deadline))
    return .reserved(link)
  }

  private func accept(
    _ session: SessionID, over link: LinkToken?, at now: Instant, into out: inout [Action]
  ) -> State {
    let until = now + Self.confirmationTimeout
    if let link { out.append(.sendAccept(link, session)) }
    out.append(.wake(at: until))
    return .accepted(link, session, until: until)
  }

  private func decline(_ reason: DeclineReason, into out: inout [Action]) -> State {
    if let link { out += [.sendDecline(link, reason), .closeLink(link, .done)] }
    out += [.cancelWake, .reportDeclined(reason)]
    return .ended
  }

  private func linkClosed(
    _ code: CloseCode, at now: Instant, into out: inout [Action]
  ) -> State {
    switch code {
    case .expired: end(.timedOut, closing: nil, into: &out)
    case .duplicate: end(.superseded, closing: nil, into: &out)
    case .suspending, .handshakeTimeout: linkLost(at: now, into: &out)
    default: end(.cancelled, closing: nil, into: &out)
    }
  }

  private func linkLost(at now: Instant, into out: inout [Action]) -> State {
    switch state {
    case .offered: return .offered(nil)
    case .reserved: return end(.cancelled, closing: nil, into: &out)
    case .accepted(_, let session, _): return accept(session, over: nil, at: now, into: &out)
    case .ended: return .ended
    }
  }

  private func violated(over link: LinkToken, into out: inout [Action]) -> State {
    guard link == self.link else {
      out.append(.closeLink(link, .protocolViolation))
      return state
    }
    return end(.cancelled, closing: .protocolViolation, into: &out)
  }

  private func end(
    _ reason: Reason, closing code: CloseCode?, into out: inout [Action]
  ) -> State {
    if let code, let link { out.append(.closeLink(link, code)) }
    out.append(.cancelWake)
    switch state {
    case .offered: out.append(.reportWithdrawn(reason))
    case .accepted: out.append(.reportFailed(reason))
    case .reserved, .ended: break
    }
    return .ended
  }
}
