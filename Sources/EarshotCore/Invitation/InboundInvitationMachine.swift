/// One invitation that the local peer received: offered, accepted, and confirmed.
///
/// The application is asked until the deadline, also while the link is broken, since the inviter
/// dials again and sends the same INVITE. Which of two links is the inviter's latest cannot be seen from here,
/// so both are kept, and an answer goes out on both: one of them ends soon. An acceptance has to be confirmed
/// within five seconds: ATTACHED on such a link, or ATTACH on another, when the link broke meanwhile. If either
/// side goes to sleep, it may take until the deadline. An invitation that crosses one of the local peer
/// is held in reserve, or accepted at once, and the application is not asked.
///
/// When another invitation supersedes an acceptance, or the inviter attaches, the session decides the
/// result, within five seconds. A superseded acceptance stands until then: the same INVITE is accepted
/// again.
package struct InboundInvitationMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case inviteReceived(LinkToken)  // The same again, over another link.
    case acceptRequested(SessionID)
    case declineRequested(DeclineReason)
    case offerRequested  // Held in reserve for nothing: the application decides.
    case dismissRequested(CloseCode)  // Without an answer, or in spite of one.
    case suspendRequested, resumeRequested
    case inviterJoined  // However that came: the acceptance is fulfilled.
    case joiningFailed  // What took its place, or the attaching, has come to nothing.
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
    case reportAttaching(LinkToken, SessionID)  // ATTACH is to be answered.
    case reportSuperseded  // The acceptance waits for what has taken its place.
    case reportFailed(Reason)  // The acceptance led to nothing; ends it.
    case reportTakenBack  // The attaching is no longer wanted.
  }
  package enum Reason: Hashable, Sendable {
    case cancelled  // By the inviter.
    case timedOut  // The inviter waits no longer.
    case unconfirmed  // It is unknown what the inviter made of the acceptance.
    case notJoined  // What took its place, or the attaching, took longer than five seconds.
    case superseded  // Another invitation of the two peers serves the same purpose.
    case dismissed  // By this side.
  }
  /// How an invitation begins.
  package enum Beginning: Hashable, Sendable {
    case offered
    case reserved
    case accepted(SessionID)
  }
  private enum State: Hashable {
    case offered
    case reserved
    case accepted(SessionID, until: Instant)
    case superseded(SessionID, until: Instant)
    case attaching(until: Instant)
    case ended
  }

  /// How long the confirmation of an acceptance may take, and the joining that follows it.
  package static let confirmationTimeout = Duration.seconds(5)
  /// The links over which the inviter may be listening, the oldest first.
  package private(set) var links: [LinkToken]
  private var state: State
  private let deadline: Instant

  /// An invitation that came over a link, open until a deadline.
  package init(
    over link: LinkToken, until deadline: Instant, beginning: Beginning, at now: Instant,
    into out: inout [Action]
  ) {
    (self.deadline, links) = (deadline, [link])
    switch beginning {
    case .offered:
      state = .offered
      out += [.wake(at: deadline), .reportOffered]
    case .reserved:
      state = .reserved
      out.append(.wake(at: deadline))
    case .accepted(let session):
      state = .ended
      state = accept(session, at: now, into: &out)
    }
  }

  /// Whether nothing more will come.
  package var isEnded: Bool { state == .ended }
  /// Whether the application is asked.
  package var isOffered: Bool { state == .offered }
  /// Whether it is held in reserve.
  package var isReserved: Bool { state == .reserved }
  /// Whether the inviter attaches, so that its session decides the result.
  package var isAttaching: Bool { if case .attaching = state { true } else { false } }
  /// Whether another invitation has taken the place of its acceptance.
  package var isSuperseded: Bool { if case .superseded = state { true } else { false } }
  /// The session that accepted it and waits to be confirmed.
  package var acceptedSession: SessionID? {
    if case .accepted(let session, _) = state { session } else { nil }
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    state = next(after: event, at: now, into: &out)
  }

  private mutating func next(
    after event: Event, at now: Instant, into out: inout [Action]
  ) -> State {
    switch (state, event) {
    case (.offered, .inviteReceived(let link)), (.reserved, .inviteReceived(let link)):
      add(link, into: &out)
      return state
    case (.accepted(let session, _), .inviteReceived(let link)):
      add(link, into: &out)
      out.append(.sendAccept(link, session))
      return waitOn(session, at: now, into: &out)
    case (.superseded(let session, _), .inviteReceived(let link)):
      add(link, into: &out)
      return accept(session, at: now, into: &out)
    case (.attaching, .inviteReceived(let link)), (.attaching, .attachReceived(let link)),
      (.superseded, .attachReceived(let link)):
      out.append(.closeLink(link, .duplicate))
      return state

    case (.offered, .acceptRequested(let session)), (.reserved, .acceptRequested(let session)):
      return accept(session, at: now, into: &out)
    case (.offered, .declineRequested(let reason)), (.reserved, .declineRequested(let reason)):
      for link in links { out += [.sendDecline(link, reason), .closeLink(link, .done)] }
      out += [.cancelWake, .reportDeclined(reason)]
      return end()
    case (.reserved, .offerRequested):
      out.append(.reportOffered)
      return .offered

    case (.accepted(let session, _), .attachedReceived(let link)) where links.contains(link):
      closeLinks(.duplicate, besides: link, into: &out)
      out += [.cancelWake, .reportJoined(link, session)]
      return end()
    case (.accepted(let session, _), .attachReceived(let link)):
      closeLinks(.duplicate, into: &out)
      let until = now + Self.confirmationTimeout
      out += [.wake(at: until), .reportAttaching(link, session)]
      links = []
      return .attaching(until: until)

    case (.accepted, .inviterJoined):
      closeLinks(.duplicate, into: &out)
      out.append(.cancelWake)
      return end()
    case (.superseded, .inviterJoined), (.attaching, .inviterJoined), (.superseded, .joiningFailed),
      (.attaching, .joiningFailed):
      out.append(.cancelWake)
      return end()
    case (.attaching, .dismissRequested(let code)) where code != .duplicate:
      out.append(.reportTakenBack)
      return state
    case (.superseded, .dismissRequested(let code)) where code != .duplicate:
      return fail(Self.reason(of: code), closing: code, at: now, into: &out)

    case (.offered, .cancelReceived(let reason)), (.reserved, .cancelReceived(let reason)),
      (.accepted, .cancelReceived(let reason)):
      return fail(reason == .timedOut ? .timedOut : .cancelled, closing: .done, at: now, into: &out)
    case (_, .closeReceived(let link, let code)) where links.contains(link):
      return closed(link, code, at: now, into: &out)
    case (_, .linkBroken(let link)) where links.contains(link):
      return lose(link, at: now, into: &out)

    case (.offered, .suspendRequested), (.reserved, .suspendRequested),
      (.accepted, .suspendRequested):
      return sleep(at: now, into: &out)
    case (.accepted(let session, _), .resumeRequested):
      return waitForReturn(session, at: now, into: &out)

    case (.offered, .deadlineReached), (.reserved, .deadlineReached):
      return fail(.timedOut, ifPast: deadline, at: now, into: &out)
    case (.accepted(_, let until), .deadlineReached):
      return fail(.unconfirmed, ifPast: until, at: now, into: &out)
    case (.superseded(_, let until), .deadlineReached), (.attaching(let until), .deadlineReached):
      return fail(.notJoined, ifPast: until, at: now, into: &out)
    case (.offered, .dismissRequested(let code)), (.reserved, .dismissRequested(let code)),
      (.accepted, .dismissRequested(let code)):
      return fail(Self.reason(of: code), closing: code, at: now, into: &out)

    case (.offered, .attachedReceived), (.reserved, .attachedReceived):
      return fail(.cancelled, closing: .protocolViolation, at: now, into: &out)
    case (.offered, .attachReceived(let link)), (.reserved, .attachReceived(let link)),
      (.accepted, .attachedReceived(let link)), (.superseded, .attachedReceived(let link)),
      (.attaching, .attachedReceived(let link)), (.ended, .attachedReceived(let link)),
      (.ended, .attachReceived(let link)), (.ended, .inviteReceived(let link)):
      out.append(.closeLink(link, .expired))
      return state

    // A second answer, and news of links that are given up.
    case (.offered, .offerRequested), (.offered, .closeReceived), (.offered, .linkBroken),
      (.offered, .resumeRequested), (.offered, .inviterJoined), (.reserved, .resumeRequested),
      (.reserved, .inviterJoined), (.reserved, .closeReceived), (.reserved, .linkBroken),
      (.accepted, .acceptRequested),
      (.accepted, .declineRequested), (.accepted, .offerRequested),
      (.accepted, .closeReceived), (.accepted, .linkBroken), (.offered, .joiningFailed),
      (.reserved, .joiningFailed), (.accepted, .joiningFailed), (.superseded, _), (.attaching, _),
      (.ended, _):
      return state
    }
  }

  private static func reason(of code: CloseCode) -> Reason {
    switch code {
    case .duplicate: .superseded
    case .expired: .unconfirmed
    default: .dismissed
    }
  }

  private mutating func add(_ link: LinkToken, into out: inout [Action]) {
    if links.count >= Self.linksMax {
      out.append(.closeLink(links.removeFirst(), .duplicate))
    }
    links.append(link)
  }

  private func accept(
    _ session: SessionID, at now: Instant, into out: inout [Action]
  ) -> State {
    for link in links { out.append(.sendAccept(link, session)) }
    return wait(session, at: now, into: &out)
  }

  private func wait(
    _ session: SessionID, for duration: Duration = confirmationTimeout, at now: Instant,
    into out: inout [Action]
  ) -> State {
    var until = now + duration
    if case .accepted(_, let earlier) = state { until = max(until, earlier) }
    out.append(.wake(at: until))
    return .accepted(session, until: until)
  }

  private mutating func closed(
    _ link: LinkToken, _ code: CloseCode, at now: Instant, into out: inout [Action]
  ) -> State {
    switch code {
    case .suspending:
      let next = lose(link, at: now, into: &out)
      guard case .accepted(let session, _) = next, links.isEmpty else { return next }
      return waitForReturn(session, at: now, into: &out)
    // The INVITE comes again after `givenUp`, and the next ACCEPT names another membership.
    case .handshakeTimeout, .givenUp: return lose(link, at: now, into: &out)
    case _ where links.count > 1: return lose(link, at: now, into: &out)
    case .expired: links = []; return fail(.timedOut, closing: code, at: now, into: &out)
    case .duplicate: links = []; return fail(.superseded, closing: code, at: now, into: &out)
    default: links = []; return fail(.cancelled, closing: code, at: now, into: &out)
    }
  }

  private mutating func lose(
    _ link: LinkToken, at now: Instant, into out: inout [Action]
  ) -> State {
    links.removeAll { $0 == link }
    guard links.isEmpty else { return state }
    switch state {
    case .offered, .superseded, .attaching, .ended: return state
    case .reserved: return fail(.cancelled, closing: .done, at: now, into: &out)
    case .accepted(let session, _): return waitOn(session, at: now, into: &out)
    }
  }

  private mutating func sleep(at now: Instant, into out: inout [Action]) -> State {
    closeLinks(.suspending, into: &out)
    links = []
    switch state {
    case .offered, .superseded, .attaching, .ended: return state
    case .reserved: return fail(.cancelled, closing: .done, at: now, into: &out)
    case .accepted(let session, _): return waitForReturn(session, at: now, into: &out)
    }
  }

  /// Waits for one that sleeps, for as long as the invitation lasts.
  private func waitForReturn(
    _ session: SessionID, at now: Instant, into out: inout [Action]
  ) -> State {
    wait(session, for: max(deadline - now, Self.returnTimeout), at: now, into: &out)
  }

  /// Waits anew, but not for ever: an inviter that comes back after the deadline gains no time.
  private func waitOn(
    _ session: SessionID, at now: Instant, into out: inout [Action]
  ) -> State {
    now < deadline ? wait(session, at: now, into: &out) : state
  }

  /// Fails if a deadline has passed, and is woken again at it otherwise.
  private mutating func fail(
    _ reason: Reason, ifPast deadline: Instant, at now: Instant, into out: inout [Action]
  ) -> State {
    if now >= deadline { return fail(reason, closing: .expired, at: now, into: &out) }
    out.append(.wake(at: deadline))
    return state
  }

  private mutating func fail(
    _ reason: Reason, closing code: CloseCode, at now: Instant, into out: inout [Action]
  ) -> State {
    closeLinks(code, into: &out)
    links = []
    if case .accepted(let session, _) = state, reason == .superseded {
      let until = now + Self.confirmationTimeout
      out += [.wake(at: until), .reportSuperseded]
      return .superseded(session, until: until)
    }
    out.append(.cancelWake)
    switch state {
    case .offered: out.append(.reportWithdrawn(reason))
    case .accepted, .superseded, .attaching: out.append(.reportFailed(reason))
    case .reserved, .ended: break
    }
    return .ended
  }

  private func closeLinks(
    _ code: CloseCode, besides kept: LinkToken? = nil, into out: inout [Action]
  ) {
    for link in links where link != kept { out.append(.closeLink(link, code)) }
  }

  private mutating func end() -> State {
    links = []
    return .ended
  }

  private static let linksMax = 3
  private static let returnTimeout = Duration.seconds(10)  // A member dials again within eight.
}
