import EarshotScenario
import Testing

@Suite("A scenario that is probably not meant so")
struct WarningTests {
  private static func scenario(_ peers: String, _ more: String) throws -> Scenario {
    try Scenario(json5: "{ name: 't', duration: '10s', peers: \(peers), \(more) }", file: "t")
  }

  private static let pair = "['ann', { name: 'bob', invite: { who: 'ann', at: '2s' }, send: {} }]"
  private static let holds = "{ connected: 'all' }"

  @Test(
    "Is warned about",
    arguments: [
      // What cannot fail, beside what can.
      (pair, "expect: [\(holds), { messages: { atMost: 3, from: 'ann' } }]", "cannot fail"),
      (pair, "expect: [\(holds), { disconnected: 'all', at: '1s' }]", "cannot fail"),
      (pair, "expect: [\(holds), { members: 0, throughout: ['0s', '1s'] }]", "cannot fail"),
      (
        pair, "expect: [\(holds), { event: 'ann sees bob left', atMost: 2, by: '1s' }]",
        "cannot fail"
      ),
      (
        pair, "expect: [\(holds), { outcome: 'bob -> ann', is: 'full', atMost: 2, by: '1s' }]",
        "cannot fail"
      ),
      (
        pair,
        "links: { loss: '1%' }, expect: [\(holds), { \(holds.dropFirst(2).dropLast(2)), links: 'healthy' }]",
        "cannot fail"
      ),
      // What cannot hold.
      (
        "['ann', 'bob']", "expect: \(holds)",
        "cannot hold: no peer invites another one that it can find by 10s"
      ),
      (
        "[{ name: 'ann', invite: 'bob', send: { count: 5, every: '1s', start: '2s' } }, 'bob']",
        "expect: { messages: { from: 'ann', to: 'bob', exactly: 6 } }",
        "cannot hold: no more than 5 messages are sent by 10s"
      ),
      (
        "[{ name: 'ann', invite: 'bob', send: { count: 5, every: '1s', start: '2s' } }, 'bob']",
        "expect: { messages: { from: 'ann', to: 'bob', atLeast: 3 }, by: '3s' }",
        "no more than 2 messages are sent by 3s"
      ),
      (
        pair, "expect: { connected: 'all', by: '1s' }",
        "no peer invites another one that it can find by 1s"
      ),
      (
        "['ann', { name: 'bob', invite: 'ann' }, { name: 'cy', start: '5s' }]",
        "expect: [{ connected: 'all', by: '4s' }]", "cy starts at 5s"
      ),
      ("['ann', 'bob']", "expect: { members: 1 }", "cannot hold: no peer invites"),
      (
        pair, "expect: { event: 'ann sees bob found' }",
        "cannot hold: nothing can bring about that ann sees bob found by 10s"
      ),
      (pair, "expect: { event: 'ann sees bob joined', by: '1s' }", "by 1s"),
      (
        pair, "expect: { order: ['bob sees ann found', 'ann sees bob found'] }",
        "that ann sees bob found"
      ),
      (pair, "expect: { outcome: 'ann -> bob', is: 'accepted' }", "no peer that it names invites"),
      (pair, "expect: { messages: { from: 'ann' } }", "no peer that it names sends anything"),
      // Peers and faults.
      (
        "[{ name: 'ann', advertise: false }, { name: 'bob', invite: ['ann', 'found'] }, 'cy']",
        "expect: { connected: ['bob', 'cy'] }",
        "bob invites ann, which advertises nothing that bob browses for"
      ),
      (
        "[{ name: 'ann', stop: '10s' }, { name: 'bob', invite: 'ann' }]", "expect: \(holds)",
        "what ann stops at 10s comes after the end"
      ),
      (
        "['ann', { name: 'bob', invite: ['ann', { who: 'found', at: '20s' }] }]",
        "expect: \(holds)",
        "what bob invites at 20s comes after the end"
      ),
      (
        "['ann', { name: 'bob', invite: 'ann', send: { start: '11s' } }]", "expect: \(holds)",
        "what bob sends at 11s comes after the end"
      ),
      (
        pair, "expect: \(holds), randomFaults: { count: 1, between: ['12s', '20s'] }",
        "random faults from 12s on come after the end"
      ),
      (
        pair, "expect: \(holds), faults: [{ at: '10s', kind: 'crash', peer: 'ann' }]",
        "\"crash of ann\" at 10s comes after the end"
      ),
      (
        "['ann', { name: 'bob', invite: { who: 'ann', again: '1s' } }]",
        "converges: { within: '4s' }, faults: [{ at: '7s', kind: 'crash', peer: 'ann' }]",
        "\"crash of ann\" at 7s comes after the end of all faults at 6s"
      ),
    ])
  func warned(peers: String, more: String, warning: String) throws {
    let warnings = try Self.scenario(peers, more).warnings
    #expect(warnings.count == 1 && warnings[0].contains(warning), "\(warnings)")
  }

  @Test("Is shown with its warnings, which change nothing else")
  func shown() throws {
    let scenario = try Self.scenario(
      Self.pair, "expect: [\(Self.holds), { members: { all: { atMost: 1 } }, at: '1s' }]")
    let verdict = ScenarioRun.run(scenario)
    #expect(verdict.exitCode == 0 && verdict.warnings.count == 1)
    let report = Report(verdict, file: "t.json5")
    let warning =
      "\"ann has at most 1, bob has at most 1 member at 1s\" cannot fail, whatever the peers do"
    #expect(report.text().contains("\nwarning: \(warning)\nheld\n"))
    #expect(report.json.contains("\"warnings\":[\(warning.quotedForJSON)]"))
    let late = (1...20).map { "{ name: 'p\($0)', stop: '20s' }" }.joined(separator: ", ")
    let many = try Self.scenario(
      "[\(late), { name: 'bob', invite: 'p1' }]", "expect: { connected: ['bob', 'p1'] }")
    let text = Report(ScenarioRun.run(many), file: "t.json5").text()
    #expect(text.split(separator: "\n").count { $0.hasPrefix("warning: ") } == 9)
    #expect(text.contains("\nwarning: and 12 more\n"))
  }

  @Test("Needs no warning when it is fine", arguments: SimulationFile.all)
  func fine(file: SimulationFile) throws {
    let scenario = try Scenario(json5: file.text, file: file.name)
    #expect(scenario.warnings.isEmpty, "\(scenario.warnings)")
    let verdict = try Self.scenario(Self.pair, "expect: \(Self.holds)")
    #expect(verdict.warnings.isEmpty)
  }
}
