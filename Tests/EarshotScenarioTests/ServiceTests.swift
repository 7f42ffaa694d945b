import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("Services, what is told of them, and readers that pause")
struct ServiceTests {
  private static func run(_ peers: String, _ more: String = "", expect: String) throws -> Verdict {
    let text = "{ name: 's', duration: '20s', peers: [\(peers)], \(more) expect: [\(expect)] }"
    return ScenarioRun.run(try Scenario(json5: text, file: "s.json5"))
  }

  @Test("A peer is found by what it advertises alone")
  func found() throws {
    let verdict = try Self.run(
      """
      { name: 'ann', advertise: ['chat', { service: 'files', info: { a: 'b' } }] }, 'cy',
      { name: 'bob', browse: 'chat' }, { name: 'dan', browse: ['files', 'earshot'] },
      { name: 'eve', browse: true }, { name: 'fay', browse: ['chat', 'files'], advertise: 'earshot' }
      """,
      expect: """
        { event: 'each bob, dan, fay sees ann found', atLeast: 1 }, { event: 'fay sees ann found', exactly: 2 },
        { event: 'fay sees ann found', service: 'chat', exactly: 1 }, { event: 'eve sees ann found', never: true },
        { event: 'each dan, eve sees cy found', exactly: 1 }, { event: 'bob sees cy found', never: true },
        { event: 'dan sees fay found', service: 'earshot', exactly: 1 },
        { event: 'dan sees anyone found', service: 'files', exactly: 1 }
        """)
    #expect(verdict.exitCode == 0, "\(Report(verdict, file: "s").text())")
  }

  @Test(
    "What is updated is told of its service, and again after hiding; a peer found twice is lost twice"
  )
  func updated() throws {
    let verdict = try Self.run(
      """
      { name: 'ann', advertise: ['chat', 'files'], info: { a: 'b' },
        update: [{ at: '4s', info: { a: 'c' } }, { at: '6s', info: { a: 'd' }, service: 'files' }], stop: '15s' },
      { name: 'bob', browse: ['chat', 'files'], invite: 'ann' }
      """, "faults: [{ at: '9s', kind: 'hide', peer: 'ann', for: '2s' }],",
      expect: """
        { event: 'bob sees ann updated', service: 'chat', from: '4s', by: '6s', exactly: 1 },
        { event: 'bob sees ann updated', service: 'files', from: '6s', by: '8s', exactly: 1 },
        { event: 'bob sees ann updated', exactly: 2 }, { event: 'bob sees ann lost', from: '9s', by: '11s', exactly: 2 },
        { event: 'bob sees ann found', from: '11s', exactly: 2 }, { event: 'bob sees ann lost', from: '15s', exactly: 2 },
        { connected: 'all', at: '14s' }
        """)
    #expect(verdict.exitCode == 0, "\(Report(verdict, file: "s").text())")
  }

  @Test("A peer that is renamed is updated, and stays the member that it is")
  func renamed() throws {
    let verdict = try Self.run(
      """
      { name: 'ann', rename: [{ at: '4s', to: 'Annie' }, { at: '6s', to: 'Annie' }, { at: '8s', to: 'ann' }] },
      { name: 'bob', invite: 'ann' }
      """,
      expect: """
        { event: 'bob sees ann updated', from: '4s', by: '6s', exactly: 1 },
        { event: 'bob sees ann updated', exactly: 2 }, { event: 'bob sees ann lost', never: true },
        { connected: 'all' }, { event: 'anyone sees anyone left', never: true }
        """)
    #expect(verdict.exitCode == 0, "\(Report(verdict, file: "s").text())")
  }

  @Test("A reader that pauses takes nothing until the end of the pause, with or without batches")
  func pauses() throws {
    for read in [
      "pause: ['6s', '12s']", "every: '10ms', pause: ['6s', '12s']",
      "every: '10ms', batch: 2, leaves: true, pause: ['6s', '12s']",
    ] {
      let verdict = try Self.run(
        "{ name: 'ann', invite: 'bob', send: { count: 100, every: '100ms' } }, { name: 'bob', read: { \(read) } }",
        expect: """
          { messages: { to: 'bob', exactly: 100 } }, { messages: { to: 'bob', delivered: 'all' }, by: '5s' },
          { messages: { to: 'bob', exactly: 0 }, from: '6s', by: '11900ms' },
          { messages: { to: 'bob', delivered: 'all', latency: { max: '7s' } } }, { members: 1 }
          """)
      #expect(verdict.exitCode == 0, "\(Report(verdict, file: "s").text())")
    }
  }
}
