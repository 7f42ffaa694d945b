/// A request to attach that came before its introduction.
struct HeldRequest {
  let link: Link
  let attach: Attach
  let sender: PeerID
  let endpoints: [Endpoint]  // Where the sender listens, as far as the link can tell.
}

extension SessionCore: LinkOwner {
  nonisolated func link(_ link: Link, opened greeting: Hello) {
    assumeIsolated { $0.opened(link, greeting) }
  }

  nonisolated func link(_ link: Link, received frame: AttachmentFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, received frame: GroupFrame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { $0.ended(link, end) }
  }

  // MARK: What links say

  private func opened(_ link: Link, _ greeting: Hello) {
    guard let member = owners[link.token] else { return }
    seats[member]?.dials[link.token] = nil
    seats[member]?.links[link.token] = link
    seats[member]?.name = greeting.displayName
    seats[member]?.learn(link.assumeIsolated { $0.endpoints(after: greeting) })
    handle(.dialOpened(link.token), of: member)
  }

  private func received(_ frame: AttachmentFrame, on link: Link) {
    guard let member = owners[link.token] else { return }
    guard case .attached(let attached) = frame else { return refuse(link) }
    seats[member]?.positions[link.token] = Seat.Position(
      received: attached.received, window: attached.window, terms: attached.terms)
    handle(.attachedReceived(link.token, attached.membership, epoch: attached.epoch), of: member)
  }

  private func received(_ frame: GroupFrame, on link: Link) {
    guard let member = owners[link.token] else { return }
    switch frame {
    case .introduce(let introduction): introduced(introduction, by: member)
    case .retract(let retraction):
      roster.retract(retraction.peer, retraction.session, by: member)
      settle()
    case .leave(let leave): handle(.leaveReceived(leave.code), of: member)
    }
  }

  private func ended(_ link: Link, _ end: LinkEnd) {
    if held.removeValue(forKey: link.token) != nil { roster.linkEnded(link.token) }
    guard let member = owners[link.token] else { return }
    let wasDialling = seats[member]?.dials[link.token] != nil
    drop(link, of: member)
    if wasDialling { return handle(.dialFailed, of: member) }
    switch end {
    case .unreachable, .broken: handle(.linkBroken(link.token, .linkBroken), of: member)
    case .silence: handle(.linkBroken(link.token, .silence), of: member)
    case .closed(let code): handle(.closeReceived(link.token, code), of: member)
    case .violation: handle(.violationFound(link.token), of: member)
    }
  }

  /// Forgets a link that is gone.
  private func drop(_ link: Link, of member: PeerID) {
    owners[link.token] = nil
    seats[member]?.dials[link.token] = nil
    seats[member]?.links[link.token] = nil
    seats[member]?.positions[link.token] = nil
    seats[member]?.stream.detach(from: link)
  }

  // MARK: Joining

  /// A membership's two streams.
  func makeStream() -> ReliableStream {
    var bounds = ReliableStreamMachine.Configuration()
    bounds.messageBytesMax = max(0, configuration.messageBytesMax)
    bounds.outboundBytesMax = max(1, configuration.outboxBytesMax)
    bounds.windowBytes = max(configuration.windowBytes, ReceiveWindow.windowBytesMin)
    lastStream += 1
    return ReliableStream(ReliableStream.ID(rawValue: lastStream), bounds, on: peer.host) {
      [hub] in hub.push($0)
    }
  }

  /// Takes over the link of an invitation that was accepted and confirmed.
  ///
  /// An acceptance that a later membership has overtaken changes nothing. Both sides know of it: a peer for whom
  /// there is no seat any more joins, and leaves as `full`.
  ///
  /// - Returns: Whether the peer is a member now.
  func join(_ link: Link, _ acceptance: Acceptance) -> Bool {
    let entry = acceptance.entry
    guard phase == .open else { return false }
    if let seat = seats[entry.peer] {
      if seat.hasJoined, seat.remoteSession == entry.session,
        seat.machine.id >= acceptance.membership
      {
        link.assumeIsolated { $0.close(.duplicate) }
        return true
      }
      replace(seat, of: entry)
    }
    var actions: [MembershipMachine.Action] = []
    let machine = MembershipMachine(
      acceptance.membership, over: link.token, local: peer.id, remote: entry.peer,
      configuration: patience, random: RandomStream(seed: random.next()), into: &actions)
    var seat = Seat(machine: machine, stream: acceptance.stream, entry)
    seat.links[link.token] = link
    seat.positions[link.token] = Seat.Position(
      received: 0, window: acceptance.window, terms: acceptance.terms)
    seats[entry.peer] = seat
    owners[link.token] = entry.peer
    link.assumeIsolated { $0.handOver(to: self) }
    for action in actions { perform(action, of: entry.peer) }
    settle()
    return true
  }

  /// Makes room for a membership whose first sign is the ATTACH of an invitation that was accepted.
  ///
  /// - Returns: Whether the peer may attach.
  func expectAttaching(_ acceptance: Acceptance) -> Bool {
    let entry = acceptance.entry
    guard phase == .open else { return false }
    if let seat = seats[entry.peer], seat.remoteSession == entry.session {
      if !seat.hasJoined || seat.machine.id >= acceptance.membership { return true }
    }
    if let seat = seats[entry.peer] { replace(seat, of: entry) }
    roster.expect(entry)
    begin(entry, acceptance.stream, acceptance.membership)
    setTimer()
    return true
  }

  /// Ends what an acceptance takes the place of.
  private func replace(_ seat: Seat, of entry: Roster.Entry) {
    let isSame = seat.remoteSession == entry.session
    isSettling = true  // Whoever is seated next is not to be sought before.
    defer { isSettling = false }
    handle(
      isSame ? .endRequested(.lost, .givenUp) : .endRequested(.restarted, .superseded),
      of: entry.peer)
  }

  /// Whether a peer's session was asked to attach and has not answered yet.
  func isAsking(_ member: PeerID, _ remote: SessionID) -> Bool {
    guard let seat = seats[member], seat.remoteSession == remote else { return false }
    return seat.machine.isAsking
  }

  /// Whether an inviter's session is a member by what has come of its invitation, or by what the inviter has not
  /// given up.
  func isMember(_ inviter: Inviter) -> Bool {
    guard let seat = seats[inviter.peer], let joined = seat.joined else { return false }
    return seat.remoteSession == inviter.session
      && (joined >= inviter.time || stands(seat, beside: inviter.ended))
  }

  /// Whether an inviter is a member, with whichever session, but by none that was there before it invited with
  /// another one.
  private func hasJoined(_ inviter: Inviter) -> Bool {
    if isMember(inviter) { return true }
    return seats[inviter.peer]?.joined.map { $0 >= inviter.time } ?? false
  }

  /// Tells whether an inviter is a member, as soon as that is known.
  ///
  /// - Parameters:
  ///   - inviter: The inviter.
  ///   - isComing: Whether it is about to become one.
  ///   - tell: Called at once if it is a member already, or if it is not coming.
  func whenJoined(
    _ inviter: Inviter, isComing: Bool, _ tell: @escaping @Sendable (Bool) -> Void
  ) {
    let (member, isMember) = (inviter.peer, hasJoined(inviter))
    let isAttaching = seats[member].map { !$0.hasJoined } ?? false
    guard isComing || isAttaching, !isMember, phase == .open else { return tell(isMember) }
    joiners[member, default: []].append(tell)
    timers.set(.joining(member), at: now + InboundInvitationMachine.confirmationTimeout)
    setTimer()
  }

  func resumeJoiners(of member: PeerID, _ isMember: Bool) {
    timers.cancel(.joining(member))
    for tell in joiners.removeValue(forKey: member) ?? [] { tell(isMember) }
  }

  /// Gives a seat back that was reserved for an invitation.
  nonisolated func unreserve(_ peer: PeerID) {
    assumeIsolated { session in
      session.roster.cancelReservation(for: peer)
      session.settle()
    }
  }

  private var patience: MembershipMachine.Configuration {
    var patience = MembershipMachine.Configuration()
    patience.patience = configuration.patience
    return patience
  }

  // MARK: The group

  private func introduced(_ introduction: Introduce, by introducer: PeerID) {
    roster.introduce(
      Roster.Entry(
        peer: introduction.peer, session: introduction.session,
        seniority: introduction.seniority, capacity: introduction.capacity,
        displayName: introduction.displayName,
        endpoints: introduction.endpoints.filter { !$0.address.isMulticast }), by: introducer)
    settle()
  }

  /// Does what follows from what is known of the group, until nothing more does.
  func settle() {
    isUnsettled = true
    guard pending.isEmpty, !isSettling else { return }  // Whoever is at work goes on with it.
    isSettling = true
    while isUnsettled, phase == .open {
      isUnsettled = false
      let asked = membersInOrder.filter { seats[$0]?.machine.isAsking ?? false }
      for change in roster.settle(at: now, asked: asked) { perform(change) }
    }
    isSettling = false
    watchRoster()
    setTimer()
  }

  /// Settles again when something is due; what is due already waits for a farewell to end, and is not asked at once.
  private func watchRoster() {
    guard phase == .open, let deadline = roster.nextDeadline else { return timers.cancel(.roster) }
    timers.set(.roster, at: deadline > now ? deadline : now + Self.farewellPause)
  }

  private func perform(_ change: Roster.Change) {
    switch change {
    case .seek(let entry, let waiting):
      guard seats[entry.peer] == nil else { return }
      begin(entry, makeStream(), propose(to: entry.peer, entry.session))
      if let waiting, let request = held.removeValue(forKey: waiting) { admit(request) }
    case .abandon(let member): handle(.endRequested(.lost, .givenUp), of: member)
    case .dismiss(let member, .restarted):
      handle(.endRequested(.restarted, .superseded), of: member)
    case .dismiss(let member, let departure):
      handle(.leaveRequested(departure, within: Self.dismissalTime), of: member)
    case .refuse(let token): refuse(token)
    }
  }

  /// A membership that neither side has named yet.
  func propose(to peer: PeerID, _ remote: SessionID) -> MembershipID {
    let last = self.peer.assumeIsolated { $0.ended[pair(peer, remote)]?.membership } ?? .none
    proposed = max(last, proposed).next(bySmaller: self.peer.id < peer)
    return proposed
  }

  /// The membership that an acceptance names: the one that is there, unless the inviter has given it up.
  func membershipToAccept(of inviter: PeerID, _ remote: SessionID, ended: MembershipID)
    -> MembershipID
  {
    if let seat = seats[inviter], seat.hasJoined, seat.remoteSession == remote {
      if stands(seat, beside: ended) { return seat.machine.id }
      handle(.endRequested(.lost, .givenUp), of: inviter)
    }
    return propose(to: inviter, remote)
  }

  /// Whether a membership is one that its other end has not given up, as far as an INVITE tells.
  private func stands(_ seat: Seat, beside ended: MembershipID) -> Bool {
    // A greater number is that of another session of ours, as long as the link of this one is up.
    ended < seat.machine.id || ended > seat.machine.id && seat.machine.link != nil
  }

  /// Whether a peer's session is a member by a membership.
  func isMember(_ member: PeerID, _ remote: SessionID, by membership: MembershipID) -> Bool {
    guard let seat = seats[member], seat.hasJoined else { return false }
    return seat.remoteSession == remote && seat.machine.id == membership
  }

  nonisolated func pair(_ peer: PeerID, _ remote: SessionID) -> EndedMemberships.Pair {
    EndedMemberships.Pair(local: id, peer: peer, remote: remote)
  }

  /// What members are told of this session.
  var terms: SessionTerms {
    SessionTerms(
      seniority: roster.seniority ?? 0, capacity: configuration.peersMax,
      messageBytesMax: configuration.messageBytesMax)
  }

  /// Looks for a peer that may attach, and waits for it.
  private func begin(
    _ entry: Roster.Entry, _ stream: ReliableStream, _ membership: MembershipID
  ) {
    var actions: [MembershipMachine.Action] = []
    let machine = MembershipMachine(
      proposing: membership, to: entry.peer, from: peer.id, configuration: patience,
      random: RandomStream(seed: random.next()), at: now, into: &actions)
    seats[entry.peer] = Seat(machine: machine, stream: stream, entry)
    for action in actions { perform(action, of: entry.peer) }
  }

  /// Tells the new member of the others, and the others of it.
  func introduce(_ member: PeerID) {
    guard let entry = seats[member]?.entry else { return }
    for other in roster.join(entry) {
      tell(other.peer, of: entry)
      tell(member, of: other)
    }
  }

  /// Tells the others what is new about a member.
  func reintroduce(_ member: PeerID) {
    guard let entry = seats[member]?.entry, roster.update(entry) else { return }
    for other in roster.members where other.peer != member { tell(other.peer, of: entry) }
  }

  private func tell(_ reader: PeerID, of subject: Roster.Entry) {
    seats[reader]?.stream.append(
      Introduce(
        peer: subject.peer, session: subject.session, seniority: subject.seniority,
        capacity: subject.capacity, displayName: subject.displayName,
        endpoints: Array(subject.endpoints.prefix(FrameBounds.endpointsMax))))
  }

  /// Takes a member out of the group, or one that never joined.
  func forget(
    _ member: PeerID, _ remote: SessionID, _ departure: MembershipMachine.Departure
  ) {
    for other in roster.leave(member, remote, departure, at: now) {
      seats[other.peer]?.stream.append(Retract(peer: member, session: remote))
    }
  }

  // MARK: Attaching

  /// Takes a link whose dialler asks to attach to this session.
  func attach(_ link: Link, _ attach: Attach, from sender: PeerID, at endpoints: [Endpoint]) {
    link.assumeIsolated { $0.handOver(to: self) }
    admit(HeldRequest(link: link, attach: attach, sender: sender, endpoints: endpoints))
    settle()
  }

  private func admit(_ request: HeldRequest) {
    let (link, attach, sender) = (request.link, request.attach, request.sender)
    switch verdict(on: attach, from: sender) {
    case .refuse(let code): link.assumeIsolated { $0.close(code) }
    case .current: pass(request)
    case .supersede:
      handle(.endRequested(.lost, .givenUp), of: sender)
      settle()
      guard case .current = verdict(on: attach, from: sender) else { return hold(request) }
      pass(request)
    case .begin: hold(request)
    }
  }

  private func verdict(on attach: Attach, from sender: PeerID) -> EndedMemberships.Verdict {
    var current: EndedMemberships.Current?
    if let seat = seats[sender], seat.remoteSession == attach.source {
      current = .init(membership: seat.machine.id, hasJoined: seat.hasJoined)
    }
    return peer.assumeIsolated {
      $0.ended.verdict(on: attach, of: pair(sender, attach.source), current: current)
    }
  }

  /// Has a request wait for its introduction.
  private func hold(_ request: HeldRequest) {
    let (link, sender) = (request.link, request.sender)
    guard phase == .open else { return link.assumeIsolated { $0.close(.unknownSession) } }
    switch roster.admit(sender, request.attach.source, over: link.token, at: now) {
    case .permitted, .full: link.assumeIsolated { $0.close(.full) }
    case .held(let evicted):
      held[link.token] = request
      if let evicted { refuse(evicted) }
    }
  }

  private func pass(_ request: HeldRequest) {
    let (token, attach, sender) = (request.link.token, request.attach, request.sender)
    owners[token] = sender
    seats[sender]?.links[token] = request.link
    seats[sender]?.learn(request.endpoints)
    seats[sender]?.positions[token] = Seat.Position(
      received: attach.received, window: attach.window, terms: attach.terms)
    handle(.attachReceived(token, attach.membership, epoch: attach.epoch), of: sender)
  }

  private func refuse(_ token: LinkToken) {
    guard let request = held.removeValue(forKey: token) else { return }
    request.link.assumeIsolated { $0.close(.notIntroduced) }
  }

  // MARK: Time

  func setTimer() {
    guard let next = timers.next, phase != .ended else { timer?.disarm(); return }
    if timer == nil {
      timer = peer.host.makeTimer { [weak self] in
        self?.assumeIsolated { $0.timerFired() }
      }
    }
    timer?.arm(at: next)
  }

  private func timerFired() {
    while let deadline = timers.popDue(at: now) {
      switch deadline {
      case .member(let member): handle(.deadlineReached, of: member)
      case .joining(let member): resumeJoiners(of: member, false)
      case .roster: settle()
      }
    }
    setTimer()
  }

  var membersInOrder: [PeerID] { seats.keys.sorted() }

  // MARK: Sleeping and ending

  func suspend() { for member in membersInOrder { handle(.suspendRequested, of: member) } }

  func resume() { for member in membersInOrder { handle(.resumeRequested, of: member) } }

  func leave(within limit: Duration) async {
    guard phase != .ended else { return }
    let leaver = Promise<Void>()  // Known before anything ends: waiting may begin later than that.
    leavers.append(leaver)
    beginLeaving(within: limit)
    await leaver.value(cancelled: {})
  }

  /// Begins to leave, unless that was begun before.
  func beginLeaving(within limit: Duration) {
    guard phase == .open else { return }
    phase = .leaving
    directory.end()
    peer.assumeIsolated { $0.withdrawInvitations(to: self) }
    for token in held.keys.sorted() { refuse(token) }
    for member in joiners.keys.sorted() { resumeJoiners(of: member, false) }
    for member in membersInOrder {
      handle(.leaveRequested(.disconnected, within: limit), of: member)
    }
    setTimer()
    finishIfEmpty()
  }

  /// Ends at once and tells only our own side, since the host is down.
  func abandon() {
    guard phase != .ended else { return }
    phase = .leaving
    directory.end()
    for seat in seats.values {
      seat.stream.end()
      directory.close(seat.stream)
    }
    for member in joiners.keys.sorted() { resumeJoiners(of: member, false) }
    (seats, owners, held) = ([:], [:], [:])
    finishIfEmpty()
  }

  func finishIfEmpty() {
    guard phase == .leaving, seats.isEmpty else { return }
    phase = .ended
    timer?.disarm()
    timer = nil
    hub.finish()
    peer.assumeIsolated { $0.sessionEnded(self) }
    let leavers = leavers
    self.leavers = []
    for leaver in leavers { leaver.fulfil(()) }
  }

  private static let dismissalTime = Duration.seconds(5)
  private static let farewellPause = Duration.seconds(1)
}

/// What an invitation has led to.
struct Acceptance {
  let entry: Roster.Entry
  let membership: MembershipID
  let stream: ReliableStream
  let window: UInt64
  let terms: SessionTerms
}
