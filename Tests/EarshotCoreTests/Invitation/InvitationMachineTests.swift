import EarshotCore
import TestKit
import Testing

/// Every state that one invitation can reach, from either side.
@Suite("One invitation")
struct InvitationMachineTests {
  @Test("Ours has one outcome, in every order of events, and never more than one link or dial")
  func outbound() {
    typealias Machine = OutboundInvitationMachine
    var actions: [Machine.Action] = []
    let start = Machine(
      until: .zero + .seconds(20), random: RandomStream(seed: 1), into: &actions)
    var seen: Set<Machine> = [start]
    var states = [start]
    let events: [Machine.Event] = [
      .dialOpened(link), .dialFailed, .dialRefused(.unsupportedVersion), .dialRefused(.done),
      .acceptReceived(link, session), .acceptReceived(other, session),
      .declineReceived(link, .declined), .closeReceived(link, .full), .closeReceived(link, .done),
      .linkBroken(link), .linkBroken(other), .cancelRequested, .yieldRequested, .peerJoined,
      .peerGone,
      .counterpartFailed, .deadlineReached, .suspendRequested, .resumeRequested,
    ]
    while let state = states.popLast(), seen.count < 5_000 {
      for event in events {
        for now in [Instant.zero, .zero + .seconds(20)] {
          var next = state
          actions = []
          next.handle(event, at: now, into: &actions)
          let outcomes = actions.count { if case .reportOutcome = $0 { true } else { false } }
          #expect(outcomes == (next.isEnded && !state.isEnded ? 1 : 0))
          #expect(!state.isEnded || next.isEnded)
          #expect(actions.count { $0 == .dial } <= 1)
          if let held = state.link, held != next.link, !event.isEnd(of: held) {
            let isKept = actions.contains(.sendAttached(held, Self.session))
            let isClosed = actions.contains {
              if case .closeLink(held, _) = $0 { true } else { false }
            }
            #expect(isKept != isClosed)
          }
          if seen.insert(next).inserted { states.append(next) }
        }
      }
    }
    #expect(seen.contains { $0.isEnded } && seen.contains { $0.isYielded } && seen.count > 10)
  }

  @Test("After its deadline ours is over, also when another took its place")
  func outboundDeadline() {
    let beginnings: [(isYielded: Bool, events: [OutboundInvitationMachine.Event])] = [
      (false, []), (false, [.dialOpened(Self.link)]), (false, [.yieldRequested]), (true, []),
      (false, [.dialOpened(Self.link), .linkBroken(Self.link)]),
      (false, [.dialOpened(Self.link), .yieldRequested, .suspendRequested]),
    ]
    for (isYielded, events) in beginnings {
      var actions: [OutboundInvitationMachine.Action] = []
      var machine = OutboundInvitationMachine(
        until: .zero + .seconds(20), yielded: isYielded, random: RandomStream(seed: 1),
        into: &actions)
      for event in events { machine.handle(event, at: .zero, into: &actions) }
      let wakes = actions.compactMap { if case .wake(let instant) = $0 { instant } else { nil } }
      #expect(wakes.last.map { $0 <= .zero + .seconds(20) } == true)
      #expect(!actions.contains(.cancelWake))
      machine.handle(.deadlineReached, at: .zero + .seconds(20), into: &actions)
      #expect(actions.last == .reportOutcome(.timedOut))
    }
  }

  @Test(
    "Theirs ends with one report, in every order of events, and closes every link it does not hand on"
  )
  func inbound() {
    typealias Machine = InboundInvitationMachine
    let beginnings: [Machine.Beginning] = [.offered, .reserved, .accepted(Self.session)]
    let events: [Machine.Event] = [
      .inviteReceived(Self.other), .acceptRequested(Self.session), .declineRequested(.declined),
      .offerRequested, .dismissRequested(.duplicate), .dismissRequested(.expired),
      .cancelReceived(.cancelled), .attachedReceived(Self.link), .attachedReceived(Self.other),
      .attachReceived(Self.third), .closeReceived(Self.link, .expired),
      .closeReceived(Self.other, .duplicate), .linkBroken(Self.link), .linkBroken(Self.other),
      .deadlineReached, .suspendRequested, .resumeRequested, .inviterJoined, .joiningFailed,
      .dismissRequested(.takenBack),
    ]
    for beginning in beginnings {
      var actions: [Machine.Action] = []
      let start = Machine(
        over: Self.link, until: .zero + .seconds(20), beginning: beginning, at: .zero,
        into: &actions)
      var seen: Set<Machine> = [start]
      var states = [start]
      while let state = states.popLast() {
        for event in events where !state.isAgain(event) {
          for now in [Instant.zero, .zero + .seconds(20)] {
            var next = state
            actions = []
            next.handle(event, at: now, into: &actions)
            let isTold = event == .inviterJoined || event == .joiningFailed
            let isSilent = (state.isReserved || isTold) && !actions.contains { $0.isFinal }
            let finals = actions.count(where: \.isFinal)
            #expect(finals == (next.isEnded && !state.isEnded && !isSilent ? 1 : 0))
            for held in state.links where !next.links.contains(held) && !event.isEnd(of: held) {
              #expect(actions.contains { $0.disposes(of: held) })
            }
            if seen.insert(next).inserted { states.append(next) }
          }
        }
      }
      #expect(seen.contains { $0.isEnded } && seen.count > 3)
    }
  }

  private static let link = LinkToken(rawValue: 1)
  private static let other = LinkToken(rawValue: 2)
  private static let third = LinkToken(rawValue: 3)
  private static let session = SessionID(rawValue: 9)
  private var link: LinkToken { Self.link }
  private var other: LinkToken { Self.other }
  private var session: SessionID { Self.session }
}

extension OutboundInvitationMachine.Event {
  fileprivate func isEnd(of link: LinkToken) -> Bool {
    switch self {
    case .linkBroken(link), .closeReceived(link, _): true
    default: false
    }
  }
}

extension InboundInvitationMachine.Event {
  fileprivate func isEnd(of link: LinkToken) -> Bool {
    switch self {
    case .linkBroken(link), .closeReceived(link, _): true
    default: false
    }
  }
}

extension InboundInvitationMachine {
  /// Whether an INVITE would come over a link where one came already, which the table does not pass on.
  fileprivate func isAgain(_ event: Event) -> Bool {
    if case .inviteReceived(let link) = event { links.contains(link) } else { false }
  }
}

extension InboundInvitationMachine.Action {
  fileprivate var isFinal: Bool {
    switch self {
    case .reportWithdrawn, .reportDeclined, .reportJoined, .reportFailed: true
    case .sendAccept, .sendDecline, .closeLink, .wake, .cancelWake, .reportOffered,
      .reportAttaching, .reportSuperseded, .reportTakenBack:
      false
    }
  }

  fileprivate func disposes(of link: LinkToken) -> Bool {
    switch self {
    case .closeLink(link, _), .reportJoined(link, _): true
    default: false
    }
  }
}
