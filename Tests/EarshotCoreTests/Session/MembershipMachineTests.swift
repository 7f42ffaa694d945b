import EarshotCore
import TestKit
import Testing

@Suite("Membership")
struct MembershipMachineTests {
  typealias Event = MembershipMachine.Event
  typealias Action = MembershipMachine.Action

  // MARK: Transitions

  struct Transition: CustomTestStringConvertible, Sendable {
    let law: String
    let before: [Event]
    let event: Event
    var after = Duration.milliseconds(250)
    let actions: [Action]
    var isSmaller = true

    var testDescription: String { law }
  }

  static let transitions: [Transition] = [
    Transition(
      law: "The smaller dials at once when the link breaks",
      before: [], event: .linkBroken(first, .silence),
      actions: [.reportInterrupted(.silence), .dial, .wake(at: .zero + .seconds(1))]),
    Transition(
      law: "A dial that is not answered does not hold up the next one",
      before: [.linkBroken(first, .silence)], event: .deadlineReached, after: .seconds(1),
      actions: [.dial, .wake(at: .zero + .seconds(2))]),
    Transition(
      law: "Of several dials the first that opens asks, and the others end",
      before: [.linkBroken(first, .silence), .deadlineReached], event: .dialOpened(second),
      after: .seconds(1),
      actions: [
        .cancelDials, .sendAttach(second, epoch: 2), .wake(at: .zero + .seconds(16)),
      ]),
    Transition(
      law: "The larger waits a quarter of a second",
      before: [], event: .linkBroken(first, .linkBroken),
      actions: [.reportInterrupted(.linkBroken), .wake(at: .zero + .milliseconds(250))],
      isSmaller: false),
    Transition(
      law: "A dial that opens asks with the next epoch",
      before: [.linkBroken(first, .linkBroken)], event: .dialOpened(second),
      actions: [.sendAttach(second, epoch: 2), .wake(at: .zero + .seconds(15))]),
    Transition(
      law: "An answer is the member's return",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .attachedReceived(second, id, epoch: 2),
      actions: [.carry(second), .cancelWake, .reportResumed]),
    Transition(
      law: "A request of the next epoch replaces a link that was not known to be broken",
      before: [], event: .attachReceived(second, id, epoch: 2),
      actions: [
        .closeLink(first, .duplicate), .sendAttached(second, epoch: 2), .carry(second),
      ]),
    Transition(
      law: "A request of a past epoch is a duplicate",
      before: [.attachReceived(second, id, epoch: 2)], event: .attachReceived(third, id, epoch: 2),
      actions: [.closeLink(third, .duplicate)]),
    Transition(
      law: "The smaller holds the other's request in reserve",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .attachReceived(third, id, epoch: 2), actions: []),
    Transition(
      law: "The smaller takes the reserve when its own link breaks",
      before: [
        .linkBroken(first, .linkBroken), .dialOpened(second), .attachReceived(third, id, epoch: 2),
      ], event: .linkBroken(second, .linkBroken),
      actions: [
        .sendAttached(third, epoch: 2), .carry(third), .cancelWake, .reportResumed,
      ]),
    Transition(
      law: "The smaller lets the reserve go when its own is answered",
      before: [
        .linkBroken(first, .linkBroken), .dialOpened(second), .attachReceived(third, id, epoch: 2),
      ], event: .attachedReceived(second, id, epoch: 2),
      actions: [
        .closeLink(third, .duplicate), .carry(second), .cancelWake, .reportResumed,
      ]),
    Transition(
      law: "The larger answers the smaller's request and takes its own back",
      before: [.linkBroken(first, .linkBroken), .deadlineReached, .dialOpened(second)],
      event: .attachReceived(third, id, epoch: 2),
      actions: [
        .closeLink(second, .duplicate), .sendAttached(third, epoch: 2), .carry(third),
        .cancelWake, .reportResumed,
      ], isSmaller: false),
    Transition(
      law: "A side whose request has not gone out answers, also the smaller",
      before: [.linkBroken(first, .linkBroken)], event: .attachReceived(second, id, epoch: 2),
      actions: [
        .cancelDials, .sendAttached(second, epoch: 2), .carry(second), .cancelWake,
        .reportResumed,
      ]),
    Transition(
      law: "An answer names the highest epoch that was used",
      before: [
        .linkBroken(first, .linkBroken), .dialOpened(second), .linkBroken(second, .linkBroken),
      ], event: .attachReceived(third, id, epoch: 2),
      actions: [
        .sendAttached(third, epoch: 2), .carry(third), .cancelWake, .reportResumed,
      ]),
    Transition(
      law: "A request that was overtaken by an answer is a duplicate",
      before: [
        .linkBroken(first, .linkBroken), .dialOpened(second),
        .attachedReceived(second, id, epoch: 5), .linkBroken(second, .linkBroken),
      ], event: .attachReceived(third, id, epoch: 5),
      actions: [.closeLink(third, .duplicate)]),
    Transition(
      law: "A request that its sender has reason to make is answered, whatever this side has used",
      before: [
        .attachReceived(second, id, epoch: 2), .linkBroken(second, .linkBroken),
        .dialOpened(third), .linkBroken(third, .linkBroken),
      ], event: .attachReceived(fourth, id, epoch: 3),
      actions: [
        .sendAttached(fourth, epoch: 3), .carry(fourth), .cancelWake, .reportResumed,
      ]),
    Transition(
      law: "A remote that forgot the session was restarted",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .closeReceived(second, .unknownSession),
      actions: [.cancelWake, .reportLeft(.restarted, .superseded)]),
    Transition(
      law: "A remote that has given the membership up is lost",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .closeReceived(second, .givenUp),
      actions: [.cancelWake, .reportLeft(.lost, .givenUp)]),
    Transition(
      law: "A remote that left while it could not be heard has left, whatever of it came",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .closeReceived(second, .done),
      actions: [.cancelWake, .reportLeft(.left, .done)]),
    Transition(
      law: "A remote that takes its acceptance back has left, and may have the session still",
      before: [],
      event: .closeReceived(first, .takenBack),
      actions: [.cancelWake, .reportLeft(.left, .takenBack)]),
    Transition(
      law: "An answer for another membership breaks the protocol",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .attachedReceived(second, later, epoch: 2),
      actions: [
        .closeLink(second, .protocolViolation), .closeLink(second, .protocolViolation),
        .cancelWake, .reportLeft(.violation, .protocolViolation),
      ]),
    Transition(
      law: "LEAVE is the end, and is answered",
      before: [], event: .leaveReceived(.done),
      actions: [.closeLink(first, .farewell), .cancelWake, .reportLeft(.left, .farewell)]),
    Transition(
      law: "LEAVE after a removal says so",
      before: [], event: .leaveReceived(.removed),
      actions: [.closeLink(first, .farewell), .cancelWake, .reportLeft(.removed, .farewell)]),
    Transition(
      law: "LEAVE for want of a seat says so",
      before: [], event: .leaveReceived(.full),
      actions: [.closeLink(first, .farewell), .cancelWake, .reportLeft(.full, .farewell)]),
    Transition(
      law: "Leaving is said behind all that was sent",
      before: [], event: leave,
      actions: [.sendLeave(.done), .wake(at: .zero + .seconds(5))]),
    Transition(
      law: "Leaving ends when all has arrived",
      before: [leave], event: .streamFlushed,
      actions: [.closeLink(first, .done), .cancelWake, .reportLeft(.disconnected, .done)]),
    Transition(
      law: "The answer to LEAVE says that all has arrived",
      before: [leave], event: .closeReceived(first, .farewell),
      actions: [.reportDelivered, .cancelWake, .reportLeft(.disconnected, .done)]),
    Transition(
      law: "Leaving goes on over a link that replaces the broken one",
      before: [leave], event: .attachReceived(second, id, epoch: 2),
      actions: [
        .closeLink(first, .duplicate), .sendAttached(second, epoch: 2), .carry(second),
      ]),
    Transition(
      law: "Leaving looks for a member whose link breaks",
      before: [leave], event: .linkBroken(first, .linkBroken),
      actions: [.dial, .wake(at: .zero + .seconds(1))]),
    Transition(
      law: "Leaving while the link is broken is said once there is one",
      before: [.linkBroken(first, .linkBroken), leave, .dialOpened(second)],
      event: .attachedReceived(second, id, epoch: 2),
      actions: [.carry(second), .wake(at: .zero + .seconds(5))]),
    Transition(
      law: "Leaving gives up when its time is over",
      before: [leave, .linkBroken(first, .linkBroken)], event: .deadlineReached,
      after: .seconds(5),
      actions: [.cancelDials, .cancelWake, .reportLeft(.disconnected, .done)]),
    Transition(
      law: "Leaving again within a shorter time has it end sooner",
      before: [leave], event: leaveSooner, actions: [.wake(at: .zero + .seconds(1))]),
    Transition(
      law: "Leaving again within a longer time changes nothing",
      before: [leaveSooner], event: leave, actions: []),
    Transition(
      law: "Leaving again within no time gives up a member that is looked for",
      before: [leave, .linkBroken(first, .linkBroken)],
      event: .leaveRequested(.disconnected, within: .zero),
      actions: [.cancelDials, .cancelWake, .reportLeft(.disconnected, .done)]),
    Transition(
      law: "Two that leave at once wait for each other's last words",
      before: [leave], event: .leaveReceived(.done), actions: []),
    Transition(
      law: "Two that leave at once part when all has arrived",
      before: [leave, .leaveReceived(.done)], event: .streamFlushed,
      actions: [.closeLink(first, .farewell), .cancelWake, .reportLeft(.left, .done)]),
    Transition(
      law: "An end at once closes the link with its reason",
      before: [], event: .endRequested(.restarted, .superseded),
      actions: [
        .closeLink(first, .superseded), .cancelWake, .reportLeft(.restarted, .superseded),
      ]),
    Transition(
      law: "Going to sleep is said",
      before: [], event: .suspendRequested,
      actions: [.closeLink(first, .suspending), .reportInterrupted(.suspended)]),
    Transition(
      law: "Waking up dials at once",
      before: [.suspendRequested], event: .resumeRequested,
      actions: [.dial, .wake(at: .zero + .seconds(1))], isSmaller: false),
    Transition(
      law: "A link to one that sleeps is told so",
      before: [.suspendRequested], event: .attachReceived(second, id, epoch: 2),
      actions: [.closeLink(second, .suspending)]),
    Transition(
      law: "A violation ends the membership",
      before: [], event: .violationFound(first),
      actions: [.cancelWake, .reportLeft(.violation, .protocolViolation)]),
  ]

  @Test("After each event comes what must be done", arguments: transitions)
  func transition(_ transition: Transition) {
    var machine = Self.connected(isSmaller: transition.isSmaller)
    var actions: [Action] = []
    var now = Instant.zero
    for event in transition.before {
      if case .deadlineReached = event { now = now + transition.after }
      machine.handle(event, at: now, into: &actions)
    }
    actions = []
    if transition.event == .deadlineReached { now = now + transition.after }
    machine.handle(transition.event, at: now, into: &actions)
    #expect(actions == transition.actions)
  }

  @Test("Without patience a broken link is the end")
  func impatience() {
    var configuration = MembershipMachine.Configuration()
    configuration.patience = .zero
    var machine = Self.connected(isSmaller: true, configuration)
    var actions: [Action] = []
    machine.handle(.linkBroken(Self.first, .silence), at: .zero, into: &actions)
    #expect(actions == [.cancelWake, .reportLeft(.lost, .givenUp)])
  }

  @Test("A remote that sleeps is dialled rarely, and waited for until patience ends")
  func parked() {
    var machine = Self.connected(isSmaller: true)
    var actions: [Action] = []
    machine.handle(.closeReceived(Self.first, .suspending), at: .zero, into: &actions)
    let end = failEveryDial(of: &machine, after: &actions)
    let dials = actions.count { $0 == .dial }
    #expect((3...14).contains(dials))
    #expect(end == .zero + .seconds(30))
    #expect(actions.last == .reportLeft(.lost, .givenUp))
  }

  @Test("Pauses grow from a quarter of a second to eight seconds", arguments: Seed.some(50))
  func pauses(seed: Seed) {
    var random = seed.generator
    var backoff = Backoff(from: .milliseconds(500), to: .seconds(8))
    for attempt in 0..<10 {
      let longest = min(Duration.milliseconds(500 << attempt), .seconds(8))
      let pause = backoff.next(using: &random)
      #expect(longest / 2 <= pause && pause < longest)
    }
  }

  @Test(
    "A peer that was introduced is looked for until it is taken back", arguments: [true, false])
  func introduced(isSmaller: Bool) {
    var actions: [Action] = []
    var machine = Self.proposed(isSmaller: isSmaller, into: &actions)
    #expect(actions.contains(.dial) == isSmaller)
    failEveryDial(of: &machine, after: &actions, until: .zero + .seconds(3_600))
    #expect(actions.count { $0 == .dial } > 400)
    machine.handle(.endRequested(.lost, .givenUp), at: .zero + .seconds(3_601), into: &actions)
    #expect(actions.last == .reportLeft(.lost, .givenUp))
  }

  @Test("Of two proposals the greater is kept, whoever asked first", arguments: [true, false])
  func rivals(theirsIsGreater: Bool) {
    var actions: [Action] = []
    var machine = Self.proposed(isSmaller: true, into: &actions)
    machine.handle(.dialOpened(Self.first), at: .zero, into: &actions)
    let theirs = MembershipID(rawValue: theirsIsGreater ? 8 : 2)
    actions = []
    machine.handle(.attachReceived(Self.second, theirs, epoch: 1), at: .zero, into: &actions)
    if theirsIsGreater {
      #expect(
        actions == [
          .closeLink(Self.first, .duplicate), .sendAttached(Self.second, epoch: 1),
          .carry(Self.second), .cancelWake, .reportJoined,
        ])
      #expect(machine.id == theirs)
    } else {
      #expect(actions == [])
      machine.handle(.closeReceived(Self.first, .notIntroduced), at: .zero, into: &actions)
      #expect(actions.contains(.sendAttached(Self.second, epoch: 1)))
      #expect(machine.id == theirs)
    }
  }

  @Test("A proposal that may have begun the membership is made again, and no other is answered")
  func unanswered() {
    var actions: [Action] = []
    var machine = Self.proposed(isSmaller: true, into: &actions)
    let ours = machine.id
    machine.handle(.dialOpened(Self.first), at: .zero, into: &actions)
    let theirs = MembershipID(rawValue: 2)
    machine.handle(.attachReceived(Self.second, theirs, epoch: 1), at: .zero, into: &actions)
    actions = []
    machine.handle(.linkBroken(Self.first, .silence), at: .zero, into: &actions)
    #expect(actions.contains(.closeLink(Self.second, .duplicate)))
    #expect(!actions.contains { if case .sendAttached = $0 { true } else { false } })
    #expect(machine.id == ours)
    machine.handle(.deadlineReached, at: .zero + .seconds(1), into: &actions)
    machine.handle(.dialOpened(Self.third), at: .zero + .seconds(1), into: &actions)
    #expect(actions.contains(.sendAttach(Self.third, epoch: 2)))
    #expect(!machine.needsNumber(after: .none))
    // Until it is known to have ended.
    machine.handle(.attachReceived(Self.first, theirs, epoch: 2), at: .zero, into: &actions)
    machine.handle(.closeReceived(Self.third, .givenUp), at: .zero, into: &actions)
    #expect(actions.last == .reportJoined && actions.contains(.sendAttached(Self.first, epoch: 2)))
  }

  @Test("While a proposal may have begun the membership, a smaller one that comes is refused")
  func inDoubt() {
    var actions: [Action] = []
    var machine = Self.proposed(isSmaller: true, into: &actions)
    let ours = machine.id
    machine.handle(.dialOpened(Self.first), at: .zero, into: &actions)
    machine.handle(.linkBroken(Self.first, .silence), at: .zero, into: &actions)
    let theirs = MembershipID(rawValue: 2)
    actions = []
    var later = machine
    let soon = Instant.zero + .milliseconds(59_999)
    machine.handle(.attachReceived(Self.second, theirs, epoch: 1), at: soon, into: &actions)
    #expect(actions == [.closeLink(Self.second, .duplicate)])
    #expect(machine.id == ours)
    // The greater one is answered, and the smaller one when it cannot be from before any more.
    machine.handle(
      .attachReceived(Self.third, .init(rawValue: 8), epoch: 1), at: soon, into: &actions)
    #expect(actions.contains(.sendAttached(Self.third, epoch: 1)))
    actions = []
    let minute = Instant.zero + .seconds(60)
    later.handle(.attachReceived(Self.second, theirs, epoch: 1), at: minute, into: &actions)
    #expect(actions.contains(.sendAttached(Self.second, epoch: 1)))
    #expect(later.id == theirs)
  }

  @Test(
    "A proposal that had its time is followed by another one",
    arguments: [CloseCode.givenUp, .unknownMembership, .expired])
  func renewal(code: CloseCode) {
    var actions: [Action] = []
    var machine = Self.proposed(isSmaller: true, into: &actions)
    let former = machine.id
    machine.handle(.dialOpened(Self.first), at: .zero, into: &actions)
    #expect(!machine.needsNumber(after: former))
    machine.handle(.closeReceived(Self.first, code), at: .zero, into: &actions)
    #expect(machine.needsNumber(after: .none))
    let number = MembershipID(rawValue: 99)
    machine.handle(.numbered(number), at: .zero, into: &actions)
    #expect(machine.id == number)
    #expect(!machine.needsNumber(after: .none))
    #expect(!machine.isGone)
  }

  @Test("A proposal that was not made yet takes another number when a later membership has ended")
  func outrun() {
    var actions: [Action] = []
    var machine = Self.proposed(isSmaller: true, into: &actions)
    let former = machine.id
    #expect(!machine.needsNumber(after: former.previous))
    #expect(machine.needsNumber(after: former))
    machine.handle(.dialOpened(Self.first), at: .zero, into: &actions)
    #expect(!machine.needsNumber(after: former))
    // It may have begun: the answer may be lost.
    machine.handle(.linkBroken(Self.first, .linkBroken), at: .zero, into: &actions)
    #expect(!machine.needsNumber(after: former))
  }

  @Test("A membership that has begun keeps its number")
  func numbered() {
    var actions: [Action] = []
    var machine = Self.connected(isSmaller: true)
    let number = machine.id
    machine.handle(.numbered(number.next(bySmaller: true)), at: .zero, into: &actions)
    machine.handle(.linkBroken(Self.first, .linkBroken), at: .zero, into: &actions)
    #expect(!machine.needsNumber(after: number))
    machine.handle(.numbered(number.next(bySmaller: true)), at: .zero, into: &actions)
    #expect(machine.id == number)
  }

  /// Lets every dial fail and every deadline pass, until the member is gone or for long enough; returns when
  /// that is.
  @discardableResult
  private func failEveryDial(
    of machine: inout MembershipMachine, after actions: inout [Action],
    until end: Instant = .zero + .seconds(3_600)
  ) -> Instant {
    var now = Instant.zero
    var seen = 0
    while !machine.isGone, seen < actions.count, now < end {
      let fresh = actions[seen...]
      seen = actions.count
      let wakes = fresh.compactMap { if case .wake(let instant) = $0 { instant } else { nil } }
      if fresh.contains(.dial) {
        machine.handle(.dialFailed, at: now, into: &actions)
      } else if let wake = wakes.last {
        now = wake
        machine.handle(.deadlineReached, at: now, into: &actions)
      }
    }
    return now
  }

  // MARK: Walks

  @Test(
    "Whatever happens in whatever order, links are owned once and reports make sense",
    arguments: Seed.some(300))
  func anything(seed: Seed) {
    var random = seed.generator
    var actions: [Action] = []
    var machine = Self.connected(isSmaller: random.chance(.percent(50)))
    var ledger = Ledger()
    var now = Instant.zero
    for _ in 0..<200 {
      now = now + .milliseconds(Int64(random.below(1_500)))
      let event = ledger.event(using: &random)
      ledger.note(event)
      machine.handle(event, at: now, into: &actions)
      for action in actions { ledger.note(action) }
      actions.removeAll()
      #expect(ledger.complaint == nil)
      if let link = machine.link { #expect(ledger.open.contains(link)) }
    }
  }

  /// What a shell would know: open links, and how the reports went.
  struct Ledger {
    var open: Set<LinkToken> = [first]
    var linksMade: UInt64 = 1
    var isAbsent = false
    var isGone = false
    var complaint: String?

    /// News of a link that is open, or that opens now; or anything else.
    mutating func event(using random: inout RandomStream) -> Event {
      linksMade += 1
      let fresh = LinkToken(rawValue: linksMade)
      let links = open.sorted()
      let known = links.isEmpty ? fresh : links[Int(random.below(UInt64(links.count)))]
      let codes: [CloseCode] = [.duplicate, .suspending, .notIntroduced, CloseCode(rawValue: 99)]
      switch random.below(40) {
      case 0..<6: return .dialOpened(fresh)
      case 6..<9: return .dialFailed
      case 9..<14: return .attachReceived(fresh, id, epoch: 1 + random.below(8))
      case 14..<18: return .attachedReceived(known, id, epoch: 1 + random.below(8))
      case 18..<24: return .linkBroken(known, .linkBroken)
      case 24..<28: return .closeReceived(known, codes[Int(random.below(4))])
      case 28..<34: return .deadlineReached
      case 34: return .suspendRequested
      case 35, 36: return .resumeRequested
      case 37: return .streamFlushed
      case 38: return random.below(4) == 0 ? .violationFound(known) : .deadlineReached
      default: return random.below(8) == 0 ? leave : .resumeRequested
      }
    }

    mutating func note(_ event: Event) {
      switch event {
      case .dialOpened(let link), .attachReceived(let link, _, _),
        .attachedReceived(let link, _, _):
        open.insert(link)
      case .linkBroken(let link, _), .closeReceived(let link, _), .violationFound(let link):
        open.remove(link)
      case .numbered, .dialFailed, .leaveReceived, .streamFlushed, .deadlineReached,
        .suspendRequested, .resumeRequested, .leaveRequested, .endRequested:
        break
      }
    }

    mutating func note(_ action: Action) {
      switch action {
      case .closeLink(let link, _): open.remove(link)
      case .reportInterrupted: expect(!isAbsent && !isGone, "interrupted"); isAbsent = true
      case .reportResumed: expect(isAbsent && !isGone, "resumed"); isAbsent = false
      case .reportLeft: expect(!isGone, "left"); isGone = true
      case .reportJoined: complaint = "joined twice"
      case .dial, .sendAttach, .sendAttached, .carry, .sendLeave:
        expect(!isGone, "\(action) of one that is gone")
      case .cancelDials, .wake, .cancelWake, .reportDelivered: break
      }
    }

    private mutating func expect(_ isFine: Bool, _ text: String) {
      if !isFine { complaint = complaint ?? text }
    }
  }

  private static let first = LinkToken(rawValue: 1)
  private static let second = LinkToken(rawValue: 2)
  private static let third = LinkToken(rawValue: 3)
  private static let fourth = LinkToken(rawValue: 4)
  private static let id = MembershipID(rawValue: 3)
  private static let later = MembershipID(rawValue: 5)
  private static let leave = Event.leaveRequested(.disconnected, within: .seconds(5))
  private static let leaveSooner = Event.leaveRequested(.disconnected, within: .seconds(1))

  private static func connected(
    isSmaller: Bool, _ configuration: MembershipMachine.Configuration = .init()
  ) -> MembershipMachine {
    var actions: [Action] = []
    let machine = MembershipMachine(
      id, over: first, local: TwoSides.peer(isSmaller ? 0 : 1),
      remote: TwoSides.peer(isSmaller ? 1 : 0), configuration: configuration,
      random: RandomStream(seed: 1), into: &actions)
    #expect(actions == [.carry(first), .reportJoined])
    return machine
  }

  private static func proposed(
    isSmaller: Bool, into actions: inout [Action]
  ) -> MembershipMachine {
    MembershipMachine(
      proposing: MembershipID(rawValue: isSmaller ? 5 : 4), to: TwoSides.peer(isSmaller ? 1 : 0),
      from: TwoSides.peer(isSmaller ? 0 : 1), random: RandomStream(seed: 7), at: .zero,
      into: &actions)
  }
}
