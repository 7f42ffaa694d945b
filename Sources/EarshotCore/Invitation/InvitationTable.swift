/// All open invitations of one peer, in both directions, and what they mean to each other.
///
/// Every invitation is a machine of its own; the table names the machine that an event is for, and
/// knows three things that none of them can. Bounds: one offer a peer, `offersMax` in all, and when there are too many,
/// the oldest of the source that has most gives way. Memory: an INVITE that was answered and comes again is
/// answered the same. Glare: when two peers invite each other
/// for the same service, the larger PeerID accepts, the smaller holds in reserve, and no application is
/// asked, unless one of the two has several sessions: then only the applications know whether both mean the same. A
/// side whose INVITE has not gone out accepts in any case: no peer has heard of its invitation. When both
/// applications were asked, and have accepted into the same two sessions, the smaller PeerID confirms.
package struct InvitationTable: Machine, Hashable, Sendable {
  enum Deadline: Hashable { case outbound(InvitationID), inbound(InboundID) }
  let local: PeerID
  let offersMax: Int
  private var random: RandomStream
  var outbounds: [Outbound] = []  // The oldest first.
  var inbounds: [Inbound] = []  // The oldest first.
  var answers = AnswerMemory()
  private var isAsleep = false
  var timers = TimerTable<Deadline>()
  var wake: Instant?

  /// The table of a peer without invitations.
  ///
  /// - Parameters:
  ///   - local: The peer.
  ///   - offersMax: How many invitations may await the answer of the application at once.
  ///   - random: Where the randomness of their machines comes from.
  package init(of local: PeerID, offersMax: Int = 8, random: RandomStream) {
    (self.local, self.offersMax, self.random) = (local, offersMax, random)
  }

  /// Whether no invitation is open.
  package var isEmpty: Bool { outbounds.isEmpty && inbounds.isEmpty }

  /// Whether an invitation that was received still awaits an answer or its confirmation.
  package func isOpen(_ id: InboundID) -> Bool { index(of: id) != nil }

  /// Whether the inviter attaches to the session that has accepted.
  package func isAttaching(_ id: InboundID) -> Bool {
    index(of: id).map { inbounds[$0].machine.isAttaching } ?? false
  }

  /// Whether the acceptance waits for what has taken its place.
  package func isSuperseded(_ id: InboundID) -> Bool {
    index(of: id).map { inbounds[$0].machine.isSuperseded } ?? false
  }

  /// The links that invitations own.
  package var links: [LinkToken] {
    outbounds.compactMap(\.machine.link) + inbounds.flatMap(\.machine.links)
  }

  /// The invitation that was accepted, and that its inviter is to confirm, by ATTACHED or by an ATTACH.
  ///
  /// - Parameters:
  ///   - peer: The inviter.
  ///   - source: Its session.
  ///   - destination: The local peer's session.
  /// - Returns: The accepted invitation, which goes into `attachReceived`, or `nil` when there is none.
  package func unconfirmed(
    of peer: PeerID, source: SessionID, destination: SessionID
  ) -> InboundID? {
    inbounds.first {
      $0.invite.id.inviter == peer && $0.invite.session == source
        && $0.machine.acceptedSession == destination
    }?.invite.id
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    switch event {
    case .inviteRequested(let wish): invite(wish, at: now, into: &out)
    case .cancelRequested(let id): tell(id, .cancelRequested, at: now, into: &out)
    case .peerJoined(let id): tell(id, .peerJoined, at: now, into: &out)
    case .dialOpened(let id, let link) where index(of: id) == nil:
      out.append(.closeLink(link, .expired))
    case .dialOpened(let id, let link): tell(id, .dialOpened(link), at: now, into: &out)
    case .dialFailed(let id): tell(id, .dialFailed, at: now, into: &out)
    case .dialRefused(let id, let code): tell(id, .dialRefused(code), at: now, into: &out)
    case .peerGone(let id): tell(id, .peerGone, at: now, into: &out)
    case .acceptReceived(let link, let id, let session):
      accepted(link, id, session, at: now, into: &out)
    case .declineReceived(let link, let id, let reason):
      declined(link, id, reason, at: now, into: &out)
    case .inviteReceived(let link, let invite): invited(link, invite, at: now, into: &out)
    case .acceptRequested(let id, let session):
      tell(id, .acceptRequested(session), at: now, into: &out)
    case .declineRequested(let id, let reason):
      tell(id, .declineRequested(reason), at: now, into: &out)
    case .dismissRequested(let id): tell(id, .dismissRequested(.takenBack), at: now, into: &out)
    case .expiryRequested(let id): tell(id, .dismissRequested(.expired), at: now, into: &out)
    case .inviterJoined(let id): tell(id, .inviterJoined, at: now, into: &out)
    case .joiningFailed(let id, let session):
      tell(id, .joiningFailed, at: now, into: &out)
      failed(id.inviter, session, at: now, into: &out)
    case .cancelReceived(let link, let id, let reason):
      guard let inbound = inbound(over: link), inbound.invitation == id else { break }
      tell(inbound, .cancelReceived(reason), at: now, into: &out)
    case .attachedReceived(let link): confirmed(link, at: now, into: &out)
    case .attachReceived(let link, let id): tell(id, .attachReceived(link), at: now, into: &out)
    case .closeReceived(let link, let code):
      outbound(over: link).map { tell($0, .closeReceived(link, code), at: now, into: &out) }
      inbound(over: link).map { tell($0, .closeReceived(link, code), at: now, into: &out) }
    case .linkBroken(let link):
      outbound(over: link).map { tell($0, .linkBroken(link), at: now, into: &out) }
      inbound(over: link).map { tell($0, .linkBroken(link), at: now, into: &out) }
    case .suspendRequested: sleep(at: now, into: &out)
    case .resumeRequested: wakeUp(at: now, into: &out)
    case .deadlineReached:
      wake = nil
      while let due = timers.popDue(at: now) { pass(due, at: now, into: &out) }
      expireUnconfirmed(at: now, into: &out)
    }
    setWake(into: &out)
  }

  private mutating func pass(
    _ deadline: Deadline, at now: Instant, into out: inout [Action]
  ) {
    switch deadline {
    case .outbound(let id): tell(id, .deadlineReached, at: now, into: &out)
    case .inbound(let id): tell(id, .deadlineReached, at: now, into: &out)
    }
  }

  private mutating func setWake(into out: inout [Action]) {
    let next = [timers.next, endOfPatience].compactMap(\.self).min()
    guard next != wake else { return }
    wake = next
    out.append(wake.map { .wake(at: $0) } ?? .cancelWake)
  }

  // MARK: Sleeping

  /// Gives all links back; what is open stays open.
  private mutating func sleep(at now: Instant, into out: inout [Action]) {
    isAsleep = true
    for id in outbounds.map(\.wish.invitation) { tell(id, .suspendRequested, at: now, into: &out) }
    for id in inbounds.map(\.invite.id) { tell(id, .suspendRequested, at: now, into: &out) }
  }

  private mutating func wakeUp(at now: Instant, into out: inout [Action]) {
    isAsleep = false
    for id in inbounds.map(\.invite.id) { tell(id, .resumeRequested, at: now, into: &out) }
    for id in outbounds.map(\.wish.invitation) { tell(id, .resumeRequested, at: now, into: &out) }
  }

  // MARK: Sending

  mutating func invite(_ wish: Wish, at now: Instant, into out: inout [Action]) {
    let index = inbounds.firstIndex { $0.serves(wish) }
    var actions: [OutboundInvitationMachine.Action] = []
    let machine = OutboundInvitationMachine(
      until: now + wish.timeout, yielded: index != nil,
      random: RandomStream(seed: random.next()), into: &actions)
    outbounds.append(Outbound(wish: wish, machine: machine))
    perform(actions, of: wish, at: now, into: &out)
    guard let index else { return }
    inbounds[index].counterpart = wish.invitation
    guard inbounds[index].machine.isOffered else { return }
    let offer = inbounds[index].invite.id
    out.append(.reportWithdrawn(offer, .superseded))
    prefer(offer, to: wish, at: now, into: &out)
  }

  mutating func accepted(
    _ link: LinkToken, _ id: InvitationID, _ session: SessionID, at now: Instant,
    into out: inout [Action]
  ) {
    switch outbound(over: link) {
    case id:
      guard let index = indexOfAcceptance(meeting: id, session) else {
        return tell(id, .acceptReceived(link, session), at: now, into: &out)
      }
      inbounds[index].counterpart = id
      tell(id, .yieldRequested, at: now, into: &out)
    case nil where inbound(over: link) == nil: out.append(.closeLink(link, .expired))
    default: violated(over: link, at: now, into: &out)
    }
  }

  /// The acceptance of the local peer for the same two sessions, which the smaller PeerID confirms.
  private func indexOfAcceptance(meeting id: InvitationID, _ session: SessionID) -> Int? {
    guard let wish = outbounds.first(where: { $0.wish.invitation == id })?.wish,
      local > wish.peer
    else { return nil }
    return inbounds.firstIndex {
      $0.counterpart == nil && $0.invite.id.inviter == wish.peer && $0.invite.session == session
        && $0.machine.acceptedSession == wish.session
    }
  }

  mutating func declined(
    _ link: LinkToken, _ id: InvitationID, _ reason: DeclineReason, at now: Instant,
    into out: inout [Action]
  ) {
    guard outbound(over: link) == id, let index = index(of: id) else { return }
    if let reserve = reserve(of: id) {
      prefer(reserve, to: outbounds[index].wish, at: now, into: &out)
    } else {
      tell(id, .declineReceived(link, reason), at: now, into: &out)
    }
  }

  mutating func tell(
    _ id: InvitationID, _ event: OutboundInvitationMachine.Event, at now: Instant,
    into out: inout [Action]
  ) {
    guard let index = index(of: id) else { return }
    let wish = outbounds[index].wish
    var actions: [OutboundInvitationMachine.Action] = []
    outbounds[index].machine.handle(event, at: now, into: &actions)
    if isAsleep, outbounds[index].machine.isDialling {
      outbounds[index].machine.handle(.suspendRequested, at: now, into: &actions)
      actions.removeAll { $0 == .dial || $0 == .cancelDial }
    }
    let isWithoutLink = outbounds[index].machine.isResting
    perform(actions, of: wish, at: now, into: &out)
    if isWithoutLink, let reserve = reserve(of: id) {
      prefer(reserve, to: wish, at: now, into: &out)
    }
  }

  mutating func perform(
    _ actions: [OutboundInvitationMachine.Action], of wish: Wish, at now: Instant,
    into out: inout [Action]
  ) {
    let id = wish.invitation
    for action in actions {
      switch action {
      case .dial: out.append(.dial(id))
      case .cancelDial: out.append(.cancelDial(id))
      case .sendInvite(let link): out.append(.sendInvite(link, id))
      case .sendAttached(let link, let session):
        out += [
          .sendAttached(link, id),
          .reportJoined(wish.joining(session, over: link)),
        ]
      case .sendCancel(let link, let reason): out.append(.sendCancel(link, id, reason))
      case .closeLink(let link, let code): out.append(.closeLink(link, code))
      case .wake(let instant): timers.set(.outbound(id), at: instant)
      case .cancelWake: timers.cancel(.outbound(id))
      case .reportOutcome(let outcome):
        outbounds.removeAll { $0.wish.invitation == id }
        out.append(.reportOutcome(id, outcome))
        settleCounterpart(of: id, after: outcome, at: now, into: &out)
        if outcome == .accepted { joined(wish.peer, wish.session, at: now, into: &out) }
      }
    }
  }

  // MARK: Invitations that cross

  /// Accepts the peer's invitation in place of the local one.
  private mutating func prefer(
    _ id: InboundID, to wish: Wish, at now: Instant, into out: inout [Action]
  ) {
    guard let index = index(of: id) else { return }
    inbounds[index].counterpart = wish.invitation
    inbounds[index].isSilent = true
    tell(wish.invitation, .yieldRequested, at: now, into: &out)
    tell(id, .acceptRequested(wish.session), at: now, into: &out)
  }

  /// What the outcome of the local peer's invitation means for the one that stood beside it.
  private mutating func settleCounterpart(
    of id: InvitationID, after outcome: InvitationOutcome, at now: Instant,
    into out: inout [Action]
  ) {
    guard let index = inbounds.firstIndex(where: { $0.counterpart == id }) else { return }
    let other = inbounds[index].invite
    inbounds[index].counterpart = nil
    if outcome == .accepted {
      tell(other.id, .dismissRequested(.duplicate), at: now, into: &out)
    } else if !inbounds[index].machine.isReserved {
      // What the application has accepted itself stays accepted.
      guard inbounds[index].isSilent else { return }
      tell(other.id, .dismissRequested(.takenBack), at: now, into: &out)
    } else if other.isAdvertised {
      inbounds[index].isSilent = false
      tell(other.id, .offerRequested, at: now, into: &out)
    } else {
      tell(other.id, .declineRequested(.notAdvertising), at: now, into: &out)
    }
  }

  /// Whatever else was to make a peer a member of that session is fulfilled.
  mutating func joined(
    _ peer: PeerID, _ session: SessionID, at now: Instant, into out: inout [Action]
  ) {
    for outbound in outbounds(to: peer, session) {
      tell(outbound.wish.invitation, .peerJoined, at: now, into: &out)
    }
  }

  /// What gave way to an invitation whose inviter was to attach goes on by itself.
  private mutating func failed(
    _ peer: PeerID, _ session: SessionID, at now: Instant, into out: inout [Action]
  ) {
    for outbound in outbounds(to: peer, session) where outbound.machine.isYielded {
      let id = outbound.wish.invitation
      guard !inbounds.contains(where: { $0.counterpart == id }) else { continue }
      tell(id, .counterpartFailed, at: now, into: &out)
    }
  }

  /// What would make a peer a member of a session.
  func outbounds(to peer: PeerID, _ session: SessionID) -> [Outbound] {
    outbounds.filter { $0.wish.peer == peer && $0.wish.session == session }
  }

  func reserve(of id: InvitationID) -> InboundID? {
    inbounds.first { $0.counterpart == id && $0.machine.isReserved }?.invite.id
  }

  /// A frame came that only another kind of link may carry.
  mutating func violated(
    over link: LinkToken, at now: Instant, into out: inout [Action]
  ) {
    out.append(.closeLink(link, .protocolViolation))
    handle(.linkBroken(link), at: now, into: &out)
  }

  // MARK: Finding

  func index(of id: InvitationID) -> Int? {
    outbounds.firstIndex { $0.wish.invitation == id }
  }

  func index(of id: InboundID) -> Int? { inbounds.firstIndex { $0.invite.id == id } }

  func outbound(over link: LinkToken) -> InvitationID? {
    outbounds.first { $0.machine.link == link }?.wish.invitation
  }

  /// The invitation that a link belongs to, if that was received.
  package func inbound(over link: LinkToken) -> InboundID? {
    inbounds.first { $0.machine.links.contains(link) }?.invite.id
  }

  /// Those that are being accepted included: more than strangers can bring before the first of them give way.
  var inboundsMax: Int { max(4 * offersMax, 64) }
  static let inboundsOfPeerMax = 4
}
