/// One membership of one session: linked, sought, or over.
///
/// A membership begins with a link that an invitation left behind, or with an introduction, when
/// there is none yet. When the link breaks, both sides dial: the smaller PeerID at once, the larger a little
/// later. A dial that is not answered does not hold up the next one, a second later, so that both sides know where
/// they are soon after they can reach each other. That goes on until patience ends; a member that never joined is
/// sought until another peer says that it is none. Every dial asks (ATTACH) with an epoch above all that this side
/// has used or seen; an answer (ATTACHED) names the highest epoch that both know. A request is old, and closed as a
/// duplicate, when its epoch is not above all that the remote is known to know: those of its requests that were
/// taken and of its answers.
///
/// When both ask at once for a membership that has begun, the request of the smaller PeerID is kept: the larger
/// answers it and takes its own back, the smaller holds the other's in reserve until its own is answered. When both
/// propose one, the greater identifier is kept, and the other side adopts it; the side of the greater one answers the
/// smaller as soon as its own cannot have begun. A side that has not asked yet answers in any case: no peer has heard of
/// its dial.
///
/// A side that leaves does so behind everything that it sent (LEAVE), also when the link is broken or breaks
/// meanwhile: then the remote peer is sought, as long as the farewell may take. Two that leave at once wait for each other.
package struct MembershipMachine: Machine, Hashable, Sendable {
  enum State: Hashable {
    case apart(Absence)
    case connected(LinkToken)
    case asleep(isFirst: Bool)
    case leaving(LinkToken, Farewell, remote: DepartureReason?)
    case gone
  }

  /// Which of the memberships of the two sessions it is; changes only before it begins.
  package internal(set) var id: MembershipID
  var naming = Naming.unsaid
  /// When a link last ended over which this number had been proposed, and no answer or refusal had come.
  var unanswered: Instant?
  /// The number of the latest link that this side knows of, from 1; 0 before the first.
  package internal(set) var epoch: UInt64
  var remoteEpoch: UInt64  // The highest that the remote is known to know.
  var state: State
  var random: RandomStream
  let isSmaller: Bool
  let configuration: Configuration

  /// A membership over the link of an invitation, which ATTACHED has just confirmed.
  package init(
    _ id: MembershipID, over link: LinkToken, local: PeerID, remote: PeerID,
    configuration: Configuration = Configuration(), random: RandomStream,
    into out: inout [Action]
  ) {
    precondition(local != remote, "no peer is a member of its own session")
    (isSmaller, self.configuration, self.random) = (local < remote, configuration, random)
    (self.id, epoch, remoteEpoch, state) = (id, 1, 1, .connected(link))
    out += [.carry(link), .reportJoined]
  }

  /// A membership that is proposed: the smaller PeerID dials at once, the larger in a second.
  package init(
    proposing id: MembershipID, to remote: PeerID, from local: PeerID,
    configuration: Configuration = Configuration(), random: RandomStream, at now: Instant,
    into out: inout [Action]
  ) {
    precondition(local != remote, "no peer is a member of its own session")
    (isSmaller, self.configuration, self.random) = (local < remote, configuration, random)
    (self.id, epoch, remoteEpoch, state) = (id, 0, 0, .gone)
    let absence = Absence(
      purpose: .beginning, backoff: Self.patient, search: .resting(until: now))
    let head = isSmaller ? Duration.zero : configuration.introductionHead
    state = search(absence, after: head, at: now, into: &out)
  }

  /// The link that carries the membership, if one does.
  package var link: LinkToken? {
    switch state {
    case .connected(let link), .leaving(let link, _, _): link
    case .apart, .asleep, .gone: nil
    }
  }

  /// The membership as the ledger keeps it, which begins with its report.
  package func standing(hasJoined: Bool) -> MembershipLedger.Standing {
    if !hasJoined { return .sought(id, isAsking: isAsking) }
    return isLeaving ? .leaving(id, isAsking: isAsking) : .member(id, isAsking: isAsking)
  }

  /// Whether an ATTACH of this side waits for its answer, so that the remote may have answered it already.
  package var isAsking: Bool {
    if case .apart(let absence) = state, case .asking = absence.search { true } else { false }
  }

  /// Whether another number has to be proposed than the present one, which the remote peer has refused, or has not heard
  /// yet and a later one has ended; answered by `numbered`.
  package func needsNumber(after ended: MembershipID) -> Bool {
    guard case .apart(let absence) = state, absence.isFirst, !isAsking else { return false }
    switch naming {
    case .unsaid: return id <= ended
    case .said: return false
    case .refused: return true
    }
  }

  /// Whether the last report was made.
  package var isGone: Bool { state == .gone }

  /// Whether this side ends it.
  package var isLeaving: Bool {
    switch state {
    case .leaving: true
    case .apart(let absence): if case .leaving = absence.purpose { true } else { false }
    case .connected, .asleep, .gone: false
    }
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    state = next(after: event, at: now, into: &out)
  }

  mutating func next(
    after event: Event, at now: Instant, into out: inout [Action]
  ) -> State {
    switch (state, event) {
    case (.apart(let absence), .dialOpened(let link)):
      return ask(absence, over: link, at: now, into: &out)
    case (.apart(let absence), .numbered(let number)) where absence.isFirst && !isAsking:
      (id, naming, unanswered) = (number, .unsaid, nil)
      return state
    case (.apart(let absence), .dialFailed): return dialFailed(absence, at: now, into: &out)
    case (.apart(let absence), .attachReceived(let link, let membership, let epoch)):
      let request = Request(link: link, membership: membership, epoch: epoch)
      return asked(request, during: absence, at: now, into: &out)
    case (.apart(let absence), .attachedReceived(let link, let membership, let epoch)):
      return answered(over: link, membership, epoch, during: absence, at: now, into: &out)
    case (.apart(let absence), .linkBroken(let link, _)):
      return lose(link, during: absence, at: now, into: &out)
    case (.apart(let absence), .closeReceived(let link, let code)):
      return refused(over: link, code, during: absence, at: now, into: &out)
    case (.apart(let absence), .deadlineReached): return proceed(absence, at: now, into: &out)
    case (.apart(let absence), .suspendRequested):
      return sleep(leaving: absence, at: now, into: &out)
    case (.apart(let absence), .leaveRequested(let departure, let limit)):
      return leave(from: absence, departure, within: limit, at: now, into: &out)
    case (.apart(let absence), .endRequested(let departure, let code)):
      guard case .leaving(let farewell) = absence.purpose else {
        return end(departure, code, leaving: absence, into: &out)
      }
      abandon(absence.search, code, into: &out)
      return end(farewell.departure, into: &out)
    case (.apart(let absence), .leaveReceived(let code)):
      return end(DepartureReason(afterLeave: code), .farewell, leaving: absence, into: &out)
    case (.apart(let absence), .violationFound):
      return end(.violation, .protocolViolation, leaving: absence, into: &out)

    case (.connected(let link), .attachReceived(let newer, let membership, let epoch)):
      let request = Request(link: newer, membership: membership, epoch: epoch)
      guard isCurrent(request) else { return reject(newer, into: &out) }
      replace(link, by: request, into: &out)
      return .connected(newer)
    case (.connected(let link), .attachedReceived(let other, _, _)),
      (.leaving(let link, _, _), .attachedReceived(let other, _, _)):
      out.append(.closeLink(other, .protocolViolation))
      if other != link { out.append(.closeLink(link, .protocolViolation)) }
      return end(.violation, into: &out)
    case (.connected, .linkBroken(link, let reason)):
      return interrupt(reason, at: now, into: &out)
    case (.connected, .closeReceived(link, .suspending)):
      return interrupt(.suspending, at: now, into: &out)
    case (.connected, .closeReceived(link, let code)):
      if let departure = DepartureReason(after: code, isFirst: false) {
        return end(departure, code == .takenBack ? code : nil, into: &out)
      }
      return interrupt(.linkBroken, at: now, into: &out)
    case (.connected(let link), .suspendRequested): return sleep(closing: link, into: &out)
    case (.connected(let link), .leaveRequested(let departure, let limit)):
      return leave(over: link, departure, within: limit, at: now, into: &out)
    case (.connected(let link), .endRequested(let departure, let code)):
      out.append(.closeLink(link, code))
      return end(departure, code, into: &out)
    case (.connected, .violationFound(link)): return end(.violation, into: &out)
    case (.connected(let link), .leaveReceived(let code)):
      out.append(.closeLink(link, .farewell))
      return end(DepartureReason(afterLeave: code), .farewell, into: &out)

    case (
      .leaving(let link, let farewell, let remote),
      .attachReceived(let newer, let membership, let epoch)
    ):
      let request = Request(link: newer, membership: membership, epoch: epoch)
      guard isCurrent(request) else { return reject(newer, into: &out) }
      replace(link, by: request, into: &out)
      return .leaving(newer, farewell, remote: remote)
    case (.leaving(let link, let farewell, _), .leaveReceived(let code)):
      return .leaving(link, farewell, remote: DepartureReason(afterLeave: code))
    case (.leaving(let link, let farewell, let remote), .leaveRequested(_, let limit)):
      let sooner = farewell.within(limit, from: now)
      if sooner != farewell { out.append(.wake(at: sooner.until)) }
      return .leaving(link, sooner, remote: remote)
    case (.leaving(let link, let farewell, let remote), .deadlineReached)
    where now < farewell.until:
      out.append(.wake(at: farewell.until))
      return .leaving(link, farewell, remote: remote)
    case (.leaving(let link, let farewell, let remote), .streamFlushed),
      (.leaving(let link, let farewell, let remote), .deadlineReached),
      (.leaving(let link, let farewell, let remote), .suspendRequested):
      return finish(farewell, remote, closing: link, into: &out)
    case (.leaving(_, let farewell, let remote), .closeReceived(link, let code)):
      return closed(by: code, during: farewell, remote, at: now, into: &out)
    case (.leaving(_, let farewell, let remote), .linkBroken(link, _)):
      return look(for: farewell, remote, at: now, into: &out)
    case (.leaving(_, let farewell, _), .violationFound(link)):
      return end(farewell.departure, into: &out)
    case (.leaving(let link, let farewell, let remote), .endRequested(_, let code)):
      out.append(.closeLink(link, code))
      return end(remote ?? farewell.departure, farewell.departure.code, into: &out)

    case (.asleep(let isFirst), .resumeRequested):
      return wakeUp(isFirst: isFirst, at: now, into: &out)
    case (.asleep, .attachReceived(let link, _, _)),
      (.asleep, .attachedReceived(let link, _, _)), (.asleep, .dialOpened(let link)):
      out.append(.closeLink(link, .suspending))
      return state
    case (.asleep, .leaveRequested(let departure, _)): return end(departure, into: &out)
    case (.asleep, .endRequested(let departure, let code)):
      return end(departure, code, into: &out)

    case (.connected, .dialOpened(let link)), (.leaving, .dialOpened(let link)),
      (.gone, .dialOpened(let link)), (.gone, .attachReceived(let link, _, _)),
      (.gone, .attachedReceived(let link, _, _)):
      return reject(link, into: &out)

    // News of links that are others' now, late timers, wishes that are fulfilled already.
    case (.apart, .streamFlushed), (.apart, .resumeRequested), (.connected, .dialFailed),
      (.apart, .numbered), (.connected, .numbered), (.leaving, .numbered), (.asleep, .numbered),
      (.connected, .linkBroken), (.connected, .closeReceived), (.connected, .violationFound),
      (.connected, .streamFlushed), (.connected, .deadlineReached),
      (.connected, .resumeRequested), (.leaving, .dialFailed), (.leaving, .linkBroken),
      (.leaving, .closeReceived), (.leaving, .violationFound), (.leaving, .resumeRequested),
      (.asleep, .dialFailed),
      (.asleep, .linkBroken), (.asleep, .closeReceived), (.asleep, .violationFound),
      (.asleep, .leaveReceived), (.asleep, .streamFlushed), (.asleep, .deadlineReached),
      (.asleep, .suspendRequested), (.gone, _):
      return state
    }
  }

  // MARK: While there is a link

  /// Whether a request was written after all that its sender is known to know.
  func isCurrent(_ request: Request) -> Bool {
    request.membership == id && request.epoch > remoteEpoch
  }

  func reject(_ link: LinkToken, into out: inout [Action]) -> State {
    out.append(.closeLink(link, .duplicate))
    return state
  }

  private mutating func replace(
    _ link: LinkToken, by request: Request, into out: inout [Action]
  ) {
    out.append(.closeLink(link, .duplicate))
    answer(request, into: &out)
  }

  mutating func answer(_ request: Request, into out: inout [Action]) {
    (id, remoteEpoch) = (request.membership, request.epoch)
    epoch = max(epoch, request.epoch)
    out += [.sendAttached(request.link, epoch: epoch), .carry(request.link)]
  }

  private mutating func interrupt(
    _ reason: InterruptionReason, at now: Instant, into out: inout [Action]
  ) -> State {
    guard configuration.patience > .zero else { return end(.lost, into: &out) }
    out.append(.reportInterrupted(reason))
    var absence = Absence(
      purpose: .resuming(until: now + configuration.patience), backoff: Self.eager,
      search: .resting(until: now))
    if reason == .suspending {
      absence.backoff = Self.asleep
      return rest(absence, at: now, into: &out)
    }
    return search(absence, after: isSmaller ? .zero : configuration.head, at: now, into: &out)
  }

  private func sleep(closing link: LinkToken, into out: inout [Action]) -> State {
    out.append(.closeLink(link, .suspending))
    guard configuration.patience > .zero else { return end(.lost, into: &out) }
    out.append(.reportInterrupted(.suspended))
    return .asleep(isFirst: false)
  }

  private mutating func sleep(
    leaving absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    if isAsking { unanswered = now }
    if case .leaving(let farewell) = absence.purpose {
      return end(farewell.departure, farewell.departure.code, leaving: absence, into: &out)
    }
    abandon(absence.search, .suspending, into: &out)
    out.append(.cancelWake)
    return .asleep(isFirst: absence.isFirst)
  }

  private mutating func wakeUp(
    isFirst: Bool, at now: Instant, into out: inout [Action]
  ) -> State {
    let absence = Absence(
      purpose: isFirst ? .beginning : .resuming(until: now + configuration.patience),
      backoff: isFirst ? Self.patient : Self.eager, search: .resting(until: now))
    return search(absence, after: .zero, at: now, into: &out)
  }

  func end(
    _ departure: DepartureReason, _ code: CloseCode? = nil, into out: inout [Action]
  ) -> State {
    out += [.cancelWake, .reportLeft(departure, code ?? departure.code)]
    return .gone
  }

  // MARK: Leaving

  private func leave(
    over link: LinkToken, _ departure: DepartureReason, within limit: Duration, at now: Instant,
    into out: inout [Action]
  ) -> State {
    let farewell = Farewell(departure: departure, until: now + limit)
    out += [.sendLeave(departure.code), .wake(at: farewell.until)]
    return .leaving(link, farewell, remote: nil)
  }

  /// Leaves behind what was sent, as soon as there is a link again.
  private func leave(
    from absence: Absence, _ departure: DepartureReason, within limit: Duration, at now: Instant,
    into out: inout [Action]
  ) -> State {
    switch absence.purpose {
    case .beginning: return end(departure, departure.code, leaving: absence, into: &out)
    case .leaving(let farewell):
      let sooner = farewell.within(limit, from: now)
      return sooner == farewell ? state : go(on: absence, with: sooner, at: now, into: &out)
    case .resuming:
      out.append(.sendLeave(departure.code))
      // Whatever is left of the patience.
      let farewell = Farewell(departure: departure, until: now + limit)
      return go(on: absence, with: farewell, at: now, into: &out)
    }
  }

  /// Looks for a member that is to be told of a farewell, as long as that may take.
  private func go(
    on absence: Absence, with farewell: Farewell, at now: Instant, into out: inout [Action]
  ) -> State {
    var absence = absence
    absence.purpose = .leaving(farewell)
    let departure = farewell.departure
    guard now < farewell.until else {
      return end(departure, departure.code, leaving: absence, into: &out)
    }
    wake(absence, into: &out)
    return .apart(absence)
  }

  private func finish(
    _ farewell: Farewell, _ remote: DepartureReason?, closing link: LinkToken,
    into out: inout [Action]
  ) -> State {
    out.append(.closeLink(link, remote == nil ? farewell.departure.code : .farewell))
    return end(remote ?? farewell.departure, farewell.departure.code, into: &out)
  }

  private mutating func closed(
    by code: CloseCode, during farewell: Farewell, _ remote: DepartureReason?, at now: Instant,
    into out: inout [Action]
  ) -> State {
    if code == .farewell { out.append(.reportDelivered) }
    if DepartureReason(after: code, isFirst: false) != nil {
      return end(remote ?? farewell.departure, farewell.departure.code, into: &out)
    }
    return look(for: farewell, remote, at: now, into: &out)
  }

  private mutating func look(
    for farewell: Farewell, _ remote: DepartureReason?, at now: Instant, into out: inout [Action]
  ) -> State {
    if let remote { return end(remote, farewell.departure.code, into: &out) }
    let absence = Absence(
      purpose: .leaving(farewell), backoff: Self.eager, search: .resting(until: now))
    return search(absence, after: isSmaller ? .zero : configuration.head, at: now, into: &out)
  }
}
