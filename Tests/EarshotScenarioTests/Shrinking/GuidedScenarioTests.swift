import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("A scenario that bytes decide")
struct GuidedScenarioTests {
  private static let text = """
    { name: "guided", duration: "30s", seed: 7,
      peers: [{ name: "ann", invite: "bob" }, "bob", { name: "cy", invite: "ann" }],
      randomFaults: { count: 3, between: ["5s", "10s"], lasting: ["1s", "12s"], kinds: ["cut", "isolate", "crash"] },
      expect: [{ event: "anyone sees anyone interrupted", never: true }, { connected: "all", by: "5s" }] }
    """

  private static let inputs: [[UInt8]] = (UInt64(0)..<20).map { number in
    var random = RandomStream(seed: number)
    return random.bytes(80)
  }

  @Test("A run that fails has a document, which fails in the same way without the bytes")
  func reproduced() throws {
    let guided = try GuidedScenario(json5: Self.text, file: "guided.json5")
    var plans: Set<String> = []
    var failures = 0
    for bytes in Self.inputs {
      let (verdict, document) = guided.run(guidedBy: bytes)
      #expect((document == nil) == verdict.results.allSatisfy(\.held))
      guard let document else { continue }
      let scenario = try Scenario(json5: document.text, file: "repro.json")
      let again = ScenarioRun.run(scenario)
      #expect(again.traceHash == verdict.traceHash)
      #expect(again.results.first { !$0.held }?.name == scenario.reproduces)
      #expect(scenario.randomFaults == nil && !scenario.faults.isEmpty)
      plans.insert(scenario.faults.map(\.description).joined())
      failures += 1
    }
    #expect(failures >= 3 && plans.count >= 3, "the bytes do not decide")
  }

  @Test("The same bytes make the same run, and mistakes in the text are told")
  func repeated() throws {
    let guided = try GuidedScenario(json5: Self.text, file: "guided.json5")
    let hashes = (0..<2).map { _ in guided.run(guidedBy: Self.inputs[0]).verdict.traceHash }
    #expect(hashes[0] == hashes[1])
    #expect(throws: ScenarioError.self) { _ = try GuidedScenario(json5: "{}", file: "a.json5") }
  }
}
