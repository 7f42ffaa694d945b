import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("A program of a scenario")
struct ProgramTests {
  /// What comes of some peers.
  private static func run(
    _ peers: String, duration: String = "40s", expect: String = "", links: String = "{}",
    seed: UInt64 = 1
  ) throws -> Verdict {
    let scenario = try Scenario(
      json5:
        "{ name: 'p', duration: '\(duration)', peers: [\(peers)], links: \(links), expect: [\(expect)] }",
      file: "p.json5")
    return ScenarioRun.runTwice(scenario, seed: seed)
  }

  private static func held(_ verdict: Verdict) -> Bool { verdict.exitCode == 0 }

  private static func text(_ verdict: Verdict) -> Comment {
    "\(Report(verdict, file: "p.json5").text())"
  }

  @Test("Reads slowly, and gets everything in the end", arguments: [false, true])
  func slowly(leaves: Bool) throws {
    let verdict = try Self.run(
      """
      { name: 'ann', invite: 'bob', send: { count: 40, every: '100ms', start: '2s' } },
      { name: 'bob', read: { every: '500ms', batch: \(leaves ? 1 : 3), until: '20s', leaves: \(leaves) } }
      """,
      expect: """
        { messages: { exactly: 40 } },
        { messages: { from: 'ann', to: 'bob', exactly: 40 }, by: '30s' },
        """)
    #expect(Self.held(verdict), Self.text(verdict))
    let early = try Self.run(
      """
      { name: 'ann', invite: 'bob', send: { count: 40, every: '100ms', start: '2s' } },
      { name: 'bob', read: { every: '500ms', batch: 3 } }
      """, expect: "{ messages: { exactly: 40 }, by: '6.5s' }")
    #expect(early.exitCode == 1)
  }

  @Test("Leaves and joins again, and is heard by name in the session that is its latest")
  func rejoins() throws {
    let verdict = try Self.run(
      """
      { name: 'ann', invite: { who: 'bob', again: '1s' }, send: { count: 60, every: '200ms', start: '2s' } },
      { name: 'bob', disconnect: '5s', rejoin: { at: '8s' }, send: { count: 60, every: '200ms', start: '2s' } }
      """,
      expect: """
        { event: 'ann sees bob left', reason: 'left', exactly: 1 },
        { event: 'ann sees bob joined', exactly: 2 },
        { messages: { from: 'ann', to: 'bob', atLeast: 40 } },
        { messages: { from: 'bob', to: 'ann', atLeast: 40 } },
        { messages: { from: 'bob', to: 'ann', exactly: 15 }, by: '7.9s' },
        { connected: 'all' },
        """)
    #expect(Self.held(verdict), Self.text(verdict))
    #expect(verdict.timeline.entries.count { $0.kind == .rejoined } == 1)
  }

  @Test("Does not catch up with what it missed when it starts again")
  func restarted() throws {
    let scenario = try Scenario(
      json5: """
        { name: 'p', duration: '40s',
          peers: ['ann', { name: 'bob', invite: { who: 'ann', again: '1s' }, disconnect: '10s' }],
          faults: [{ at: '12s', kind: 'crash', peer: 'bob', for: '1s' }],
          expect: [{ event: 'ann sees bob left', reason: 'left', exactly: 1 }, { connected: 'all' }] }
        """, file: "p.json5")
    let verdict = ScenarioRun.runTwice(scenario)
    #expect(Self.held(verdict), Self.text(verdict))
    #expect(verdict.timeline.entries.count { $0.kind == .disconnected } == 1)
  }

  @Test("Does not make a session anew that it has not left since it started again")
  func notLeft() throws {
    let scenario = try Scenario(
      json5: """
        { name: 'p', duration: '40s',
          peers: ['ann', { name: 'bob', invite: { who: 'ann', again: '1s' }, disconnect: '10s', rejoin: '20s' }],
          faults: [{ at: '9s', kind: 'crash', peer: 'bob', for: '3s' }],
          expect: [{ connected: 'all', throughout: ['15s', '40s'] }] }
        """, file: "p.json5")
    let verdict = ScenarioRun.runTwice(scenario)
    #expect(Self.held(verdict), Self.text(verdict))
    #expect(!verdict.timeline.entries.contains { $0.kind == .rejoined })
  }

  @Test("Removes a member, and stops for good")
  func removes() throws {
    let verdict = try Self.run(
      """
      { name: 'ann', invite: ['bob', 'cy'], remove: { who: 'bob', at: '5s' }, stop: '10s' }, 'bob', 'cy'
      """,
      expect: """
        { event: 'bob sees ann left', reason: 'removed', from: '5s', by: '6s', exactly: 1 },
        { event: 'cy sees ann left', reason: 'left', from: '10s', by: '11s', exactly: 1 },
        { event: 'ann sees cy left', reason: 'disconnected', exactly: 1 },
        """)
    #expect(Self.held(verdict), Self.text(verdict))
    let kinds: [Timeline.Kind] = [.removed, .stopped]
    #expect(kinds.allSatisfy { kind in verdict.timeline.entries.contains { $0.kind == kind } })
  }

  @Test("Withdraws an invitation, and cannot accept one that was withdrawn")
  func cancels() throws {
    let verdict = try Self.run(
      """
      { name: 'ann', invite: { who: 'bob', cancel: '2s' } }, { name: 'bob', accept: { after: '4s' } }
      """,
      expect: """
        { outcome: 'ann -> bob', is: 'cancelled', exactly: 1, by: '4s' },
        { event: 'bob sees ann joined', never: true },
        """)
    #expect(Self.held(verdict), Self.text(verdict))
    let answers = verdict.timeline.entries.filter { $0.kind == .answered }
    #expect(answers.map(\.detail) == ["invitationEnded"])
  }

  @Test("Sends no message that was cancelled while it waited for room, and all others in order")
  func cancelsSending() throws {
    func sent(_ more: String) throws -> Int {
      let verdict = try Self.run(
        """
        'ann', { name: 'bob', invite: 'ann', session: { outboxBytesMax: '64KiB' },
          send: { to: 'ann', size: '32KiB', every: '500ms', count: 12, start: '1s' \(more) } }
        """,
        expect: "{ messages: { from: 'bob', to: 'ann', delivered: 'all' } }",
        links: "{ bandwidth: '400kbit/s' }")
      #expect(Self.held(verdict), Self.text(verdict))
      return verdict.messages.reduce(0) { $0 + $1.sent }
    }
    #expect(try sent("") == 12)
    let withdrawn = try sent(", cancel: '300ms'")
    #expect(withdrawn > 6 && withdrawn < 12)
  }

  @Test(
    "Declines late, or lets the invitation go, which declines it",
    arguments: ["decline", "release"])
  func declines(answer: String) throws {
    let verdict = try Self.run(
      """
      { name: 'ann', invite: 'bob' }, { name: 'bob', accept: { after: '3s', answer: '\(answer)' } }
      """,
      expect: "{ outcome: 'ann -> bob', is: 'declined', from: '3s', by: '5s', exactly: 1 }")
    #expect(Self.held(verdict), Self.text(verdict))
  }

  @Test("Has several sessions, each with its own limits, and keeps them apart")
  func sessions() throws {
    let verdict = try Self.run(
      """
      { name: 'ann', session: [{ name: 'main' }, { name: 'side', patience: '2s', capacity: 2 }],
        invite: ['bob', 'cy', { who: 'bob', session: 'side', at: '5s' }, { who: 'cy', session: 'side', at: '6s' }],
        send: [{ count: 5, start: '8s' }, { count: 7, start: '8s', session: 'side' }],
        disconnect: { session: 'side', at: '20s', within: '1s' } },
      { name: 'bob', session: [{ name: 'main' }, { name: 'side' }] },
      { name: 'cy', session: [{ name: 'main' }, { name: 'side' }] }
      """,
      expect: """
        { connected: 'all', session: 'main', throughout: ['5s', '40s'] },
        { connected: ['ann', 'bob'], session: 'side', throughout: ['7s', '19s'] },
        { disconnected: ['ann', 'cy'], session: 'side', throughout: ['0s', '40s'] },
        { outcome: 'ann -> cy', is: 'full', session: 'side', exactly: 1 },
        { members: { ann: 3 }, at: '10s' }, { members: { ann: 2 }, session: 'main', at: '10s' },
        { members: { ann: 1 }, session: 'side', at: '10s' },
        { event: 'bob sees ann left', session: 'side', exactly: 1 },
        { event: 'bob sees ann left', session: 'main', never: true },
        { messages: { from: 'ann', to: 'bob', exactly: 12 } },
        { messages: { from: 'ann', to: 'cy', exactly: 5 } },
        """)
    #expect(Self.held(verdict), Self.text(verdict))
  }

  @Test("Declines what it is asked into a session that it has not")
  func noSession() throws {
    let verdict = try Self.run(
      "{ name: 'ann', session: { name: 'chat' }, invite: 'bob' }, 'bob'",
      expect: "{ outcome: 'ann -> bob', is: 'declined', exactly: 1 }")
    #expect(Self.held(verdict), Self.text(verdict))
  }
}
