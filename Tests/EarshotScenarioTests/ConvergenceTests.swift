import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("Convergence of a scenario")
struct ConvergenceTests {
  private static let asking =
    "{ name: 'ann', invite: { who: 'bob', again: '2s' }, send: { count: 900 } }, 'bob'"

  private static func scenario(
    _ more: String, within: String = "20s", peers: String = asking
  ) throws -> Scenario {
    try Scenario(
      json5: """
        { name: 'c', duration: '60s', peers: [\(peers)], converges: { within: '\(within)' }, \(more) }
        """, file: "c.json5")
  }

  private static func result(_ verdict: Verdict) throws -> Verdict.Result {
    try #require(verdict.results.first { $0.name.hasPrefix("all faults ended") })
  }

  @Test(
    "Faults that would last for ever end in time, and no others begin",
    arguments: [
      "{ at: '5s', kind: 'cut', between: ['ann', 'bob'] }",
      "{ at: '5s', kind: 'crash', peer: 'bob' }",
      "{ at: '5s', kind: 'freeze', peer: 'ann' }", "{ at: '5s', kind: 'suspend', peer: 'bob' }",
      "{ at: '5s', kind: 'hide', peer: 'all' }, { at: '45s', kind: 'crash', peer: 'ann' }",
    ])
  func ends(faults: String) throws {
    let verdict = ScenarioRun.run(try Self.scenario("faults: [\(faults)]"))
    #expect(verdict.exitCode == 0 && verdict.gap == nil)
    #expect(try Self.result(verdict).observed == "so 1 of 1")
    #expect(
      verdict.timeline.entries.contains {
        $0.kind == .faultEnded && $0.detail == "all faults" && $0.time == .seconds(40)
      })
    #expect(verdict.timeline.entries.filter { $0.time > .seconds(40) && $0.kind == .fault } == [])
  }

  @Test("Peers that are not connected in the end violate it")
  func violated() throws {
    let verdict = ScenarioRun.run(try Self.scenario("links: { loss: 1 }"))
    let result = try Self.result(verdict)
    #expect(!result.held && !result.isInvariant && verdict.exitCode == 1)
    #expect(result.observed == "ann–bob not connected 20s after all faults ended")
  }

  @Test("Messages that do not arrive violate it, but for those of the last seconds")
  func messages() throws {
    let peers = "{ name: 'ann', invite: { who: 'bob', again: '1s' } }, 'bob', 'cy'"
    func observed(_ count: Int, arrived: Int, at start: Double = 30) throws -> String {
      let recording = try Recording(peers, more: "converges: { within: '40s' }")
      recording.join(25, "ann", "bob")
      recording.send(count, from: "bob", to: "ann", at: start, arrived: arrived)
      return try #require(Convergence(recording.scenario))
        .result(recording.recorder.everything).observed
    }
    #expect(try observed(5, arrived: 5) == "so 1 of 1")
    #expect(
      try observed(5, arrived: 3)
        == "2 messages from bob have not reached ann 40s after all faults ended")
    #expect(try observed(5, arrived: 0, at: 50) == "so 1 of 1")
    #expect(try observed(4, arrived: 0, at: 20.5) == "so 1 of 1")
  }

  @Test(
    "Asks those who go on inviting and may be connected, and no others",
    arguments: [
      ("{ name: 'ann', invite: { who: 'bob', again: '2s' } }, 'bob', 'cy'", 1),
      ("{ name: 'ann', invite: { who: 'found', again: '2s' } }, 'bob', 'cy'", 2),
      ("{ name: 'p', count: 4, invite: { who: 'foundSmaller', again: '2s' } }", 6),
      ("{ name: 'p', count: 2, invite: { who: 'found', again: '2s' } }", 1),
      ("{ name: 'ann', invite: 'bob' }, 'bob'", 0),
      ("{ name: 'ann', invite: { who: 'bob', again: '11s' } }, 'bob'", 0),
      ("{ name: 'ann', invite: { who: 'bob', again: '2s', cancel: '1s' } }, 'bob'", 0),
      ("{ name: 'ann', invite: { who: 'bob', again: '2s', at: '50s' } }, 'bob'", 0),
      ("{ name: 'ann', invite: { who: 'bob', again: '2s' } }, { name: 'bob', start: '50s' }", 0),
      (
        "{ name: 'ann', invite: { who: 'bob', again: '2s' } }, { name: 'bob', accept: 'never' }", 0
      ),
      (
        "{ name: 'ann', invite: { who: 'bob', again: '2s' } }, { name: 'bob', advertise: false }", 0
      ),
      ("{ name: 'ann', invite: { who: 'bob', again: '2s' }, stop: '9s' }, 'bob'", 0),
      (
        "{ name: 'ann', invite: { who: 'bob', again: '2s' } }, { name: 'bob', read: { every: '1s' } }",
        0
      ),
      (
        "{ name: 'p', count: 3, invite: { who: 'found', again: '2s' }, session: { capacity: 2 } }",
        0
      ),
      ("{ name: 'ann', invite: { who: 'foundSmaller', again: '2s' } }, 'bob'", 0),
    ])
  func couples(peers: String, count: Int) throws {
    let scenario = try Self.scenario("", peers: peers)
    let convergence = try #require(Convergence(scenario))
    #expect(convergence.couples.count == count)
    #expect((scenario.gap == nil) == (count > 0))
    #expect(
      scenario.warnings.contains { $0.hasPrefix("\"converges\" asks nothing") } == (count == 0))
  }

  @Test("Has to be shorter than the run")
  func bounds() throws {
    #expect(throws: ScenarioError.self) { try Self.scenario("", within: "60s") }
    #expect(throws: ScenarioError.self) { try Self.scenario("", within: "0s") }
    #expect(try Self.scenario("", within: "59s").convergence == .seconds(59))
  }
}
