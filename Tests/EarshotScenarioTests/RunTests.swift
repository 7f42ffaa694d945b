import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("A run of a scenario")
struct RunTests {
  private static func hello(_ more: String = "", expect: String = "") throws -> Scenario {
    try Scenario(
      json5: """
        {
          name: "hello", duration: "20s",
          peers: [
            { name: "ann", browse: true, invite: "bob", send: { count: 5, every: "100ms" } },
            { name: "bob", echo: true },
          ],
          \(more)
          expect: [\(expect)],
        }
        """, file: "hello.json5")
  }

  @Test("Shows two peers that find each other and talk", arguments: Seed.some(20))
  func holds(seed: Seed) throws {
    let scenario = try Self.hello(
      expect: """
        { connected: "all", by: "3s" },
        { event: "ann sees bob found", exactly: 1 },
        { outcome: "ann -> bob", is: "accepted", exactly: 1 },
        { messages: { from: "ann", to: "bob", exactly: 5 } },
        { messages: { from: "bob", to: "ann", exactly: 5 } },
        { messages: { delivered: "all" } },
        """)
    let verdict = ScenarioRun.runTwice(scenario, seed: seed.value)
    #expect(verdict.results.allSatisfy { $0.held })
    #expect(verdict.determinism == .same)
    #expect(verdict.results.count == 27)
  }

  @Test("Is violated by what does not happen")
  func violated() throws {
    let scenario = try Self.hello(
      expect: """
        { connected: "all", at: "0s" },
        { event: "ann sees bob left" },
        { messages: { exactly: 11 } },
        """)
    let verdict = ScenarioRun.run(scenario)
    #expect(verdict.exitCode == 1)
    #expect(verdict.results.filter { !$0.isInvariant }.allSatisfy { !$0.held })
    #expect(verdict.results.filter(\.isInvariant).allSatisfy { $0.held })
  }

  @Test("Differs between seeds")
  func seeds() throws {
    let scenario = try Self.hello()
    let hashes = Set((0..<20).map { ScenarioRun.run(scenario, seed: $0).traceHash })
    #expect(hashes.count == 20)
  }

  @Test("Tells its trace line by line, packets and messages, and is none the different for it")
  func trace() throws {
    var lines: [String] = []
    let verdict = ScenarioRun.run(try Self.hello()) { lines.append($0) }
    #expect(lines.count == verdict.eventCount + 1)  // The names of the fields come first.
    #expect(lines.count { $0.contains("\tnote\tann\t\tsent\t") } == 5)
    #expect(lines.count { $0.contains("\tnote\tbob\t\treceived\t") } == 5)
    #expect(lines.contains { $0.contains("\tdelivered\tann\tbob\ttcp\t") })
    #expect(ScenarioRun.run(try Self.hello()).traceHash == verdict.traceHash)
  }

  @Test("Ends every fault that lasts, and leaves the others")
  func overlap() throws {
    let scenario = try Self.hello(
      """
      faults: [
        { at: "2s", kind: "cut", between: ["ann", "bob"], for: "10s" },
        { at: "3s", kind: "partition", groups: [["ann"], ["bob"]], for: "1s" },
      ],
      """,
      expect: """
        { event: "ann sees bob interrupted", exactly: 1 },
        { disconnected: "all", throughout: ["8s", "11.9s"] },
        { connected: "all" },
        """)
    let verdict = ScenarioRun.run(scenario)
    #expect(verdict.held, "\(Report(verdict, file: "hello.json5").text())")
    #expect(verdict.timeline.entries.count { $0.kind == .faultEnded } == 2)
  }

  @Test("Restarts a crashed peer as itself or as a stranger", arguments: ["kept", "new"])
  func restart(identity: String) throws {
    let scenario = try Self.hello(
      """
      faults: [
        { at: "5s", kind: "crash", peer: "bob" },
        { at: "6s", kind: "restart", peer: "bob", identity: "\(identity)" },
      ],
      """)
    let verdict = ScenarioRun.run(scenario)
    #expect(verdict.results.allSatisfy { $0.held })
    let starts = verdict.timeline.entries.filter { $0.observer == "bob" && $0.kind == .started }
    #expect(starts.map(\.time) == [.zero, .seconds(6)])
    let found = Set(verdict.timeline.entries.filter { $0.kind == .found }.map(\.identity))
    #expect(found == (identity == "kept" ? [0] : [0, 1]))
  }
}
