/// What a session keeps of one member, or of a peer that is about to become one.
struct Seat {
  /// Where ATTACH or ATTACHED said that the remote stands.
  struct Position {
    let received: UInt64
    let window: UInt64
  }

  var machine: MembershipMachine
  let delivery: Delivery
  let remoteSession: SessionID
  var name: String
  var endpoints: [Endpoint]
  var hasJoined = false
  var links: [LinkToken: Link] = [:]
  var positions: [LinkToken: Position] = [:]
  var dialling: Link?
  var roundTrip: Duration?
  var linkCount = 0
  /// What a member said of it while its link was broken: where to begin anew, should it not come back.
  var reintroduction: (entry: Roster.Entry, introducer: PeerID)?

  init(machine: MembershipMachine, delivery: Delivery, _ entry: Roster.Entry) {
    (self.machine, self.delivery) = (machine, delivery)
    remoteSession = entry.session
    (name, endpoints) = (entry.displayName, entry.endpoints)
  }

  var statistics: LinkStatistics {
    let counts = delivery.counts
    let link = machine.link.flatMap { links[$0] }
    return LinkStatistics(
      messagesSent: counts.sent, messagesReceived: counts.received,
      messagesUnacknowledged: counts.unacknowledged,
      bytesSent: link?.assumeIsolated { $0.bytesSent } ?? 0,
      bytesReceived: link?.assumeIsolated { $0.bytesReceived } ?? 0,
      roundTrip: roundTrip, links: linkCount)
  }
}

extension Session {
  /// Takes one event in for a member, and does what follows, events that follow from that included.
  func handle(_ event: MembershipMachine.Event, of member: PeerID) {
    pending.append((member, event))
    guard pending.count == 1 else { return }  // Whoever is at work below goes on with it.
    while let (member, event) = pending.first {
      advance(member, by: event)
      pending.removeFirst()
    }
    setTimer()
  }

  private func advance(_ member: PeerID, by event: MembershipMachine.Event) {
    guard var machine = seats[member]?.machine else { return }
    var actions: [MembershipMachine.Action] = []
    machine.handle(event, at: now, into: &actions)
    seats[member]?.machine = machine
    for action in actions { perform(action, of: member) }
  }

  func perform(_ action: MembershipMachine.Action, of member: PeerID) {
    switch action {
    case .dial: dial(member)
    case .cancelDial: cancelDial(of: member)
    case .sendAttach(let token, let epoch): sendAttach(epoch, on: token, to: member)
    case .sendAttached(let token, let epoch): sendAttached(epoch, on: token, to: member)
    case .carry(let token): carry(member, on: token)
    case .sendLeave(let code): sendLeave(code, to: member)
    case .closeLink(let token, let code): closeLink(token, code, of: member)
    case .wake(let deadline): timers.set(.member(member), at: deadline)
    case .cancelWake: timers.cancel(.member(member))
    case .reportJoined: reportJoined(member)
    case .reportInterrupted(let reason): reportInterrupted(member, reason)
    case .reportResumed: hub.push(.resumed(member))
    case .reportLeft(let departure): reportLeft(member, departure)
    }
  }

  // MARK: Links

  private func dial(_ member: PeerID) {
    guard let seat = seats[member] else { return }
    let current = peer.assumeIsolated { $0.endpoints(of: member, besides: seat.endpoints) }
    let link = peer.assumeIsolated { peer in
      Link(
        peer.makeToken(), dialling: current, expecting: member, context: peer.linkContext,
        owner: self)
    }
    owners[link.token] = member
    seats[member]?.dialling = link
    link.assumeIsolated { $0.start() }
  }

  private func cancelDial(of member: PeerID) {
    guard let link = seats[member]?.dialling else { return }
    seats[member]?.dialling = nil
    owners[link.token] = nil
    link.assumeIsolated { $0.close(.duplicate) }
  }

  private func sendAttach(_ epoch: UInt64, on token: LinkToken, to member: PeerID) {
    guard let seat = seats[member], let link = seat.links[token] else { return }
    let (received, window) = seat.delivery.position()
    let (acknowledged, sent) = seat.delivery.progress
    let attach = Attach(
      source: id, destination: seat.remoteSession, epoch: epoch, received: received,
      window: window, acknowledged: acknowledged, sent: sent)
    link.assumeIsolated { $0.send(attach) }
  }

  private func sendAttached(_ epoch: UInt64, on token: LinkToken, to member: PeerID) {
    guard let seat = seats[member], let link = seat.links[token] else { return }
    let (received, window) = seat.delivery.position()
    link.assumeIsolated {
      $0.send(Attached(epoch: epoch, received: received, window: window))
    }
  }

  private func carry(_ member: PeerID, on token: LinkToken) {
    guard let seat = seats[member], let link = seat.links[token],
      let position = seat.positions[token]
    else { return }
    seats[member]?.positions = [:]
    seats[member]?.linkCount += 1
    do throws(FrameError) {
      try seat.delivery.attach(to: link, received: position.received, window: position.window)
      link.assumeIsolated { $0.carry(seat.delivery) }
    } catch {
      closeLink(token, error.closeCode, of: member)
      handle(.violationFound(token), of: member)
    }
  }

  private func closeLink(_ token: LinkToken, _ code: CloseCode, of member: PeerID) {
    owners[token] = nil
    seats[member]?.positions[token] = nil
    guard let link = seats[member]?.links.removeValue(forKey: token) else { return }
    seats[member]?.delivery.detach(from: link)
    link.assumeIsolated { $0.close(code) }
  }

  private func sendLeave(_ code: CloseCode, to member: PeerID) {
    directory.remove(member)
    guard let delivery = seats[member]?.delivery else { return }
    delivery.append(Leave(code: code))
    delivery.whenFlushed { [weak self] in
      self?.assumeIsolated { $0.handle(.streamFlushed, of: member) }
    }
  }

  // MARK: Reports

  private func reportJoined(_ member: PeerID) {
    guard let seat = seats[member] else { return }
    seats[member]?.hasJoined = true
    directory.add(member, seat.delivery)
    hub.push(.joined(Member(id: member, name: seat.name)))
    introduce(member)
    resumeJoiners(of: member, true)
    peer.assumeIsolated { $0.joined(member, self) }
  }

  private func reportInterrupted(
    _ member: PeerID, _ reason: MembershipMachine.Interruption
  ) {
    if reason != .suspended, reason != .suspending {
      peer.assumeIsolated { $0.doubt(member) }
    }
    hub.push(.interrupted(member, InterruptionReason(reason)))
  }

  func reportLeft(_ member: PeerID, _ departure: MembershipMachine.Departure) {
    guard let seat = seats.removeValue(forKey: member) else { return }
    for token in seat.links.keys { owners[token] = nil }
    timers.cancel(.member(member))
    directory.remove(member)
    let undelivered = seat.delivery.undelivered
    seat.delivery.end()
    directory.close(seat.delivery)
    forget(member)
    if seat.hasJoined {
      hub.push(.left(member, DepartureReason(departure), undelivered: undelivered))
    }
    if let (entry, introducer) = seat.reintroduction, departure == .lost {
      introduced(entry, by: introducer)
    }
    finishIfEmpty()
  }
}

extension InterruptionReason {
  fileprivate init(_ reason: MembershipMachine.Interruption) {
    self =
      switch reason {
      case .linkBroken: .linkBroken
      case .silence: .silence
      case .suspending: .suspending
      case .suspended: .suspended
      }
  }
}

extension DepartureReason {
  fileprivate init(_ departure: MembershipMachine.Departure) {
    self =
      switch departure {
      case .left: .left
      case .lost: .lost
      case .restarted: .restarted
      case .removed: .removed
      case .violation: .violation
      case .disconnected: .disconnected
      case .unreachable: .unreachable
      }
  }
}
