extension MembershipMachine {
  // MARK: While there is none

  func search(
    _ absence: Absence, after pause: Duration, at now: Instant, into out: inout [Action]
  ) -> State {
    var absence = absence
    if pause > .zero {
      absence.search = .resting(until: now + pause)
    } else {
      absence.search = .dialling(1, again: now + Self.dialInterval)
      out.append(.dial)
    }
    wake(absence, into: &out)
    return .apart(absence)
  }

  /// Wakes when something is to be done next, or the absence ends.
  func wake(_ absence: Absence, into out: inout [Action]) {
    let next =
      switch absence.search {
      case .resting(let until), .asking(_, let until, _): until
      case .dialling(_, let again): again
      }
    out.append(.wake(at: absence.deadline.map { min($0, next) } ?? next))
  }

  mutating func rest(
    _ absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    var absence = absence
    let pause = absence.backoff.next(using: &random)
    return search(absence, after: pause, at: now, into: &out)
  }

  mutating func ask(
    _ absence: Absence, over link: LinkToken, at now: Instant, into out: inout [Action]
  ) -> State {
    guard case .dialling(let count, _) = absence.search else { return reject(link, into: &out) }
    var absence = absence
    absence.search = .asking(link, until: now + configuration.answerTimeout, reserve: nil)
    epoch = min(max(epoch, remoteEpoch) + 1, Varint.max)
    naming = .said
    if count > 1 { out.append(.cancelDials) }
    out.append(.sendAttach(link, epoch: epoch))
    wake(absence, into: &out)
    return .apart(absence)
  }

  mutating func dialFailed(
    _ absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    guard case .dialling(let count, let again) = absence.search else { return state }
    guard count > 1 else { return rest(absence, at: now, into: &out) }
    var absence = absence
    absence.search = .dialling(count - 1, again: again)
    return .apart(absence)
  }

  mutating func asked(
    _ request: Request, during absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    if absence.isFirst, request.membership != id {
      if request.membership < id {
        if case .asking(let link, let until, let reserve) = absence.search {
          return hold(request, besides: reserve, link, until: until, absence, into: &out)
        }
        if mayHaveBegun(at: now) { return reject(request.link, into: &out) }
      }
    } else {
      guard isCurrent(request) else { return reject(request.link, into: &out) }
      if isSmaller, case .asking(let link, let until, let reserve) = absence.search {
        return hold(request, besides: reserve, link, until: until, absence, into: &out)
      }
    }
    abandon(absence.search, .duplicate, into: &out)
    answer(request, into: &out)
    return connect(request.link, after: absence, into: &out)
  }

  /// Whether the remote may have begun what was proposed since it wrote what comes now.
  private func mayHaveBegun(at now: Instant) -> Bool {
    unanswered.map { now - $0 < Self.doubt } ?? false
  }

  func hold(
    _ request: Request, besides reserve: Request?, _ link: LinkToken, until: Instant,
    _ absence: Absence, into out: inout [Action]
  ) -> State {
    if let reserve { out.append(.closeLink(reserve.link, .duplicate)) }
    var absence = absence
    absence.search = .asking(link, until: until, reserve: request)
    return .apart(absence)
  }

  mutating func answered(
    over link: LinkToken, _ membership: MembershipID, _ epoch: UInt64, during absence: Absence,
    at now: Instant, into out: inout [Action]
  ) -> State {
    guard case .asking(link, _, let reserve) = absence.search, membership == id else {
      out.append(.closeLink(link, .protocolViolation))
      return end(.violation, .protocolViolation, leaving: absence, into: &out)
    }
    self.epoch = max(self.epoch, epoch)
    remoteEpoch = max(remoteEpoch, epoch)
    if let reserve { out.append(.closeLink(reserve.link, .duplicate)) }
    out.append(.carry(link))
    return connect(link, after: absence, into: &out)
  }

  private func connect(
    _ link: LinkToken, after absence: Absence, into out: inout [Action]
  ) -> State {
    switch absence.purpose {
    case .beginning: out += [.cancelWake, .reportJoined]
    case .resuming: out += [.cancelWake, .reportResumed]
    case .leaving(let farewell):
      out.append(.wake(at: farewell.until))
      return .leaving(link, farewell, remote: nil)
    }
    return .connected(link)
  }

  mutating func lose(
    _ lost: LinkToken, isRefused: Bool = false, during absence: Absence, at now: Instant,
    into out: inout [Action]
  ) -> State {
    guard case .asking(let link, let until, let reserve) = absence.search else { return state }
    if lost == reserve?.link {
      var absence = absence
      absence.search = .asking(link, until: until, reserve: nil)
      return .apart(absence)
    }
    guard lost == link else { return state }
    if !isRefused { unanswered = now }
    guard let reserve else { return rest(absence, at: now, into: &out) }
    if absence.isFirst, mayHaveBegun(at: now) {  // It is asked for that again.
      out.append(.closeLink(reserve.link, .duplicate))
      return rest(absence, at: now, into: &out)
    }
    answer(reserve, into: &out)
    return connect(reserve.link, after: absence, into: &out)
  }

  mutating func refused(
    over link: LinkToken, _ code: CloseCode, during absence: Absence, at now: Instant,
    into out: inout [Action]
  ) -> State {
    guard case .asking(link, _, let reserve) = absence.search else {
      return lose(link, during: absence, at: now, into: &out)
    }
    if let departure = DepartureReason(after: code, isFirst: absence.isFirst) {
      if let reserve { out.append(.closeLink(reserve.link, .done)) }
      guard case .leaving(let farewell) = absence.purpose else {
        return end(departure, into: &out)
      }
      if code == .farewell { out.append(.reportDelivered) }
      return end(farewell.departure, into: &out)
    }
    if Self.isPast(code) { (naming, unanswered) = (.refused, nil) }
    var absence = absence
    if code == .suspending { absence.backoff = Self.asleep }
    return lose(link, isRefused: true, during: absence, at: now, into: &out)
  }

  /// Whether a refused proposal had its time, so that another one has to be made.
  private static func isPast(_ code: CloseCode) -> Bool {
    code == .givenUp || code == .unknownMembership || code == .expired
  }

  mutating func proceed(
    _ absence: Absence, at now: Instant, into out: inout [Action]
  ) -> State {
    if let deadline = absence.deadline, now >= deadline {
      guard case .leaving(let farewell) = absence.purpose else {
        return end(.lost, .givenUp, leaving: absence, into: &out)
      }
      return end(farewell.departure, farewell.departure.code, leaving: absence, into: &out)
    }
    var absence = absence
    switch absence.search {
    case .resting(let until) where now >= until:
      return search(absence, after: .zero, at: now, into: &out)
    case .asking(let link, let until, _) where now >= until:
      out.append(.closeLink(link, .handshakeTimeout))
      return lose(link, during: absence, at: now, into: &out)
    case .dialling(let count, let again) where now >= again:
      let isFull = count >= Self.dialsMax
      if !isFull { out.append(.dial) }
      absence.search = .dialling(isFull ? count : count + 1, again: now + Self.dialInterval)
    case .resting, .asking, .dialling: break
    }
    wake(absence, into: &out)
    return .apart(absence)
  }

  func end(
    _ departure: DepartureReason, _ code: CloseCode, leaving absence: Absence,
    into out: inout [Action]
  ) -> State {
    abandon(absence.search, code, into: &out)
    return end(departure, code, into: &out)
  }

  func abandon(_ search: Search, _ code: CloseCode, into out: inout [Action]) {
    switch search {
    case .resting: break
    case .dialling: out.append(.cancelDials)
    case .asking(let link, _, let reserve):
      out.append(.closeLink(link, code))
      if let reserve { out.append(.closeLink(reserve.link, code)) }
    }
  }
}
