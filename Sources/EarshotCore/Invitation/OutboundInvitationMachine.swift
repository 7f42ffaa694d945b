/// One invitation that the local peer sends: dialled, sent, answered, and in any case over soon after its deadline.
///
/// The invited peer is dialled, INVITE sent, and the answer awaited. A dial that fails is tried again, four times in a row; a
/// link that breaks before the answer is dialled again and the same INVITE sent again, which the invited
/// side recognises. A peer that says that it goes to sleep, or goodbye while it is dialled, is dialled until the deadline,
/// however often that fails; while the local peer sleeps, nothing is dialled, and the deadline stays what it was. When the
/// invited peer sends an invitation itself meanwhile, that may be accepted in place of this one: then this one yields,
/// and waits, no longer than it would have, for what becomes of the other. The outcome is reported exactly once.
package struct OutboundInvitationMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case dialOpened(LinkToken)  // HELLO was exchanged.
    case dialFailed
    case dialRefused(CloseCode)  // CLOSE came in place of HELLO.
    case peerGone  // It was seen when this began, and is not any more.
    case acceptReceived(LinkToken, SessionID)
    case declineReceived(LinkToken, DeclineReason)
    case closeReceived(LinkToken, CloseCode)
    case linkBroken(LinkToken)
    case deadlineReached
    case cancelRequested
    case suspendRequested, resumeRequested
    case yieldRequested  // The peer's invitation is accepted in place of this one.
    case peerJoined  // By the other invitation, or by an introduction.
    case counterpartFailed  // The peer's invitation led to nothing.
  }
  package enum Action: Hashable, Sendable {
    case dial
    case cancelDial  // No event of that dial may follow.
    case sendInvite(LinkToken)
    case sendAttached(LinkToken, SessionID)  // Epoch 1: the peer's session is a member now.
    case sendCancel(LinkToken, CancelReason)
    case closeLink(LinkToken, CloseCode)  // No event of that link may follow.
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
    case reportOutcome(InvitationOutcome)  // The last action.
  }
  private enum State: Hashable {
    // Consecutive failed dials; `nil` once the peer has announced that it sleeps or leaves.
    case resting(until: Instant, failures: Int?)
    case dialling(failures: Int?)
    case asked(LinkToken)
    case asleep(failures: Int?)
    case yielded
    case ended
  }

  private var state: State
  private var backoff = Backoff(from: .milliseconds(500), to: .seconds(4))
  private var random: RandomStream
  private let deadline: Instant
  private var isGone = false  // And has not been reached since.

  /// Dials, unless an invitation of the peer takes its place from the start.
  package init(
    until deadline: Instant, yielded: Bool = false, random: RandomStream,
    into out: inout [Action]
  ) {
    (self.deadline, self.random) = (deadline, random)
    state = yielded ? .yielded : .dialling(failures: 0)
    out.append(.wake(at: deadline))
    if !yielded { out.append(.dial) }
  }

  /// Whether the outcome was reported.
  package var isEnded: Bool { state == .ended }
  /// Whether it waits before it dials again.
  package var isResting: Bool { if case .resting = state { true } else { false } }
  /// Whether it dials.
  package var isDialling: Bool { if case .dialling = state { true } else { false } }
  /// Whether the peer's invitation takes its place.
  package var isYielded: Bool { state == .yielded }
  /// The link over which the peer was asked.
  package var link: LinkToken? { if case .asked(let link) = state { link } else { nil } }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    state = next(after: event, at: now, into: &out)
  }

  private mutating func next(
    after event: Event, at now: Instant, into out: inout [Action]
  ) -> State {
    switch (state, event) {
    case (.dialling, .dialOpened(let link)):
      isGone = false
      out.append(.sendInvite(link))
      return .asked(link)
    case (.dialling(let failures?), .dialFailed):
      if failures + 1 >= Self.dialsMax { return end(.unreachable, into: &out) }
      return rest(failures: failures + 1, at: now, into: &out)
    case (.dialling(nil), .dialFailed): return rest(failures: nil, at: now, into: &out)
    case (.dialling(_?), .peerGone):
      isGone = true
      return .dialling(failures: nil)
    case (.dialling, .dialRefused(let code)): return closed(code, at: now, into: &out)
    case (.resting(let until, _), .deadlineReached) where now < min(until, deadline):
      out.append(.wake(at: min(until, deadline)))
      return state
    case (.resting(_, let failures), .deadlineReached) where now < deadline:
      return dial(failures: failures, into: &out)
    case (.dialling, .deadlineReached) where now < deadline,
      (.asked, .deadlineReached) where now < deadline,
      (.asleep, .deadlineReached) where now < deadline,
      (.yielded, .deadlineReached) where now < deadline:
      out.append(.wake(at: deadline))
      return state

    case (.resting(_, let failures), .suspendRequested),
      (.dialling(let failures), .suspendRequested):
      return sleep(failures: failures, into: &out)
    case (.asked, .suspendRequested): return sleep(failures: 0, into: &out)
    case (.asleep(let failures), .resumeRequested): return dial(failures: failures, into: &out)

    case (.asked, .acceptReceived(link, let session)):
      if let link { out.append(.sendAttached(link, session)) }
      return end(.accepted, into: &out)
    case (.asked(let link), .declineReceived(self.link, let reason)):
      out.append(.closeLink(link, .done))
      return end(Self.outcome(of: reason), into: &out)
    case (.asked, .closeReceived(link, let code)): return closed(code, at: now, into: &out)
    case (.asked, .linkBroken(link)): return rest(at: now, into: &out)

    case (.resting, .deadlineReached), (.dialling, .deadlineReached), (.asked, .deadlineReached),
      (.asleep, .deadlineReached), (.yielded, .deadlineReached):
      withdraw(.timedOut, closing: .expired, into: &out)
      return end(isGone ? .unreachable : .timedOut, into: &out)
    case (.resting, .cancelRequested), (.dialling, .cancelRequested), (.asked, .cancelRequested),
      (.asleep, .cancelRequested), (.yielded, .cancelRequested):
      withdraw(.cancelled, closing: .expired, into: &out)
      return end(.cancelled, into: &out)
    case (.resting, .peerJoined), (.dialling, .peerJoined), (.asked, .peerJoined),
      (.asleep, .peerJoined), (.yielded, .peerJoined):
      withdraw(nil, closing: .duplicate, into: &out)
      return end(.accepted, into: &out)

    case (.resting, .yieldRequested), (.dialling, .yieldRequested), (.asked, .yieldRequested),
      (.asleep, .yieldRequested):
      withdraw(nil, closing: .duplicate, into: &out)
      out.append(.wake(at: deadline))
      return .yielded
    case (.yielded, .counterpartFailed) where now < deadline: return dial(into: &out)
    case (.yielded, .counterpartFailed): return end(.timedOut, into: &out)

    case (.resting, .dialOpened(let link)), (.yielded, .dialOpened(let link)),
      (.ended, .dialOpened(let link)), (.asked, .dialOpened(let link)),
      (.asleep, .dialOpened(let link)):
      out.append(.closeLink(link, .duplicate))
      return state
    case (.resting, .acceptReceived(let link, _)), (.dialling, .acceptReceived(let link, _)),
      (.asked, .acceptReceived(let link, _)), (.asleep, .acceptReceived(let link, _)),
      (.yielded, .acceptReceived(let link, _)), (.ended, .acceptReceived(let link, _)):
      out.append(.closeLink(link, .expired))
      return state

    // News of links and dials that are given up, late timers, a second wish.
    case (.resting, .dialFailed), (.resting, .dialRefused), (.resting, .declineReceived),
      (.resting, .closeReceived), (.resting, .linkBroken), (.resting, .counterpartFailed),
      (.dialling, .declineReceived), (.dialling, .closeReceived), (.dialling, .linkBroken),
      (.dialling, .counterpartFailed), (.asked, .dialFailed), (.asked, .dialRefused),
      (.asked, .declineReceived), (.asked, .closeReceived), (.asked, .linkBroken),
      (.asked, .counterpartFailed), (.yielded, .dialFailed), (.yielded, .dialRefused),
      (.yielded, .declineReceived), (.yielded, .closeReceived), (.yielded, .linkBroken),
      (.yielded, .yieldRequested), (.yielded, .suspendRequested),
      (.asleep, .dialFailed), (.asleep, .dialRefused), (.asleep, .declineReceived),
      (.asleep, .closeReceived), (.asleep, .linkBroken), (.asleep, .counterpartFailed),
      (.asleep, .suspendRequested), (.resting, .resumeRequested), (.dialling, .resumeRequested),
      (.asked, .resumeRequested), (.yielded, .resumeRequested), (.resting, .peerGone),
      (.dialling(nil), .peerGone), (.asked, .peerGone), (.asleep, .peerGone), (.yielded, .peerGone),
      (.ended, _):
      return state
    }
  }

  private func dial(failures: Int? = 0, into out: inout [Action]) -> State {
    out += [.wake(at: deadline), .dial]
    return .dialling(failures: failures)
  }

  private func sleep(failures: Int?, into out: inout [Action]) -> State {
    withdraw(nil, closing: .suspending, into: &out)
    out.append(.wake(at: deadline))
    return .asleep(failures: failures)
  }

  private mutating func rest(
    failures: Int? = 0, at now: Instant, into out: inout [Action]
  ) -> State {
    let until = now + backoff.next(using: &random)
    out.append(.wake(at: min(until, deadline)))
    return .resting(until: until, failures: failures)
  }

  private mutating func closed(
    _ code: CloseCode, at now: Instant, into out: inout [Action]
  ) -> State {
    switch code {
    case .full: end(.full, into: &out)
    case .expired: end(.timedOut, into: &out)
    case .untrusted: end(.untrusted, into: &out)
    case .unsupportedVersion, .unknownFrame, .protocolViolation, .frameTooLarge, .selfConnection:
      end(.mismatch, into: &out)
    case .suspending: rest(failures: nil, at: now, into: &out)
    default: rest(at: now, into: &out)
    }
  }

  private func withdraw(
    _ reason: CancelReason?, closing code: CloseCode, into out: inout [Action]
  ) {
    switch state {
    case .dialling: out.append(.cancelDial)
    case .asked(let link):
      if let reason { out.append(.sendCancel(link, reason)) }
      out.append(.closeLink(link, code))
    case .resting, .asleep, .yielded, .ended: break
    }
  }

  private func end(_ outcome: InvitationOutcome, into out: inout [Action]) -> State {
    out += [.cancelWake, .reportOutcome(outcome)]
    return .ended
  }

  private static func outcome(of reason: DeclineReason) -> InvitationOutcome {
    switch reason {
    case .busy: .busy
    case .full: .full
    case .notAdvertising: .mismatch
    case .expired: .timedOut
    case .stopped: .unreachable
    default: .declined
    }
  }

  private static let dialsMax = 4
}
