import EarshotCore
import EarshotScenario
import EarshotSimulator
import TestKit
import Testing

@Suite("A scenario as a document")
struct ScenarioDocumentTests {
  @Test("Written as JSON, every scenario is read as the same one", arguments: SimulationFile.all)
  func written(file: SimulationFile) throws {
    let scenario = try Scenario(json5: file.text, file: file.name)
    let document = try ScenarioDocument(json5: file.text, file: file.name)
    #expect(try Scenario(json5: document.text, file: "again") == scenario)
    #expect(document.scenario == scenario)
  }

  @Test("Numbers and texts of JSON5 are written as those of JSON")
  func values() throws {
    let text = #"{ a: [+1, .5, 0x1F, -0, 1e3, 18446744073709551615], 'b c': "\u0007\"\\ä€", }"#
    let written = try JSON5Parser.parse(text).json
    #expect(
      written == #"{ "a": [1, 0.5, 31, 0, 1000, 18446744073709551615], "b c": "\u0007\"\\ä€" }"#
        + "\n")
    #expect(try JSON5Parser.parse(written).json == written)
  }

  private static let crowd = """
    { name: "crowd", duration: "30s",
      peers: [{ name: "peer", count: 4, invite: { who: "foundSmaller", again: "1s" },
                send: [{ to: "peer", count: 9 }] }, "guest"],
      groups: { half: ["peer1", "peer2"] },
      links: { exceptions: [{ between: ["half", "guest"], loss: "5%" }] },
      randomFaults: { count: 6, between: ["2s", "20s"] },
      expect: [{ connected: "peer", by: "25s" }, { event: "peer1 sees peer2 left", never: true }] }
    """

  @Test("A fixed document runs as the bytes that decided have it", arguments: Seed.some(4))
  func guided(seed: Seed) throws {
    var scenario = try Scenario(json5: Self.crowd, file: "crowd.json5")
    let document = try ScenarioDocument(json5: Self.crowd, file: "crowd.json5")
    var random = RandomStream(seed: seed.value)
    (scenario.guide, scenario.schedule) = (random.bytes(200), .random)
    let verdict = ScenarioRun.run(scenario)
    let fixed = document.fixed(
      seed: scenario.seed, schedule: .replay(verdict.schedule), guidedBy: scenario.guide)
    let again = try #require(fixed.scenario)
    #expect(
      again.guide.isEmpty && again.faults == scenario.faultPlan(seed: scenario.seed).plan.faults)
    #expect(ScenarioRun.run(again).eventCount == verdict.eventCount)
    #expect(document.fixed(seed: scenario.seed, schedule: nil) != fixed)
  }

  @Test("A fixed document runs as the seed of its scenario does", arguments: Seed.some(6))
  func fixed(seed: Seed) throws {
    let scenario = try Scenario(json5: Self.crowd, file: "crowd.json5")
    let document = try ScenarioDocument(json5: Self.crowd, file: "crowd.json5")
      .fixed(seed: seed.value, schedule: nil)
    let fixed = try #require(document.scenario)
    #expect(fixed.randomFaults == nil && fixed.seed == seed.value)
    #expect(document.peerNames == ["peer1", "peer2", "peer3", "peer4", "guest"])
    let (first, second) = (ScenarioRun.run(scenario, seed: seed.value), ScenarioRun.run(fixed))
    #expect(first.traceHash == second.traceHash && first.eventCount == second.eventCount)
    #expect(first.results.map(\.name) == second.results.map(\.name))
    #expect(second.drawnFaults.isEmpty)
  }

  @Test("The choices of a policy are written down, and chosen again", arguments: Seed.some(6))
  func schedule(seed: Seed) throws {
    var scenario = try Scenario(json5: Self.crowd, file: "crowd.json5")
    scenario.schedule = .random
    let first = ScenarioRun.run(scenario, seed: seed.value)
    #expect(!first.schedule.choices.isEmpty)
    let document = try ScenarioDocument(json5: Self.crowd, file: "crowd.json5")
      .fixed(seed: seed.value, schedule: .replay(first.schedule))
    let fixed = try #require(document.scenario)
    #expect(fixed.schedule == .replay(first.schedule))
    #expect(ScenarioRun.run(fixed).traceHash == first.traceHash)
    #expect(ScenarioRun.run(try #require(document.scenario), seed: seed.value).held == first.held)
  }

  @Test("What is about peers that are left out is left out with them, in events too")
  func without() throws {
    let text = """
      { name: "w", duration: "30s", peers: ["ann", "bob", "cy"], groups: { duo: ["bob", "cy"] },
        expect: [
          { event: "each duo sees ann joined", after: "ann sees ann, bob found", within: "1s" },
          { event: "bob, cy sees each joined", atMost: 3 }, { event: "bob sees ann lost", atMost: 3 },
          { order: ["cy sees ann found", "bob sees ann found", "cy sees ann joined"] },
          { messages: { from: "bob" } }, { interrupted: ["ann", "bob"], total: "1s" },
          { outcome: "duo -> ann", is: "full", never: true }, { connected: "all", by: "3s" },
        ] }
      """
    let document = try ScenarioDocument(json5: text, file: "w")
    let one = try #require(document.without(peers: ["bob"]).scenario)
    #expect(
      one.expectations.map(\.name) == [
        "each duo sees ann joined at least once within 1s after each time that ann sees ann found, by 30s",
        "cy sees each joined at most 3 times by 30s",
        "cy sees ann found, then cy sees ann joined by 30s",
        "ann are without a connection for at most 1s in all by 30s",
        "duo inviting ann ends as full never by 30s", "ann, cy are connected by 3s",
      ])
    let none = try #require(document.without(peers: ["bob", "cy"]).scenario)
    #expect(none.expectations.map(\.name).count == 2, "\(none.expectations.map(\.name))")
  }

  @Test("Groups are names for peers, and may have groups in them")
  func groups() throws {
    let text = """
      { name: "g", duration: "1s", peers: ["ann", "bob", { name: "p", count: 2 }],
        groups: { some: ["ann", "p"], more: ["some", "bob"] },
        faults: [{ at: "0s", kind: "crash", peer: "more" }] }
      """
    let scenario = try Scenario(json5: text, file: "g.json5")
    #expect(scenario.faults.map(\.kind) == [.hosts(["ann", "p1", "p2", "bob"], .crash)])
    for (wrong, reason) in [
      ("groups: { ann: 'bob' }", "already"), ("groups: { all: 'bob' }", "a name of"),
      ("groups: { x: 'bub' }", "did you mean \"bob\"?"), ("groups: []", "expected an object"),
      ("schedule: [1]", "pairs of whole numbers"), ("schedule: 'fast'", "a policy"),
      ("schedule: 'random#'", "a policy"), ("schedule: 'random#07'", "a policy"),
      ("schedule: 'fifo#1'", "a policy"), ("schedule: 'urw#1#2'", "a policy"),
      ("schedule: 'pct#18446744073709551616'", "a policy"),
      ("schedule: [4294967295, 1]", "pairs"), ("reproduces: 1", "a text"),
    ] {
      let text = "{ name: 'g', duration: '1s', peers: ['ann', 'bob'], \(wrong) }"
      #expect {
        _ = try Scenario(json5: text, file: "g")
      } throws: { "\($0)".contains(reason) }
    }
  }
}
