/// What a session keeps of one member, or of a peer that is about to become one.
struct Seat {
  /// Where ACCEPT, ATTACH or ATTACHED said that the remote stands.
  struct Position {
    let received: UInt64
    let window: UInt64
    let terms: SessionTerms
  }

  var machine: MembershipMachine
  let stream: ReliableStream
  let remoteSession: SessionID
  var name: String
  var endpoints: [Endpoint]
  var seniority: UInt64
  var capacity: Int
  var joined: Instant?  // When it did.
  var links: [LinkToken: Link] = [:]
  var positions: [LinkToken: Position] = [:]
  var dials: [LinkToken: Link] = [:]
  var attempts = 0  // To dial, since there was a link.
  var roundTrip: Duration?
  var linkCount = 0
  private let peer: PeerID

  init(machine: MembershipMachine, stream: ReliableStream, _ entry: Roster.Entry) {
    (self.machine, self.stream) = (machine, stream)
    (peer, remoteSession) = (entry.peer, entry.session)
    (name, endpoints) = (entry.displayName, entry.endpoints)
    (seniority, capacity) = (entry.seniority, entry.capacity)
  }

  var hasJoined: Bool { joined != nil }

  /// What others are told of it.
  var entry: Roster.Entry {
    Roster.Entry(
      peer: peer, session: remoteSession, seniority: seniority, capacity: capacity,
      displayName: name, endpoints: endpoints)
  }

  /// Learns where it listens now; what was known before comes behind.
  mutating func learn(_ current: [Endpoint]) {
    endpoints = current + endpoints.filter { !current.contains($0) }
    endpoints = Array(endpoints.prefix(FrameBounds.endpointsMax))
  }

  var statistics: LinkStatistics {
    let counts = stream.counts
    let link = machine.link.flatMap { links[$0] }
    return LinkStatistics(
      messagesSent: counts.sent, messagesReceived: counts.received,
      messagesUnacknowledged: counts.unacknowledged,
      bytesSent: link?.assumeIsolated { $0.traffic.sent } ?? 0,
      bytesReceived: link?.assumeIsolated { $0.traffic.received } ?? 0,
      roundTrip: link?.assumeIsolated { $0.roundTrip } ?? roundTrip, links: linkCount)
  }
}

extension SessionCore {
  /// Takes one event in for a member, and does what follows, events that follow from that included.
  func handle(_ event: MembershipMachine.Event, of member: PeerID) {
    pending.append((member, event))
    guard pending.count == 1 else { return }  // Whoever is at work below goes on with it.
    while let (member, event) = pending.first {
      advance(member, by: event)
      pending.removeFirst()
    }
    if isUnsettled { settle() } else { setTimer() }
  }

  private func advance(_ member: PeerID, by event: MembershipMachine.Event) {
    guard var machine = seats[member]?.machine else { return }
    var actions: [MembershipMachine.Action] = []
    let wasAsking = machine.isAsking
    machine.handle(event, at: now, into: &actions)
    seats[member]?.machine = machine
    if wasAsking, !machine.isAsking { isUnsettled = true }  // Perhaps it was kept for that alone.
    for action in actions { perform(action, of: member) }
  }

  func perform(_ action: MembershipMachine.Action, of member: PeerID) {
    switch action {
    case .dial: dial(member)
    case .cancelDials: cancelDials(of: member)
    case .sendAttach(let token, let epoch): sendAttach(epoch, on: token, to: member)
    case .sendAttached(let token, let epoch): sendAttached(epoch, on: token, to: member)
    case .carry(let token): carry(member, on: token)
    case .sendLeave(let code): sendLeave(code, to: member)
    case .closeLink(let token, let code): closeLink(token, code, of: member)
    case .wake(let deadline): timers.set(.member(member), at: deadline)
    case .cancelWake: timers.cancel(.member(member))
    case .reportJoined: reportJoined(member)
    case .reportInterrupted(let reason): reportInterrupted(member, reason)
    case .reportResumed: reportResumed(member)
    case .reportDelivered: seats[member]?.stream.acknowledgeAll()
    case .reportLeft(let departure, let code): reportLeft(member, departure, code)
    }
  }

  // MARK: Links

  private func dial(_ member: PeerID) {
    guard let seat = seats[member] else { return }
    let known = seat.endpoints + roster.hearsay(of: member)
    let endpoints = peer.assumeIsolated { $0.endpoints(of: member, besides: known) }
    let first = endpoints.isEmpty ? 0 : seat.attempts % endpoints.count
    let current = Array(endpoints[first...] + endpoints[..<first])  // Each is first in turn.
    seats[member]?.attempts += 1
    let link = peer.assumeIsolated { peer in
      Link(
        peer.makeToken(), dialling: current, expecting: member, context: peer.linkContext,
        owner: self)
    }
    owners[link.token] = member
    seats[member]?.dials[link.token] = link
    link.assumeIsolated { $0.start() }
  }

  private func cancelDials(of member: PeerID) {
    guard let dials = seats[member]?.dials else { return }
    seats[member]?.dials = [:]
    for token in dials.keys.sorted() {
      owners[token] = nil
      dials[token]?.assumeIsolated { $0.close(.duplicate) }
    }
  }

  private func sendAttach(_ epoch: UInt64, on token: LinkToken, to member: PeerID) {
    guard let seat = seats[member], let link = seat.links[token] else { return }
    let (received, window) = seat.stream.position()
    let ended = peer.assumeIsolated { $0.ended[pair(member, seat.remoteSession)] }
    let attach = Attach(
      source: id, destination: seat.remoteSession, membership: seat.machine.id,
      isProposal: !seat.hasJoined, ended: ended?.membership ?? .none, epoch: epoch,
      received: received, window: window, terms: terms)
    link.assumeIsolated { $0.send(attach) }
  }

  private func sendAttached(_ epoch: UInt64, on token: LinkToken, to member: PeerID) {
    guard let seat = seats[member], let link = seat.links[token] else { return }
    let (received, window) = seat.stream.position()
    let attached = Attached(
      membership: seat.machine.id, epoch: epoch, received: received, window: window,
      terms: terms)
    link.assumeIsolated { $0.send(attached) }
  }

  private func carry(_ member: PeerID, on token: LinkToken) {
    guard let seat = seats[member], let link = seat.links[token],
      let position = seat.positions[token]
    else { return }
    seats[member]?.positions = [:]
    seats[member]?.attempts = 0
    seats[member]?.linkCount += 1
    seats[member]?.seniority = position.terms.seniority
    seats[member]?.capacity = position.terms.capacity
    seat.stream.remoteMessageBytesMax = position.terms.messageBytesMax
    do throws(FrameError) {
      try seat.stream.attach(to: link, received: position.received, window: position.window)
      link.assumeIsolated { $0.carry(seat.stream) }
    } catch {
      closeLink(token, error.closeCode, of: member)
      handle(.violationFound(token), of: member)
    }
  }

  private func closeLink(_ token: LinkToken, _ code: CloseCode, of member: PeerID) {
    owners[token] = nil
    seats[member]?.positions[token] = nil
    guard let link = seats[member]?.links.removeValue(forKey: token) else { return }
    seats[member]?.stream.detach(from: link)
    link.assumeIsolated { $0.close(code) }
  }

  private func sendLeave(_ code: CloseCode, to member: PeerID) {
    directory.remove(member)
    guard let stream = seats[member]?.stream else { return }
    stream.append(Leave(code: code))
    stream.whenFlushed { [weak self] in
      self?.assumeIsolated { $0.handle(.streamFlushed, of: member) }
    }
  }

  // MARK: Reports

  private func reportJoined(_ member: PeerID) {
    guard let seat = seats[member] else { return }
    seats[member]?.joined = now
    directory.add(member, seat.stream)
    hub.push(.joined(Member(id: member, name: seat.name)))
    introduce(member)
    resumeJoiners(of: member, true)
    peer.assumeIsolated { $0.joined(member, seat.remoteSession, self) }
  }

  private func reportInterrupted(
    _ member: PeerID, _ reason: MembershipMachine.Interruption
  ) {
    if reason != .suspended, reason != .suspending {
      peer.assumeIsolated { $0.doubt(member) }
    }
    hub.push(.interrupted(member, InterruptionReason(reason)))
  }

  private func reportResumed(_ member: PeerID) {
    hub.push(.resumed(member))
    reintroduce(member)
  }

  private func reportLeft(
    _ member: PeerID, _ departure: MembershipMachine.Departure, _ code: CloseCode
  ) {
    guard let seat = seats.removeValue(forKey: member) else { return }
    for token in seat.links.keys { owners[token] = nil }
    timers.cancel(.member(member))
    if seat.hasJoined { directory.remove(member) }
    let undelivered = seat.stream.undelivered
    seat.stream.end()
    directory.close(seat.stream)
    peer.assumeIsolated {
      $0.ended.remember(seat.machine.id, of: pair(member, seat.remoteSession), code)
    }
    forget(member, seat.remoteSession, departure)
    if seat.hasJoined {
      hub.push(.left(member, DepartureReason(departure), undelivered: undelivered))
    }
    finishIfEmpty()
    settle()
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
      case .full: .full
      case .violation: .violation
      case .disconnected: .disconnected
      case .unreachable: .unreachable
      }
  }
}
