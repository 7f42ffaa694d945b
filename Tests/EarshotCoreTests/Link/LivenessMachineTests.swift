import EarshotCore
import TestKit
import Testing

@Suite("Link")
struct LivenessMachineTests {
  private typealias Action = LivenessMachine.Action

  /// A link and a clock that wakes it as it asks to be woken.
  struct Watched: Hashable {
    var machine: LivenessMachine
    var wakeAt: Instant?
    var now = Instant.zero
    var signs = LivenessMachine.Signs()

    init(_ configuration: Liveness = .standard) {
      var actions: [LivenessMachine.Action] = []
      machine = LivenessMachine(configuration, at: .zero, into: &actions)
      note(actions)
    }

    private mutating func note(_ actions: [LivenessMachine.Action]) {
      for action in actions {
        switch action {
        case .wake(let at): wakeAt = at
        case .closeTransport: wakeAt = nil
        default: break
        }
      }
    }

    mutating func handle(_ event: LivenessMachine.Event) -> [LivenessMachine.Action] {
      var actions: [LivenessMachine.Action] = []
      machine.handle(event, at: now, into: &actions)
      note(actions)
      return actions
    }

    mutating func touch() -> [LivenessMachine.Action] {
      var actions: [LivenessMachine.Action] = []
      machine.handle(.bytesReceived, at: now, into: &actions)
      note(actions)
      return actions
    }

    /// Lets time pass, with wakes that come late by some time.
    mutating func pass(
      _ duration: Duration, late: Duration = .zero
    ) -> [(Instant, LivenessMachine.Action)] {
      let end = now + duration
      var all: [(Instant, LivenessMachine.Action)] = []
      while let at = wakeAt, at + late <= end {
        now = max(now, at + late)
        wakeAt = nil
        all += handle(.deadlineReached(signs)).map { (now, $0) }
      }
      now = end
      return all
    }

    /// When the link will first be suspected, if nothing is heard any more.
    var suspicion: Duration? {
      var link = self
      while link.machine.isTrusted, let at = link.wakeAt {
        (link.now, link.wakeAt) = (at, nil)
        _ = link.handle(.deadlineReached(signs))
      }
      return link.wakeAt == nil ? nil : link.now - .zero
    }
  }

  private func times(
    _ all: [(Instant, LivenessMachine.Action)], of action: LivenessMachine.Action
  ) -> [Duration] {
    all.filter { $0.1 == action }.map { $0.0 - .zero }
  }

  @Test(
    "Silence is asked about once, suspected, and then the end",
    arguments: [
      Liveness.standard, Liveness.fast,
      Liveness.relaxed,
    ])
  func silence(configuration: Liveness) {
    var link = Watched(configuration)
    #expect(link.suspicion == configuration.suspectingAfter)
    let all = link.pass(.seconds(60))
    #expect(times(all, of: .sendPing(token: 1)) == [configuration.askingAfter])
    #expect(times(all, of: .reportDown(.silence)) == [configuration.breakingAfter])
    #expect(times(all, of: .closeTransport) == [configuration.breakingAfter])
    #expect(times(all, of: .sendPing(token: 2)).isEmpty)
  }

  @Test("Whatever is received is life, and sets no timer")
  func life() {
    var link = Watched()
    for _ in 0..<100 {
      #expect(link.pass(.milliseconds(900)).allSatisfy { $0.1.isWake })
      #expect(link.touch().isEmpty)
    }
    #expect(link.machine.isTrusted)
  }

  @Test(
    "Silence counts from the last byte, whenever it came",
    arguments: [0, 1, 450, 999, 1_700, 2_900])
  func lastByte(milliseconds: Int64) {
    var link = Watched()
    _ = link.pass(.milliseconds(milliseconds))
    _ = link.touch()
    let heard = Duration.milliseconds(milliseconds)
    #expect(link.suspicion == heard + .seconds(3))
    let all = link.pass(.seconds(60))
    #expect(all.first { $0.1.isPing }.map { $0.0 - .zero } == heard + .seconds(1))
    #expect(times(all, of: .reportDown(.silence)) == [heard + .seconds(5)])
  }

  @Test("A suspected link that is heard again is trusted again")
  func trustedAgain() {
    var link = Watched()
    _ = link.pass(.seconds(4))
    #expect(!link.machine.isTrusted)
    _ = link.touch()
    #expect(link.machine.isTrusted)
    #expect(times(link.pass(.seconds(60)), of: .reportDown(.silence)) == [.seconds(9)])
  }

  @Test("A timer that is half a second late is no reason to judge others")
  func doubt() {
    var link = Watched()
    _ = link.pass(.milliseconds(3_500))
    let all = link.pass(.seconds(10), late: .milliseconds(2_000))
    #expect(all.map(\.1).starts(with: [.sendPing(token: 2)]))
    #expect(times(all, of: .reportDown(.silence)).isEmpty)
    let after = link.pass(.seconds(20))
    #expect(times(after, of: .reportDown(.silence)).count == 1)
  }

  @Test("A timer that is less late is nothing special", arguments: [0, 100, 500])
  func slightlyLate(milliseconds: Int64) {
    var link = Watched()
    let all = link.pass(.seconds(10), late: .milliseconds(milliseconds))
    let downs = times(all, of: .reportDown(.silence))
    #expect(downs.count == 1)
    #expect(downs.allSatisfy { (.seconds(5) ... .milliseconds(5_000 + milliseconds)).contains($0) })
  }

  @Test("A ping is answered with its token, a flood of pings is not")
  func pings() {
    var link = Watched()
    #expect(link.handle(.pingReceived(token: 77)) == [.sendPong(token: 77)])
    let answered = (0..<100).count { _ in !link.handle(.pingReceived(token: 1)).isEmpty }
    #expect(answered == 9)
    _ = link.pass(.seconds(1))
    #expect(link.handle(.pingReceived(token: 78)) == [.sendPong(token: 78)])
  }

  @Test("The answer to our ping measures the round trip, once")
  func roundTrip() {
    var link = Watched()
    _ = link.pass(.milliseconds(1_040))
    #expect(link.handle(.pongReceived(token: 9)).isEmpty)
    #expect(link.handle(.pongReceived(token: 1)) == [.reportRoundTrip(.milliseconds(40))])
    #expect(link.handle(.pongReceived(token: 1)).isEmpty)
  }

  @Test(
    "However a link ends, the reason is told",
    arguments: [
      (LivenessMachine.Event.closeReceived(.done), LivenessMachine.Reason.closed(.done)),
      (.transportEnded, .broken),
    ])
  func endings(event: LivenessMachine.Event, reason: LivenessMachine.Reason) {
    var link = Watched()
    #expect(link.handle(event) == [.closeTransport, .reportDown(reason)])
    for event in LivenessMachine.Event.some { #expect(link.handle(event).isEmpty) }
    #expect(link.touch().isEmpty)
  }

  @Test("In every state that can be reached, a link goes down once or will be woken")
  func walk() {
    let steps: [Duration] = [.milliseconds(500), .seconds(2)]
    var frontier: Set<Watched> = [Watched()]
    var seen = frontier
    while let link = frontier.popFirst() {
      for (next, actions) in link.successors(steps) where next.now <= .zero + .seconds(8) {
        let downs = actions.count { $0.isDown }
        #expect(downs == (link.wakeAt != nil && next.wakeAt == nil ? 1 : 0))
        if next.wakeAt == nil { #expect(next.machine.successorIsSilent(at: next.now)) }
        if seen.insert(next).inserted { frontier.insert(next) }
      }
    }
    #expect(seen.count > 1_000)
  }

  @Test("A link goes down at most once", arguments: Seed.some(200))
  func downOnce(seed: Seed) {
    var random = seed.generator
    var link = Watched()
    var downs = 0
    for _ in 0..<100 {
      let late = random.duration(below: .milliseconds(700))
      var actions = link.pass(random.duration(below: .seconds(2)), late: late).map(\.1)
      if random.below(3) > 0 { actions += link.touch() }
      let events = LivenessMachine.Event.some
      if random.below(20) == 0 { actions += link.handle(events[Int(random.below(4))]) }
      downs += actions.count { $0.isDown }
    }
    #expect(downs <= 1)
    #expect((link.wakeAt == nil) == (downs == 1))
  }
}

extension LivenessMachine.Event {
  static let some: [LivenessMachine.Event] = [
    .pingReceived(token: 1), .pongReceived(token: 1), .closeReceived(.done), .transportEnded,
    .deadlineReached(LivenessMachine.Signs()),
  ]
}

extension LivenessMachine.Action {
  var isWake: Bool { if case .wake = self { true } else { false } }
  var isPing: Bool { if case .sendPing = self { true } else { false } }
  var isDown: Bool { if case .reportDown = self { true } else { false } }
}

extension LivenessMachine {
  fileprivate func successorIsSilent(at now: Instant) -> Bool {
    LivenessMachine.Event.some.allSatisfy { event in
      var (machine, actions) = (self, [LivenessMachine.Action]())
      machine.handle(event, at: now, into: &actions)
      machine.handle(.bytesReceived, at: now, into: &actions)
      return actions.isEmpty
    }
  }
}

extension LivenessMachineTests.Watched {
  fileprivate func successors(
    _ steps: [Duration]
  ) -> [(LivenessMachineTests.Watched, [LivenessMachine.Action])] {
    var all: [(LivenessMachineTests.Watched, [LivenessMachine.Action])] = []
    for event in LivenessMachine.Event.some.dropFirst()
    where event != .deadlineReached(LivenessMachine.Signs()) {
      var next = self
      let actions = next.handle(event)
      all.append((next, actions))
    }
    var touched = self
    let actions = touched.touch()
    all.append((touched, actions))
    for step in steps {
      for late in [Duration.zero, .seconds(1)] {
        var next = self
        let actions = next.pass(step, late: late).map(\.1)
        all.append((next, actions))
      }
    }
    return all
  }

  @Test("Asking sooner leaves the other silences as they are, and is never later than suspecting")
  func askingSooner() {
    let sooner = Liveness.standard.asking(after: .milliseconds(200))
    #expect(sooner.askingAfter == .milliseconds(200))
    #expect(sooner.suspectingAfter == Liveness.standard.suspectingAfter)
    #expect(sooner.breakingAfter == Liveness.standard.breakingAfter)
    #expect(Liveness.fast.asking(after: .seconds(9)).askingAfter == Liveness.fast.suspectingAfter)
  }
}
