import EarshotCore
import Testing

@Suite("One invitation, from either side")
struct InvitationWalkTests {
  private static let links = [1, 2, 3, 4].map { LinkToken(rawValue: $0) }
  private static let session = SessionID(rawValue: 5)
  // The last one is only for the deadlines that are still to come then.
  private static let times = [0, 300, 5_000, 90_000, 180_000].map {
    Instant.zero + .milliseconds($0)
  }
  private static let deadline = Instant.zero + .seconds(5)

  // MARK: Ours

  private struct Outbound: Hashable {
    var machine: OutboundInvitationMachine
    var time = 0
    var isDialling = true
    var open: Set<LinkToken> = []
    var hasEnded = false

    mutating func take(_ event: OutboundInvitationMachine.Event) -> String? {
      switch event {
      case .dialOpened(let link): (isDialling, _) = (false, open.insert(link))
      case .dialFailed, .dialRefused: isDialling = false
      case .closeReceived(let link, _), .linkBroken(let link): open.remove(link)
      default: break
      }
      var actions: [OutboundInvitationMachine.Action] = []
      machine.handle(event, at: times[time], into: &actions)
      return actions.reduce(nil) { $0 ?? note($1, accepting: event) }
    }

    private mutating func note(
      _ action: OutboundInvitationMachine.Action, accepting event: OutboundInvitationMachine.Event
    ) -> String? {
      switch action {
      case .dial:
        if isDialling || !open.isEmpty { return "it dials beside another way" }
        isDialling = true
      case .cancelDial:
        if !isDialling { return "it cancels no dial" }
        isDialling = false
      case .sendInvite(let link), .sendCancel(let link, _):
        if !open.contains(link) { return "it speaks over a link that is closed" }
      case .sendAttached(let link, _):
        if open.remove(link) == nil { return "it confirms over a link that is closed" }
      case .closeLink(let link, _):
        if open.remove(link) == nil, event != .acceptReceived(link, session) {
          return "it closes a link twice"
        }
      case .reportOutcome:
        if hasEnded { return "it ends twice" }
        hasEnded = true
      case .wake, .cancelWake: break
      }
      return nil
    }

    var events: [OutboundInvitationMachine.Event] {
      var events: [OutboundInvitationMachine.Event] = [
        .deadlineReached, .cancelRequested, .yieldRequested, .peerJoined, .counterpartFailed,
        .suspendRequested, .resumeRequested, .peerGone,
      ]
      if isDialling {
        events += [
          .dialFailed, .dialRefused(.full), .dialRefused(.handshakeTimeout),
          .dialRefused(.suspending),
        ]
        events += links.filter { !open.contains($0) }.prefix(1).map { .dialOpened($0) }
      }
      for link in links where open.contains(link) {
        events += [
          .acceptReceived(link, session), .declineReceived(link, .busy),
          .closeReceived(link, .duplicate), .closeReceived(link, .expired), .linkBroken(link),
        ]
      }
      return events
    }

    var later: Outbound {
      var later = self
      later.time += 1
      return later
    }

    /// Whether nothing is open once its deadline has passed.
    var isCleanAtTheEnd: Bool {
      var last = self
      last.time = times.count - 1
      let complaint = last.take(.deadlineReached)
      return complaint == nil && last.hasEnded && last.open.isEmpty && !last.isDialling
    }
  }

  @Test(
    "An invitation of ours ends once, soon after its deadline at the latest, and leaves nothing open"
  )
  func outbound() {
    var actions: [OutboundInvitationMachine.Action] = []
    let machine = OutboundInvitationMachine(
      until: Self.deadline, random: RandomStream(seed: 0), into: &actions)
    var seen: Set<Outbound> = []
    var ahead = [Outbound(machine: machine)]
    while let state = ahead.popLast() {
      guard seen.insert(state).inserted, seen.count < 20_000 else { continue }
      for event in state.events {
        var next = state
        #expect(next.take(event) == nil, "\(event) in \(state)")
        if state.machine.isEnded == false { ahead.append(next) }
      }
      if state.time + 2 < Self.times.count { ahead.append(state.later) }
      #expect(state.isCleanAtTheEnd, "\(state)")
    }
    #expect(seen.count >= 50)
  }

  // MARK: Theirs

  private struct Inbound: Hashable {
    var machine: InboundInvitationMachine
    var time = 0
    var open: Set<LinkToken>
    var isOffered = false
    var hasEnded = false

    mutating func take(_ event: InboundInvitationMachine.Event) -> String? {
      switch event {
      case .inviteReceived(let link), .attachReceived(let link): open.insert(link)
      case .closeReceived(let link, _), .linkBroken(let link): open.remove(link)
      default: break
      }
      var actions: [InboundInvitationMachine.Action] = []
      machine.handle(event, at: times[time], into: &actions)
      return actions.reduce(nil) { $0 ?? note($1) }
    }

    private mutating func note(_ action: InboundInvitationMachine.Action) -> String? {
      switch action {
      case .sendAccept(let link, _), .sendDecline(let link, _):
        return open.contains(link) ? nil : "it speaks over a link that is closed"
      case .closeLink(let link, _):
        return open.remove(link) == nil ? "it closes a link twice" : nil
      case .reportOffered:
        defer { isOffered = true }
        if isOffered { return "it is offered twice" }
      case .reportAttaching(let link, _):
        if hasEnded { return "what has ended attaches" }
        return open.remove(link) == nil ? "it attaches over a link that is closed" : nil
      case .reportJoined(let link, _):
        defer { hasEnded = true }
        if hasEnded { return "it ends twice" }
        return open.remove(link) == nil ? "it joins over a link that is closed" : nil
      case .reportSuperseded: return hasEnded ? "what has ended is superseded" : nil
      case .reportTakenBack: return hasEnded ? "what has ended is taken back" : nil
      case .reportWithdrawn, .reportDeclined, .reportFailed:
        defer { hasEnded = true }
        return hasEnded ? "it ends twice" : nil
      case .wake, .cancelWake: break
      }
      return nil
    }

    var events: [InboundInvitationMachine.Event] {
      var events: [InboundInvitationMachine.Event] = [
        .acceptRequested(session), .declineRequested(.declined), .offerRequested,
        .dismissRequested(.duplicate), .dismissRequested(.takenBack), .deadlineReached,
        .suspendRequested, .resumeRequested, .inviterJoined, .joiningFailed,
      ]
      let fresh = links.filter { !open.contains($0) }.prefix(1)
      events += fresh.map { .inviteReceived($0) }
      if machine.acceptedSession != nil { events += fresh.map { .attachReceived($0) } }
      if !open.isEmpty { events += [.cancelReceived(.cancelled), .cancelReceived(.timedOut)] }
      for link in machine.links {
        events += [
          .attachedReceived(link),
          .closeReceived(link, .duplicate), .closeReceived(link, .expired),
          .closeReceived(link, .suspending), .linkBroken(link),
        ]
      }
      return events
    }

    var later: Inbound {
      var later = self
      later.time += 1
      return later
    }

    /// Whether nothing is open once its last deadline has passed.
    var isCleanAtTheEnd: Bool {
      var last = self
      last.time = times.count - 1
      let complaint = last.take(.deadlineReached)
      return complaint == nil && last.machine.isEnded && last.open.isEmpty
    }
  }

  @Test(
    "An invitation of theirs is offered once, ends once, and leaves nothing open",
    arguments: [
      InboundInvitationMachine.Beginning.offered, .reserved,
      .accepted(SessionID(rawValue: 5)),
    ])
  func inbound(beginning: InboundInvitationMachine.Beginning) {
    var actions: [InboundInvitationMachine.Action] = []
    let machine = InboundInvitationMachine(
      over: Self.links[0], until: Self.deadline, beginning: beginning, at: .zero, into: &actions)
    var seen: Set<Inbound> = []
    let isOffered = beginning == .offered
    var ahead = [Inbound(machine: machine, open: [Self.links[0]], isOffered: isOffered)]
    while let state = ahead.popLast() {
      guard seen.insert(state).inserted, seen.count < 20_000 else { continue }
      if !state.machine.isEnded {
        for event in state.events {
          var next = state
          #expect(next.take(event) == nil, "\(event) in \(state)")
          ahead.append(next)
        }
      }
      if state.time + 2 < Self.times.count { ahead.append(state.later) }
      #expect(state.isCleanAtTheEnd, "\(state)")
    }
    #expect(seen.count >= 20)
  }

  @Test("An inviter that comes back again and again does not keep an acceptance waiting for ever")
  func bounded() {
    var actions: [InboundInvitationMachine.Action] = []
    var machine = InboundInvitationMachine(
      over: Self.links[0], until: Self.deadline, beginning: .accepted(Self.session), at: .zero,
      into: &actions)
    for second in 1...20 where !machine.isEnded {
      let (now, link) = (Instant.zero + .seconds(second), LinkToken(rawValue: UInt64(second + 10)))
      machine.handle(.inviteReceived(link), at: now, into: &actions)
      machine.handle(.deadlineReached, at: now, into: &actions)
      #expect(machine.isEnded == (second >= 9))
    }
    #expect(actions.contains(.reportFailed(.unconfirmed)))
  }
}
