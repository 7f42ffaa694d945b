/// A request to attach that came before its introduction.
struct HeldRequest {
  let link: Link
  let attach: Attach
  let sender: PeerID
}

extension Session: LinkOwner {
  nonisolated func linkOpened(_ link: Link, greeting: Hello) {
    assumeIsolated { $0.opened(link, greeting) }
  }

  nonisolated func link(_ link: Link, received frame: Frame) {
    assumeIsolated { $0.received(frame, on: link) }
  }

  nonisolated func link(_ link: Link, received messages: [SessionEvent]) {
    assumeIsolated { session in
      guard session.owners[link.token] != nil else { return }
      session.hub.push(messages)
    }
  }

  nonisolated func link(_ link: Link, measured roundTrip: Duration) {
    assumeIsolated { session in
      guard let member = session.owners[link.token] else { return }
      session.seats[member]?.roundTrip = roundTrip
    }
  }

  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { $0.ended(link, end) }
  }

  // MARK: What links say

  private func opened(_ link: Link, _ greeting: Hello) {
    guard let member = owners[link.token] else { return }
    seats[member]?.dialling = nil
    seats[member]?.links[link.token] = link
    seats[member]?.name = greeting.displayName
    handle(.dialOpened(link.token), of: member)
  }

  private func received(_ frame: Frame, on link: Link) {
    guard let member = owners[link.token] else { return }
    switch frame {
    case .attached(let attached):
      seats[member]?.positions[link.token] = Seat.Position(
        received: attached.received, window: attached.window)
      handle(.attachedReceived(link.token, epoch: attached.epoch), of: member)
    case .introduce(let introduction): introduced(introduction, by: member)
    case .leave(let leave): handle(.leaveReceived(leave.code), of: member)
    case .hello, .invite, .accept, .decline, .cancel, .attach, .ping, .pong, .acknowledgement,
      .close:
      link.assumeIsolated { $0.close(.protocolViolation, text: "That frame must not come now.") }
      drop(link, of: member)
      handle(.violationFound(link.token), of: member)
    }
  }

  private func ended(_ link: Link, _ end: LinkEnd) {
    if held.removeValue(forKey: link.token) != nil { roster.linkEnded(link.token) }
    guard let member = owners[link.token] else { return }
    let wasDialling = seats[member]?.dialling === link
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
    if seats[member]?.dialling === link { seats[member]?.dialling = nil }
    seats[member]?.links[link.token] = nil
    seats[member]?.positions[link.token] = nil
    seats[member]?.delivery.detach(from: link)
  }

  // MARK: Joining

  /// A membership's two streams.
  func makeDelivery() -> Delivery {
    var bounds = ReliableMachine.Configuration()
    bounds.messageBytesMax = configuration.messageBytesMax
    bounds.outboundBytesMax = configuration.outboxBytesMax
    bounds.windowBytes = max(configuration.windowBytes, InboundLedger.windowBytesMin)
    lastDelivery += 1
    return Delivery(Delivery.ID(rawValue: lastDelivery), bounds, on: peer.network)
  }

  /// Takes over the link of an invitation that was accepted and confirmed.
  ///
  /// - Returns: Whether there was a seat.
  func join(_ link: Link, _ entry: Roster.Entry, _ delivery: Delivery, window: UInt64) -> Bool {
    guard phase == .open else { return false }
    if let seat = seats[entry.peer] {
      end(seat, of: entry.peer, seat.remoteSession == entry.session ? .lost : .restarted)
    }
    guard roster.reserve(for: entry.peer) == .reserved else { return false }
    var actions: [MembershipMachine.Action] = []
    let machine = MembershipMachine(
      over: link.token, local: peer.id, remote: entry.peer, configuration: patience,
      random: RandomStream(seed: random.next()), into: &actions)
    var seat = Seat(machine: machine, delivery: delivery, entry)
    seat.links[link.token] = link
    seat.positions[link.token] = Seat.Position(received: 0, window: window)
    seats[entry.peer] = seat
    owners[link.token] = entry.peer
    link.assumeIsolated { $0.handOver(to: self) }
    for action in actions { perform(action, of: entry.peer) }
    setTimer()
    return true
  }

  /// Makes room for a membership whose first sign is the ATTACH of an invitation that we accepted.
  ///
  /// - Returns: Whether there was a seat.
  func expectAttaching(_ entry: Roster.Entry, _ delivery: Delivery) -> Bool {
    guard phase == .open else { return false }
    if seats[entry.peer]?.remoteSession == entry.session { return true }  // It was introduced, too.
    guard seats[entry.peer] == nil, roster.readmit(entry) else { return false }
    begin(entry, delivery)
    return true
  }

  /// Whether a peer's session was asked to attach and has not answered yet.
  func isAsking(_ member: PeerID, _ remote: SessionID) -> Bool {
    guard let seat = seats[member], seat.remoteSession == remote else { return false }
    return seat.machine.isAsking
  }

  /// Tells whether a peer is a member, as soon as that is known.
  ///
  /// - Parameters:
  ///   - member: The peer.
  ///   - isComing: Whether it is about to become one.
  ///   - tell: Called at once if it is a member already, or if it is not coming.
  func whenJoined(
    _ member: PeerID, isComing: Bool, _ tell: @escaping @Sendable (Bool) -> Void
  ) {
    let isMember = roster.isMember(member)
    guard isComing || seats[member] != nil, !isMember, phase == .open else {
      return tell(isMember)
    }
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
    assumeIsolated { $0.roster.cancelReservation(for: peer) }
  }

  /// Gives a membership up whose peer begins another one.
  private func end(
    _ seat: Seat, of member: PeerID, _ departure: MembershipMachine.Departure
  ) {
    if let link = seat.dialling { link.assumeIsolated { $0.close(.duplicate) } }
    for token in seat.links.keys.sorted() {
      owners[token] = nil
      seat.links[token]?.assumeIsolated { $0.close(.duplicate) }
    }
    reportLeft(member, departure)
  }

  private var patience: MembershipMachine.Configuration {
    var patience = MembershipMachine.Configuration()
    patience.patience = configuration.patience
    return patience
  }

  private func introduced(_ introduction: Introduce, by introducer: PeerID) {
    introduced(
      Roster.Entry(
        peer: introduction.peer, session: introduction.session,
        displayName: introduction.displayName,
        endpoints: introduction.endpoints.filter { !$0.address.isMulticast }), by: introducer)
  }

  func introduced(_ entry: Roster.Entry, by introducer: PeerID) {
    guard phase == .open else { return }
    switch roster.introduce(entry, by: introducer) {
    case .expected(let waiting): expect(entry, waiting)
    case .known: update(entry, by: introducer)
    case .full, .ourselves, .notPermitted: break
    }
  }

  /// Learns where a peer is that has a seat already, and that others may have begun anew with it.
  private func update(_ entry: Roster.Entry, by introducer: PeerID) {
    guard let seat = seats[entry.peer], seat.remoteSession == entry.session else { return }
    seats[entry.peer]?.endpoints = entry.endpoints
    if seat.hasJoined, seat.machine.link == nil {
      seats[entry.peer]?.reintroduction = (entry, introducer)
    }
  }

  private func expect(_ entry: Roster.Entry, _ waiting: LinkToken?) {
    guard seats[entry.peer] == nil else { return }
    begin(entry, makeDelivery())
    if let waiting, let request = held.removeValue(forKey: waiting) { admit(request) }
    setTimer()
  }

  /// Looks for a peer that may attach, and waits for it.
  private func begin(_ entry: Roster.Entry, _ delivery: Delivery) {
    var actions: [MembershipMachine.Action] = []
    let machine = MembershipMachine(
      introducing: entry.peer, to: peer.id, configuration: patience,
      random: RandomStream(seed: random.next()), at: now, into: &actions)
    seats[entry.peer] = Seat(machine: machine, delivery: delivery, entry)
    for action in actions { perform(action, of: entry.peer) }
  }

  /// Tells the new member of the others, and the others of it.
  func introduce(_ member: PeerID) {
    guard let seat = seats[member] else { return }
    let entry = Roster.Entry(
      peer: member, session: seat.remoteSession, displayName: seat.name,
      endpoints: seat.endpoints)
    for introduction in roster.join(entry) ?? [] {
      let subject = introduction.subject
      seats[introduction.reader]?.delivery.append(
        Introduce(
          peer: subject.peer, session: subject.session, displayName: subject.displayName,
          endpoints: Array(subject.endpoints.prefix(FrameBounds.endpointsMax))))
    }
  }

  func forget(_ member: PeerID) { roster.leave(member, at: now) }

  // MARK: Attaching

  /// Takes a link whose dialler asks to attach to this session.
  func attach(_ link: Link, _ attach: Attach, from sender: PeerID) {
    link.assumeIsolated { $0.handOver(to: self) }
    let request = HeldRequest(link: link, attach: attach, sender: sender)
    switch roster.attach(sender, attach.source, over: link.token, at: now) {
    case .permitted: admit(request)
    case .held(let evicted):
      held[link.token] = request
      if let evicted { refuse(evicted) }
    }
    setTimer()
  }

  private func admit(_ request: HeldRequest) {
    let (link, sender) = (request.link, request.sender)
    guard let seat = seats[sender], seat.remoteSession == request.attach.source else {
      return link.assumeIsolated { $0.close(.notIntroduced) }
    }
    switch seat.delivery.compare(with: request.attach) {
    case .agrees: break
    case .weForgot: return link.assumeIsolated { $0.close(.notIntroduced) }
    case .remoteForgot:
      guard let entry = roster[sender] else { return }
      end(seat, of: sender, phase == .open ? .lost : .disconnected)
      guard phase == .open else { return link.assumeIsolated { $0.close(.unknownSession) } }
      guard roster.readmit(entry) else { return link.assumeIsolated { $0.close(.full) } }
      begin(entry, makeDelivery())
    }
    owners[link.token] = sender
    seats[sender]?.links[link.token] = link
    seats[sender]?.positions[link.token] = Seat.Position(
      received: request.attach.received, window: request.attach.window)
    handle(.attachReceived(link.token, epoch: request.attach.epoch), of: sender)
  }

  private func refuse(_ token: LinkToken) {
    guard let request = held.removeValue(forKey: token) else { return }
    request.link.assumeIsolated { $0.close(.notIntroduced) }
  }

  // MARK: Time

  func setTimer() {
    if let deadline = roster.nextDeadline {
      timers.set(.roster, at: deadline)
    } else {
      timers.cancel(.roster)
    }
    guard let next = timers.next, phase != .ended else { timer?.disarm(); return }
    if timer == nil {
      timer = peer.network.makeTimer { [weak self] in
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
      case .roster: expire()
      case .farewell: for member in membersInOrder { handle(.streamFlushed, of: member) }
      }
    }
    setTimer()
  }

  private func expire() {
    for expiry in roster.expire(at: now) {
      switch expiry {
      case .held(let token): refuse(token)
      case .introduction(let member): handle(.removeRequested, of: member)
      }
    }
  }

  var membersInOrder: [PeerID] { seats.keys.sorted() }

  // MARK: Sleeping and ending

  func suspend() { for member in membersInOrder { handle(.suspendRequested, of: member) } }

  func resume() { for member in membersInOrder { handle(.resumeRequested, of: member) } }

  func leave(within limit: Duration) async {
    beginLeaving(within: limit)
    guard phase != .ended else { return }
    await withUnsafeContinuation { leavers.append($0) }
  }

  /// Begins to leave, unless that was begun before.
  func beginLeaving(within limit: Duration) {
    guard phase == .open else { return }
    phase = .leaving
    directory.end()
    peer.assumeIsolated { $0.withdrawInvitations(to: self) }
    for token in held.keys.sorted() { refuse(token) }
    for member in joiners.keys.sorted() { resumeJoiners(of: member, false) }
    timers.set(.farewell, at: now + limit)
    for member in membersInOrder { handle(.disconnectRequested, of: member) }
    setTimer()
    finishIfEmpty()
  }

  /// Ends at once and tells only our own side, since the host is down.
  func abandon() {
    guard phase != .ended else { return }
    phase = .leaving
    directory.end()
    for seat in seats.values {
      seat.delivery.end()
      directory.close(seat.delivery)
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
    for leaver in leavers { leaver.resume() }
  }
}
