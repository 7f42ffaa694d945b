import EarshotCore
import EarshotScenario
import EarshotSimulator
import TestKit
import Testing

@Suite("A plan of faults in a scenario")
struct FaultPlanTests {
  private static func text(_ more: String) -> String {
    "{ name: 'plan', duration: '60s', peers: [{ name: 'peer', count: 5 }], \(more) }"
  }

  private static let random = """
    randomFaults: { count: 12, between: ["5s", "40s"], lasting: ["100ms", "4s"],
                    kinds: ["partition", "cut", "crash", "suspend", "link"] }
    """
  private static let swarm = """
    randomFaults: { count: 30, between: ["5s", "40s"], lasting: ["100ms", "4s"] }
    """
  private static let storage = """
    randomFaults: { count: 30, between: ["5s", "40s"], storage: true }
    """

  @Test(
    "Is the same for the same seed, and lies where the scenario says", arguments: Seed.some(100))
  func same(seed: Seed) throws {
    let scenario = try Scenario(json5: Self.text(Self.random), file: "plan.json5")
    let (plan, drawn) = scenario.faultPlan(seed: seed.value)
    #expect(plan == scenario.faultPlan(seed: seed.value).plan)
    #expect(drawn.count == 12 && plan.faults == drawn)
    for fault in drawn {
      #expect((.seconds(5) ... .seconds(40)).contains(fault.at))
      let lasting = try #require(fault.lasting)
      #expect((.milliseconds(100) ... .seconds(4)).contains(lasting))
    }
    #expect(drawn.map(\.at) == drawn.map(\.at).sorted())
  }

  @Test("Differs between seeds")
  func different() throws {
    let scenario = try Scenario(json5: Self.text(Self.random), file: "plan.json5")
    let plans = Set((0..<50).map { scenario.faultPlan(seed: $0).plan })
    #expect(plans.count == 50)
  }

  @Test("Can be copied from a report into a scenario", arguments: Seed.some(300))
  func copied(seed: Seed) throws {
    for wish in [Self.swarm, Self.storage] {
      let scenario = try Scenario(json5: Self.text(wish), file: "plan.json5")
      let drawn = scenario.faultPlan(seed: seed.value).drawn
      let list = drawn.map(\.description).joined(separator: ",\n")
      let copy = try Scenario(json5: Self.text("faults: [\(list)]"), file: "copy.json5")
      #expect(copy.faultPlan(seed: 0).plan.faults == drawn)
    }
  }

  @Test("Has faults of disks only where the scenario says so")
  func disks() throws {
    func words(_ wish: String) throws -> Set<String> {
      let scenario = try Scenario(json5: Self.text(wish), file: "plan.json5")
      return Set((0..<50).flatMap { scenario.faultPlan(seed: $0).drawn.map(\.kind.word) })
    }
    let disks: Set = ["fullDisk", "slowDisk", "failingDisk"]
    #expect(try words(Self.swarm).isDisjoint(with: disks))
    #expect(try words(Self.storage).isSuperset(of: disks))
  }

  @Test("Has only faults that one peer alone can suffer when there is one alone")
  func alone() throws {
    let text = "{ name: 'plan', duration: '60s', peers: ['ann'], \(Self.random) }"
    let scenario = try Scenario(json5: text, file: "plan.json5")
    let drawn = scenario.faultPlan(seed: 1).drawn
    #expect(drawn.count == 12 && drawn.allSatisfy { ["crash", "suspend"].contains($0.kind.word) })
  }

  @Test("Random faults are executed as if they had been written", arguments: Seed.some(4))
  func executed(seed: Seed) throws {
    let peers = """
      peers: [{ name: "peer", count: 3, invite: { who: "foundSmaller", again: "1s" },
                send: { count: 50, every: "200ms" } }]
      """
    let drawing = "{ name: 'a', duration: '40s', \(peers), randomFaults: { count: 4 } }"
    let scenario = try Scenario(json5: drawing, file: "a.json5")
    let list = scenario.faultPlan(seed: seed.value).drawn.map(\.description)
    let writing =
      "{ name: 'a', duration: '40s', \(peers), faults: [\(list.joined(separator: ","))] }"
    let first = ScenarioRun.run(scenario, seed: seed.value)
    let second = ScenarioRun.run(
      try Scenario(json5: writing, file: "b.json5"), seed: seed.value)
    #expect(first.traceHash == second.traceHash)
    #expect(first.timeline == second.timeline)
  }
}
