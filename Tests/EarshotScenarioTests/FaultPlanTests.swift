import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("A plan of faults")
struct FaultPlanTests {
  private static func text(_ more: String) -> String {
    "{ name: 'plan', duration: '60s', peers: [{ name: 'peer', count: 5 }], \(more) }"
  }

  private static let random = """
    randomFaults: { count: 12, between: ["5s", "40s"], lasting: ["100ms", "4s"] }
    """

  @Test(
    "Is the same for the same seed, and lies where the scenario says", arguments: Seed.some(100))
  func same(seed: Seed) throws {
    let scenario = try Scenario(json5: Self.text(Self.random), file: "plan.json5")
    let plan = FaultPlan(scenario, seed: seed.value)
    #expect(plan == FaultPlan(scenario, seed: seed.value))
    #expect(plan.drawn.count == 12)
    for fault in plan.drawn {
      #expect((.seconds(5) ... .seconds(40)).contains(fault.at))
      let lasting = try #require(fault.lasting)
      #expect((.milliseconds(100) ... .seconds(4)).contains(lasting))
    }
    #expect(plan.drawn.map(\.at) == plan.drawn.map(\.at).sorted())
  }

  @Test("Differs between seeds")
  func different() throws {
    let scenario = try Scenario(json5: Self.text(Self.random), file: "plan.json5")
    let plans = Set((0..<50).map { FaultPlan(scenario, seed: $0) })
    #expect(plans.count == 50)
  }

  @Test("Can be copied from a report into a scenario", arguments: Seed.some(100))
  func copied(seed: Seed) throws {
    let scenario = try Scenario(json5: Self.text(Self.random), file: "plan.json5")
    let drawn = FaultPlan(scenario, seed: seed.value).drawn
    let list = drawn.map(\.description).joined(separator: ",\n")
    let copy = try Scenario(json5: Self.text("faults: [\(list)]"), file: "copy.json5")
    #expect(FaultPlan(copy, seed: 0).faults == drawn)
  }

  @Test("Has only faults that one peer alone can suffer when there is one alone")
  func alone() throws {
    let text = "{ name: 'plan', duration: '60s', peers: ['ann'], \(Self.random) }"
    let scenario = try Scenario(json5: text, file: "plan.json5")
    for fault in FaultPlan(scenario, seed: 1).drawn {
      switch fault.kind {
      case .crash, .suspend: break
      case .partition, .cut, .heal, .restart, .resume, .link:
        Issue.record("\(fault) needs two peers")
      }
    }
  }

  @Test("Random faults are executed as if they had been written", arguments: Seed.some(4))
  func executed(seed: Seed) throws {
    let peers = """
      peers: [{ name: "peer", count: 3, invite: { who: "foundSmaller", again: "1s" },
                send: { count: 50, every: "200ms" } }]
      """
    let drawing = "{ name: 'a', duration: '40s', \(peers), randomFaults: { count: 4 } }"
    let scenario = try Scenario(json5: drawing, file: "a.json5")
    let list = FaultPlan(scenario, seed: seed.value).drawn.map(\.description)
    let writing =
      "{ name: 'a', duration: '40s', \(peers), faults: [\(list.joined(separator: ","))] }"
    let first = ScenarioRun.run(scenario, seed: seed.value)
    let second = ScenarioRun.run(
      try Scenario(json5: writing, file: "b.json5"), seed: seed.value)
    #expect(first.traceHash == second.traceHash)
    #expect(first.timeline == second.timeline)
  }
}
