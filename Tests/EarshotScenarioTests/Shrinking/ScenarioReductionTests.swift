import EarshotCore
import EarshotScenario
import EarshotSimulator
import TestKit
import Testing

@Suite("Reducing a scenario")
struct ScenarioReductionTests {
  private static let text = """
    { name: "big", duration: "60s", description: "much", seed: 3,
      peers: [{ name: "peer", count: 8, invite: { who: "foundSmaller", again: "1s" },
                send: [{ to: "all", count: 90, every: "100ms" }, { count: 5 }], echo: true },
              { name: "ann", invite: ["peer3", "peer5"], send: { to: "peer3", count: 40 } }],
      links: { loss: "1%" },
      randomFaults: { count: 30, between: ["5s", "40s"],
                      kinds: ["crash", "partition", "cut", "suspend"] },
      expect: [{ connected: "peer", by: "50s" }, { messages: { from: "ann" } }] }
    """

  private static func document(seed: UInt64) throws -> ScenarioDocument {
    try ScenarioDocument(json5: text, file: "big.json5").fixed(seed: seed, schedule: nil)
  }

  /// What is left of a document that fails as long as a scenario is so.
  private static func reduce(
    _ document: ScenarioDocument, runsMax: Int = 2_000, while fails: @escaping (Scenario) -> Bool
  ) throws -> (Scenario, RunReduction<ScenarioDocument>) {
    var reduction = RunReduction(of: document, runsMax: runsMax)
    while let candidate = reduction.candidate {
      let scenario = try #require(candidate.scenario, "a document that is no scenario is run")
      reduction.note(fails(scenario) ? .fails : .passes)
    }
    return (try #require(reduction.smallest.scenario), reduction)
  }

  @Test(
    "What a failure does not need is left out: faults, peers, workloads, links, expectations",
    arguments: Seed.some(20))
  func leavesOut(seed: Seed) throws {
    let start = try Self.document(seed: seed.value)
    let needed = try #require(start.scenario?.faults.first { $0.kind.word == "crash" }?.id)
    let (scenario, _) = try Self.reduce(start) { scenario in
      scenario.faults.contains { $0.id == needed && $0.kind.word == "crash" }
        && scenario.peers.contains { $0.name == "ann" && !$0.workloads.isEmpty }
    }
    #expect(scenario.faults.map(\.id) == [needed])
    #expect(scenario.peerNames.count <= 3 && scenario.peerNames.contains("ann"))
    #expect(scenario.peers.allSatisfy { $0.invitations.isEmpty && !$0.echoes })
    #expect(scenario.peers.flatMap(\.workloads).map(\.count) == [1])
    #expect(scenario.expectations.isEmpty && scenario.links.defaults.isEmpty)
    #expect(scenario.summary.isEmpty && scenario.duration < .seconds(60))
  }

  @Test("A peer that is left out is left out everywhere")
  func peers() throws {
    let start = try Self.document(seed: 1)
    let (scenario, _) = try Self.reduce(start) { scenario in
      scenario.peerNames.contains("peer5") && scenario.peerNames.contains("peer7")
        && scenario.expectations.contains { if case .connected = $0.kind { true } else { false } }
    }
    #expect(scenario.peerNames == ["peer5", "peer7"])
    guard case .connected(let pairs, _)? = scenario.expectations.first?.kind else {
      Issue.record("the expectation is gone")
      return
    }
    #expect(pairs.names == ["peer5", "peer7"])
    #expect(scenario.expectations[0].name.contains("6 more"), "it keeps the name that it had")
  }

  @Test("Values become small, down to where the failure ends", arguments: [2, 7, 40])
  func values(count: Int) throws {
    let (scenario, _) = try Self.reduce(try Self.document(seed: 1)) { scenario in
      scenario.peers.contains { $0.name == "ann" && $0.workloads.contains { $0.count >= count } }
    }
    #expect(scenario.peers.first { $0.name == "ann" }?.workloads.map(\.count) == [count])
  }

  @Test("A schedule is reduced to the choices that matter")
  func schedule() throws {
    var start = try Self.document(seed: 1)
    start.schedule = .replay(
      ScheduleRecord((0..<300).map { .init(decision: 2 * $0, index: 1 + $0 % 3) }))
    let (scenario, _) = try Self.reduce(start) { scenario in
      guard case .replay(let record) = scenario.schedule else { return false }
      return record.choices.contains { $0.decision == 34 }
        && record.choices.contains { $0.decision == 512 }
    }
    guard case .replay(let record) = scenario.schedule else { return }
    #expect(record.choices.map(\.decision) == [34, 512])
  }

  @Test("A reduction ends after its runs, with the smallest so far")
  func bounds() throws {
    let start = try Self.document(seed: 1)
    let (_, reduction) = try Self.reduce(start, runsMax: 25) { $0.faults.count >= 3 }
    #expect(reduction.runCount == 25)
    #expect((3..<30).contains(reduction.smallest.faultCount))
  }
}
