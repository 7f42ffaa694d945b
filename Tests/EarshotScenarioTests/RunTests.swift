import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("A run of a scenario")
struct RunTests {
  private static let hello = """
    {
      name: "hello", duration: "20s",
      peers: [
        { name: "ann", browse: true, invite: "bob", send: { count: 5, every: "100ms" } },
        { name: "bob", echo: true },
      ],
      expect: [
        { connected: "all", by: "3s" },
        { event: "ann sees bob found", exactly: 1 },
        { outcome: "ann -> bob", is: "accepted", exactly: 1 },
        { messages: { from: "ann", to: "bob", exactly: 5 } },
        { messages: { from: "bob", to: "ann" } },
      ],
    }
    """

  @Test("Two peers that find each other and talk are what was expected")
  func helloHolds() throws {
    let scenario = try Scenario(json5: Self.hello, file: "hello.json5")
    var lines: [String] = []
    let verdict = ScenarioRun.runTwice(scenario) { lines.append($0) }
    print(Report(verdict, file: "hello.json5").text())
    print(Report(verdict, file: "hello.json5").json)
    #expect(verdict.held)
    #expect(verdict.determinism == .same)
    #expect(verdict.exitCode == 0)
    #expect(lines.count { $0.contains("\treceived\t") } == 10)
  }
}
