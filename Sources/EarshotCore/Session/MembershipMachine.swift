/// One member of one session: linked, looked for, or gone.
///
/// The story: a membership begins with a link that an invitation left behind, or with an introduction, when
/// there is none yet. When the link breaks, both sides dial: the smaller PeerID at once, the larger a little
/// later, both again and again with growing pauses until patience ends. Every dial asks (ATTACH) with an
/// epoch above all that this side has used or seen, so that a request that was overtaken is known to be old.
/// An answer (ATTACHED) names the highest epoch that both know.
///
/// When both ask at once, the request of the smaller PeerID is kept: the larger answers it and takes its own
/// back, the smaller holds the other's in reserve until its own is answered. A side that has not asked yet
/// answers in any case: nobody has heard of its dial.
///
/// An answer on a link where nothing was asked comes from an invitation that was accepted again: the inviter
/// never learned that it had a member. Its numbers count from there.
package struct MembershipMachine: Hashable, Sendable {
  private enum State: Hashable {
    case apart(Absence)
    case connected(LinkToken)
    case asleep(isFirst: Bool)
    case leaving(LinkToken, Departure, until: Instant)
    case gone
  }

  /// The number of the latest link that this side knows of, from 1; 0 before the first.
  package private(set) var epoch: UInt64
  private var state: State
  private var random: RandomStream
  private let isSmaller: Bool
  private let configuration: Configuration

  /// A membership over the link of an invitation, which ATTACHED has just confirmed.
  package init(
    over link: LinkToken, local: PeerID, remote: PeerID,
    configuration: Configuration = Configuration(), random: RandomStream,
    into out: inout [Action]
  ) {
    precondition(local != remote, "nobody is a member of its own session")
    (isSmaller, self.configuration, self.random) = (local < remote, configuration, random)
    (epoch, state) = (1, .connected(link))
    out += [.carry(link), .reportJoined]
  }

  /// A membership that was introduced: the smaller PeerID dials at once, the larger in a second.
  package init(
    introducing remote: PeerID, to local: PeerID, configuration: Configuration = Configuration(),
    random: RandomStream, at now: Instant, into out: inout [Action]
  ) {
    precondition(local != remote, "nobody is a member of its own session")
    (isSmaller, self.configuration, self.random) = (local < remote, configuration, random)
    (epoch, state) = (0, .gone)
    let absence = Absence(
      isFirst: true, deadline: now + configuration.introductionTimeout,
      backoff: Self.eager, search: .dialling)
    let head = isSmaller ? Duration.zero : Self.introductionHead
    state = search(absence, after: head, at: now, into: &out)
  }

  /// The link that carries the membership, if one does.
  package var link: LinkToken? {
    switch state {
    case .connected(let link), .leaving(let link, _, _): link
    case .apart, .asleep, .gone: nil
    }
  }

  /// Whether an ATTACH of ours waits for its answer, so that the remote may have answered it already.
  package var isAsking: Bool {
    if case .apart(let absence) = state, case .asking = absence.search { true } else { false }
  }

  /// Whether the last report was made.
  package var isGone: Bool { state == .gone }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    state = next(after: event, at: now, into: &out)
  }

  private mutating func next(
    after event: Event, at now: Instant, into out: inout [Action]
  ) -> State {
    switch (state, event) {
    case (.apart(let absence), .dialOpened(let link)):
      return ask(absence, over: link, at: now, into: &out)
    case (.apart(let absence), .dialFailed): return dialFailed(absence, at: now, into: &out)
    case (.apart(let absence), .attachReceived(let link, let epoch)):
      return asked(Request(link: link, epoch: epoch), during: absence, into: &out)
    case (.apart(let absence), .attachedReceived(let link, let epoch)):
      return answered(over: link, epoch: epoch, during: absence, into: &out)
    case (.apart(let absence), .linkBroken(let link, _)):
      return lose(link, during: absence, at: now, into: &out)
    case (.apart(let absence), .closeReceived(let link, let code)):
      return refused(over: link, code, during: absence, at: now, into: &out)
    case (.apart(let absence), .deadlineReached): return proceed(absence, at: now, into: &out)
    case (.apart(let absence), .suspendRequested):
      abandon(absence.search, .suspending, into: &out)
      out.append(.cancelWake)
      return .asleep(isFirst: absence.isFirst)

    case (.connected(let link), .attachReceived(let newer, let epoch)):
      guard epoch > self.epoch else { return reject(newer, into: &out) }
      replace(link, by: Request(link: newer, epoch: epoch), into: &out)
      return .connected(newer)
    case (.connected(let link), .attachedReceived(let newer, let epoch)) where newer != link:
      self.epoch = epoch
      out += [.closeLink(link, .duplicate), .carry(newer)]
      return .connected(newer)
    case (.connected(let link), .attachedReceived):
      out.append(.closeLink(link, .protocolViolation))
      return end(.violation, into: &out)
    case (.connected, .linkBroken(link, let reason)):
      return interrupt(reason, at: now, into: &out)
    case (.connected, .closeReceived(link, .suspending)):
      return interrupt(.suspending, at: now, into: &out)
    case (.connected, .closeReceived(link, let code)):
      if let departure = Departure(after: code, isFirst: false) {
        return end(departure, into: &out)
      }
      return interrupt(.linkBroken, at: now, into: &out)
    case (.connected(let link), .suspendRequested): return sleep(closing: link, into: &out)
    case (.connected(let link), .removeRequested):
      return leave(over: link, .removed, .removed, at: now, into: &out)
    case (.connected(let link), .disconnectRequested):
      return leave(over: link, .done, .disconnected, at: now, into: &out)
    case (.connected, .violationFound(link)): return end(.violation, into: &out)
    case (.connected(let link), .leaveReceived(let code)),
      (.leaving(let link, _, _), .leaveReceived(let code)):
      out.append(.closeLink(link, .done))
      return end(code == .removed ? .removed : .left, into: &out)

    case (.leaving(let link, let departure, let until), .attachReceived(let newer, let epoch)):
      guard epoch > self.epoch else { return reject(newer, into: &out) }
      replace(link, by: Request(link: newer, epoch: epoch), into: &out)
      return .leaving(newer, departure, until: until)
    case (.leaving(let link, let departure, let until), .deadlineReached) where now < until:
      out.append(.wake(at: until))
      return .leaving(link, departure, until: until)
    case (.leaving(let link, let departure, _), .streamFlushed),
      (.leaving(let link, let departure, _), .deadlineReached),
      (.leaving(let link, let departure, _), .suspendRequested):
      out.append(.closeLink(link, departure == .removed ? .removed : .done))
      return end(departure, into: &out)
    case (.leaving(_, let departure, _), .linkBroken(link, _)),
      (.leaving(_, let departure, _), .closeReceived(link, _)),
      (.leaving(_, let departure, _), .violationFound(link)):
      return end(departure, into: &out)

    case (.asleep(let isFirst), .resumeRequested):
      return wakeUp(isFirst: isFirst, at: now, into: &out)
    case (.asleep, .attachReceived(let link, _)), (.asleep, .attachedReceived(let link, _)),
      (.asleep, .dialOpened(let link)):
      out.append(.closeLink(link, .suspending))
      return state

    case (.apart(let absence), .leaveReceived(let code)):
      return end(code == .removed ? .removed : .left, leaving: absence, into: &out)
    case (.apart(let absence), .violationFound):
      return end(.violation, leaving: absence, into: &out)
    case (.apart(let absence), .removeRequested):
      return end(.removed, leaving: absence, into: &out)
    case (.apart(let absence), .disconnectRequested):
      return end(.disconnected, leaving: absence, into: &out)
    case (.asleep, .removeRequested): return end(.removed, into: &out)
    case (.asleep, .disconnectRequested): return end(.disconnected, into: &out)

    case (.gone, .attachReceived(let link, _)):
      out.append(.closeLink(link, .notIntroduced))
      return .gone
    case (.connected, .dialOpened(let link)), (.leaving, .dialOpened(let link)),
      (.leaving, .attachedReceived(let link, _)), (.gone, .dialOpened(let link)),
      (.gone, .attachedReceived(let link, _)):
      return reject(link, into: &out)

    // News of links that are ours no longer, late timers, wishes that are fulfilled already.
    case (.apart, .streamFlushed), (.apart, .resumeRequested), (.connected, .dialFailed),
      (.connected, .linkBroken), (.connected, .closeReceived), (.connected, .violationFound),
      (.connected, .streamFlushed), (.connected, .deadlineReached),
      (.connected, .resumeRequested), (.leaving, .dialFailed), (.leaving, .linkBroken),
      (.leaving, .closeReceived), (.leaving, .violationFound), (.leaving, .resumeRequested),
      (.leaving, .removeRequested), (.leaving, .disconnectRequested), (.asleep, .dialFailed),
      (.asleep, .linkBroken), (.asleep, .closeReceived), (.asleep, .violationFound),
      (.asleep, .leaveReceived), (.asleep, .streamFlushed), (.asleep, .deadlineReached),
      (.asleep, .suspendRequested), (.gone, _):
      return state
    }
  }

  // MARK: While there is a link

  private func reject(_ link: LinkToken, into out: inout [Action]) -> State {
    out.append(.closeLink(link, .duplicate))
    return state
  }

  private mutating func replace(
    _ link: LinkToken, by request: Request, into out: inout [Action]
  ) {
    out.append(.closeLink(link, .duplicate))
    answer(request, into: &out)
  }

  private mutating func answer(_ request: Request, into out: inout [Action]) {
    epoch = max(epoch, request.epoch)
    out += [.sendAttached(request.link, epoch: epoch), .carry(request.link)]
  }

  private mutating func interrupt(
    _ reason: Interruption, at now: Instant, into out: inout [Action]
  ) -> State {
    guard configuration.patience > .zero else { return end(.lost, into: &out) }
    out.append(.reportInterrupted(reason))
    var absence = Absence(
      isFirst: false, deadline: now + configuration.patience, backoff: Self.eager,
      search: .dialling)
    if reason == .suspending {
      absence.backoff = Self.patient
      return rest(absence, at: now, into: &out)
    }
    return search(absence, after: isSmaller ? .zero : Self.head, at: now, into: &out)
  }

  private func sleep(closing link: LinkToken, into out: inout [Action]) -> State {
    out.append(.closeLink(link, .suspending))
    guard configuration.patience > .zero else { return end(.lost, into: &out) }
    out.append(.reportInterrupted(.suspended))
    return .asleep(isFirst: false)
  }

  private mutating func wakeUp(
    isFirst: Bool, at now: Instant, into out: inout [Action]
  ) -> State {
    let time = isFirst ? configuration.introductionTimeout : configuration.patience
    let absence = Absence(
      isFirst: isFirst, deadline: now + time, backoff: Self.eager, search: .dialling)
    return search(absence, after: .zero, at: now, into: &out)
  }

  private func leave(
    over link: LinkToken, _ code: CloseCode, _ departure: Departure, at now: Instant,
    into out: inout [Action]
  ) -> State {
    let until = now + configuration.farewellTimeout
    out += [.sendLeave(code), .wake(at: until)]
    return .leaving(link, departure, until: until)
  }

  private func end(_ departure: Departure, into out: inout [Action]) -> State {
    out += [.cancelWake, .reportLeft(departure)]
    return .gone
  }

  // MARK: While there is none

  private func search(
    _ absence: Absence, after pause: Duration, at now: Instant, into out: inout [Action]
  ) -> State {
    var absence = absence
    if pause > .zero {
      absence.search = .resting(until: now + pause)
      out.append(.wake(at: min(now + pause, absence.deadline)))
    } else {
      absence.search = .dialling
      out += [.dial, .wake(at: absence.deadline)]
    }
    return .apart(absence)
  }

  private mutating func rest(
    _ absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    var absence = absence
    let pause = absence.backoff.next(using: &random)
    return search(absence, after: pause, at: now, into: &out)
  }

  private mutating func ask(
    _ absence: Absence, over link: LinkToken, at now: Instant, into out: inout [Action]
  ) -> State {
    guard absence.search == .dialling else { return reject(link, into: &out) }
    var absence = absence
    let until = now + configuration.answerTimeout
    absence.search = .asking(link, until: until, reserve: nil)
    epoch = min(epoch + 1, Varint.max)
    out += [.sendAttach(link, epoch: epoch), .wake(at: min(until, absence.deadline))]
    return .apart(absence)
  }

  private mutating func dialFailed(
    _ absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    guard absence.search == .dialling else { return state }
    return rest(absence, at: now, into: &out)
  }

  private mutating func asked(
    _ request: Request, during absence: Absence, into out: inout [Action]
  ) -> State {
    if isSmaller, case .asking(let link, let until, let reserve) = absence.search {
      if let reserve { out.append(.closeLink(reserve.link, .duplicate)) }
      var absence = absence
      absence.search = .asking(link, until: until, reserve: request)
      return .apart(absence)
    }
    abandon(absence.search, .duplicate, into: &out)
    answer(request, into: &out)
    return connect(request.link, after: absence, into: &out)
  }

  private mutating func answered(
    over link: LinkToken, epoch: UInt64, during absence: Absence, into out: inout [Action]
  ) -> State {
    switch absence.search {
    case .asking(link, _, let reserve):
      self.epoch = max(self.epoch, epoch)
      if let reserve { out.append(.closeLink(reserve.link, .duplicate)) }
    case .asking(_, _, let reserve?) where reserve.link == link:
      return end(.violation, leaving: absence, into: &out)  // It asked, and answers itself.
    case .resting, .dialling, .asking:
      self.epoch = epoch
      abandon(absence.search, .duplicate, into: &out)
    }
    out.append(.carry(link))
    return connect(link, after: absence, into: &out)
  }

  private func connect(
    _ link: LinkToken, after absence: Absence, into out: inout [Action]
  ) -> State {
    out += [.cancelWake, absence.isFirst ? .reportJoined : .reportResumed]
    return .connected(link)
  }

  private mutating func lose(
    _ lost: LinkToken, during absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    guard case .asking(let link, let until, let reserve) = absence.search else { return state }
    if lost == reserve?.link {
      var absence = absence
      absence.search = .asking(link, until: until, reserve: nil)
      return .apart(absence)
    }
    guard lost == link else { return state }
    guard let reserve else { return rest(absence, at: now, into: &out) }
    answer(reserve, into: &out)
    return connect(reserve.link, after: absence, into: &out)
  }

  private mutating func refused(
    over link: LinkToken, _ code: CloseCode, during absence: Absence, at now: Instant,
    into out: inout [Action]
  ) -> State {
    guard case .asking(link, _, let reserve) = absence.search else {
      return lose(link, during: absence, at: now, into: &out)
    }
    if let departure = Departure(after: code, isFirst: absence.isFirst) {
      if let reserve { out.append(.closeLink(reserve.link, .done)) }
      return end(departure, into: &out)
    }
    var absence = absence
    if code == .suspending { absence.backoff = Self.patient }
    return lose(link, during: absence, at: now, into: &out)
  }

  private mutating func proceed(
    _ absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    if now >= absence.deadline {
      return end(absence.isFirst ? .unreachable : .lost, leaving: absence, into: &out)
    }
    switch absence.search {
    case .resting(let until) where now >= until:
      return search(absence, after: .zero, at: now, into: &out)
    case .asking(let link, let until, _) where now >= until:
      out.append(.closeLink(link, .handshakeTimeout))
      return lose(link, during: absence, at: now, into: &out)
    case .resting(let until), .asking(_, let until, _):
      out.append(.wake(at: min(until, absence.deadline)))
    case .dialling: out.append(.wake(at: absence.deadline))
    }
    return state
  }

  private func end(
    _ departure: Departure, leaving absence: Absence, into out: inout [Action]
  ) -> State {
    abandon(absence.search, departure == .removed ? .removed : .done, into: &out)
    return end(departure, into: &out)
  }

  private func abandon(_ search: Search, _ code: CloseCode, into out: inout [Action]) {
    switch search {
    case .resting: break
    case .dialling: out.append(.cancelDial)
    case .asking(let link, _, let reserve):
      out.append(.closeLink(link, code))
      if let reserve { out.append(.closeLink(reserve.link, code)) }
    }
  }
}
