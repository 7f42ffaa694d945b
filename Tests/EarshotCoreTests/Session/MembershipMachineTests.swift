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
    let actions: [Action]
    var isSmaller = true

    var testDescription: String { law }
  }

  static let transitions: [Transition] = [
    Transition(
      law: "The smaller dials at once when the link breaks",
      before: [], event: .linkBroken(first, .silence),
      actions: [.reportInterrupted(.silence), .dial, .wake(at: .zero + .seconds(30))]),
    Transition(
      law: "The larger waits a quarter of a second",
      before: [], event: .linkBroken(first, .linkBroken),
      actions: [.reportInterrupted(.linkBroken), .wake(at: .zero + .milliseconds(250))],
      isSmaller: false),
    Transition(
      law: "A dial that opens asks with the next epoch",
      before: [.linkBroken(first, .linkBroken)], event: .dialOpened(second),
      actions: [.sendAttach(second, epoch: 2), .wake(at: .zero + .seconds(5))]),
    Transition(
      law: "An answer is the member's return",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .attachedReceived(second, epoch: 2),
      actions: [.carry(second), .cancelWake, .reportResumed]),
    Transition(
      law: "A request of the next epoch replaces a link that was not known to be broken",
      before: [], event: .attachReceived(second, epoch: 2),
      actions: [
        .closeLink(first, .duplicate), .sendAttached(second, epoch: 2), .carry(second),
      ]),
    Transition(
      law: "A request of a past epoch is a duplicate",
      before: [.attachReceived(second, epoch: 2)], event: .attachReceived(third, epoch: 2),
      actions: [.closeLink(third, .duplicate)]),
    Transition(
      law: "The smaller holds the other's request in reserve",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .attachReceived(third, epoch: 2), actions: []),
    Transition(
      law: "The smaller takes the reserve when its own link breaks",
      before: [
        .linkBroken(first, .linkBroken), .dialOpened(second), .attachReceived(third, epoch: 2),
      ], event: .linkBroken(second, .linkBroken),
      actions: [
        .sendAttached(third, epoch: 2), .carry(third), .cancelWake, .reportResumed,
      ]),
    Transition(
      law: "The smaller lets the reserve go when its own is answered",
      before: [
        .linkBroken(first, .linkBroken), .dialOpened(second), .attachReceived(third, epoch: 2),
      ], event: .attachedReceived(second, epoch: 2),
      actions: [
        .closeLink(third, .duplicate), .carry(second), .cancelWake, .reportResumed,
      ]),
    Transition(
      law: "The larger answers the smaller's request and takes its own back",
      before: [.linkBroken(first, .linkBroken), .deadlineReached, .dialOpened(second)],
      event: .attachReceived(third, epoch: 2),
      actions: [
        .closeLink(second, .duplicate), .sendAttached(third, epoch: 2), .carry(third),
        .cancelWake, .reportResumed,
      ], isSmaller: false),
    Transition(
      law: "A side whose request has not gone out answers, also the smaller",
      before: [.linkBroken(first, .linkBroken)], event: .attachReceived(second, epoch: 2),
      actions: [
        .cancelDial, .sendAttached(second, epoch: 2), .carry(second), .cancelWake,
        .reportResumed,
      ]),
    Transition(
      law: "An answer names the highest epoch that was used",
      before: [
        .linkBroken(first, .linkBroken), .dialOpened(second), .linkBroken(second, .linkBroken),
      ], event: .attachReceived(third, epoch: 1),
      actions: [
        .sendAttached(third, epoch: 2), .carry(third), .cancelWake, .reportResumed,
      ]),
    Transition(
      law: "A remote that forgot the session was restarted",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .closeReceived(second, .unknownSession),
      actions: [.cancelWake, .reportLeft(.restarted)]),
    Transition(
      law: "A remote that no longer waits is lost",
      before: [.linkBroken(first, .linkBroken), .dialOpened(second)],
      event: .closeReceived(second, .notIntroduced),
      actions: [.cancelWake, .reportLeft(.lost)]),
    Transition(
      law: "LEAVE is the end",
      before: [], event: .leaveReceived(.done),
      actions: [.closeLink(first, .done), .cancelWake, .reportLeft(.left)]),
    Transition(
      law: "LEAVE after a removal says so",
      before: [], event: .leaveReceived(.removed),
      actions: [.closeLink(first, .done), .cancelWake, .reportLeft(.removed)]),
    Transition(
      law: "Leaving is said behind all that was sent",
      before: [], event: .disconnectRequested,
      actions: [.sendLeave(.done), .wake(at: .zero + .seconds(5))]),
    Transition(
      law: "Leaving ends when all has arrived",
      before: [.disconnectRequested], event: .streamFlushed,
      actions: [.closeLink(first, .done), .cancelWake, .reportLeft(.disconnected)]),
    Transition(
      law: "Leaving goes on over a link that replaces the broken one",
      before: [.disconnectRequested], event: .attachReceived(second, epoch: 2),
      actions: [
        .closeLink(first, .duplicate), .sendAttached(second, epoch: 2), .carry(second),
      ]),
    Transition(
      law: "Going to sleep is said",
      before: [], event: .suspendRequested,
      actions: [.closeLink(first, .suspending), .reportInterrupted(.suspended)]),
    Transition(
      law: "Waking up dials at once",
      before: [.suspendRequested], event: .resumeRequested,
      actions: [.dial, .wake(at: .zero + .seconds(30))], isSmaller: false),
    Transition(
      law: "A link to one that sleeps is told so",
      before: [.suspendRequested], event: .attachReceived(second, epoch: 2),
      actions: [.closeLink(second, .suspending)]),
    Transition(
      law: "A violation ends the membership",
      before: [], event: .violationFound(first),
      actions: [.cancelWake, .reportLeft(.violation)]),
  ]

  @Test("After each event comes what must be done", arguments: transitions)
  func transition(_ transition: Transition) {
    var machine = Self.connected(isSmaller: transition.isSmaller)
    var actions: [Action] = []
    var now = Instant.zero
    for event in transition.before {
      if case .deadlineReached = event { now = now + .milliseconds(250) }
      machine.handle(event, at: now, into: &actions)
    }
    actions = []
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
    #expect(actions == [.cancelWake, .reportLeft(.lost)])
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
    #expect(actions.last == .reportLeft(.lost))
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
    "An introduced peer that cannot be reached is unreachable in the end", arguments: [true, false])
  func unreachable(isSmaller: Bool) {
    var actions: [Action] = []
    var machine = MembershipMachine(
      introducing: TwoSides.peer(isSmaller ? 1 : 0), to: TwoSides.peer(isSmaller ? 0 : 1),
      random: RandomStream(seed: 7), at: .zero, into: &actions)
    #expect(actions.contains(.dial) == isSmaller)
    let end = failEveryDial(of: &machine, after: &actions)
    #expect(end == .zero + .seconds(30))
    #expect(actions.last == .reportLeft(.unreachable))
  }

  /// Lets every dial fail and every deadline pass, until the member is gone; returns when that is.
  private func failEveryDial(
    of machine: inout MembershipMachine, after actions: inout [Action]
  ) -> Instant {
    var now = Instant.zero
    var seen = 0
    while !machine.isGone, seen < actions.count {
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
      case 9..<14: return .attachReceived(fresh, epoch: 1 + random.below(8))
      case 14..<18: return .attachedReceived(known, epoch: 1 + random.below(8))
      case 18..<24: return .linkBroken(known, .linkBroken)
      case 24..<28: return .closeReceived(known, codes[Int(random.below(4))])
      case 28..<34: return .deadlineReached
      case 34: return .suspendRequested
      case 35, 36: return .resumeRequested
      case 37: return .streamFlushed
      case 38: return random.below(4) == 0 ? .violationFound(known) : .deadlineReached
      default: return random.below(8) == 0 ? .disconnectRequested : .resumeRequested
      }
    }

    mutating func note(_ event: Event) {
      switch event {
      case .dialOpened(let link), .attachReceived(let link, _), .attachedReceived(let link, _):
        open.insert(link)
      case .linkBroken(let link, _), .closeReceived(let link, _), .violationFound(let link):
        open.remove(link)
      case .dialFailed, .leaveReceived, .streamFlushed, .deadlineReached,
        .suspendRequested, .resumeRequested, .removeRequested, .disconnectRequested:
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
      case .cancelDial, .wake, .cancelWake: break
      }
    }

    private mutating func expect(_ isFine: Bool, _ text: String) {
      if !isFine { complaint = complaint ?? text }
    }
  }

  private static let first = LinkToken(rawValue: 1)
  private static let second = LinkToken(rawValue: 2)
  private static let third = LinkToken(rawValue: 3)

  private static func connected(
    isSmaller: Bool, _ configuration: MembershipMachine.Configuration = .init()
  ) -> MembershipMachine {
    var actions: [Action] = []
    let machine = MembershipMachine(
      over: first, local: TwoSides.peer(isSmaller ? 0 : 1),
      remote: TwoSides.peer(isSmaller ? 1 : 0), configuration: configuration,
      random: RandomStream(seed: 1), into: &actions)
    #expect(actions == [.carry(first), .reportJoined])
    return machine
  }
}
