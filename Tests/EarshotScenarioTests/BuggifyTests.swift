import Earshot
import EarshotScenario
import EarshotSimulator
import TestKit
import Testing

@Suite("A scenario with BUGGIFY")
struct ScenarioBuggifyTests {
  /// Ann invites Bob, talks to him in large messages and writes a stream while the network is cut
  /// for a while, and leaves; Cat joins in, and sleeps a while.
  private static func scenario(_ more: String = "") throws -> Scenario {
    try Scenario(
      json5: """
        {
          name: "talk", duration: "22s", \(more)
          peers: [
            { name: "ann", invite: "bob", send: { count: 4, every: "1s", size: "20KiB" }, disconnect: "18s",
              stream: { to: "bob", bytes: "240KiB", piece: "20KiB", every: "400ms", start: "5s" } },
            { name: "bob", invite: "cat", session: { patience: "20s" } },
            { name: "cat" },
          ],
          faults: [
            { at: "8s", kind: "partition", groups: [["ann", "cat"], ["bob"]], for: "6s" },
            { at: "9s", kind: "suspend", peer: "cat", grace: "0s", for: "2s" },
          ],
          expect: [
            { connected: "all", by: "7s" },
            { messages: { delivered: "all" } },
            { streams: { delivered: "all" } },
            { event: "bob sees ann left", exactly: 1 },
          ],
        }
        """, file: "talk.json5")
  }

  @Test(
    "Without a point a run is the run that it was", arguments: ["buggify: false,", "buggify: [],"])
  func off(key: String) throws {
    let (plain, off) = (ScenarioRun.run(try Self.scenario()), try Self.scenario(key))
    let verdict = ScenarioRun.run(off)
    #expect(verdict.traceHash == plain.traceHash && verdict.buggified.isEmpty)
  }

  @Test("With points it holds, is repeatable, and is another run", arguments: Seed.some(2))
  func on(seed: Seed) throws {
    let scenario = try Self.scenario("buggify: true,")
    let verdict = ScenarioRun.runTwice(scenario, seed: seed.value)
    #expect(verdict.held, "\(Report(verdict, file: "talk.json5").text())")
    #expect(!verdict.buggified.isEmpty)
    #expect(verdict.traceHash != ScenarioRun.run(try Self.scenario(), seed: seed.value).traceHash)
  }

  @Test("Each point takes effect, by itself, and breaks nothing", arguments: BuggifyPoint.allCases)
  func each(point: BuggifyPoint) throws {
    let scenario = try Self.scenario("buggify: [\"\(point.rawValue)\"],")
    let seen = (UInt64(1)...40).first { seed in
      let verdict = ScenarioRun.run(scenario, seed: seed)
      #expect(verdict.held, "\(Report(verdict, file: "talk.json5").text())")
      return verdict.buggified == [point.rawValue]
    }
    #expect(seen != nil)
  }

  @Test("The points of a drawn run are declared, so that one that none has reached is noticed")
  func declared() throws {
    let verdict = ScenarioRun.run(try Self.scenario("buggify: true,"))
    let names = Set(verdict.properties.map(\.name))
    #expect(BuggifyPoint.allCases.allSatisfy { names.contains("buggify: \($0.rawValue)") })
    let plain = ScenarioRun.run(try Self.scenario())
    #expect(!plain.properties.contains { $0.name.hasPrefix("buggify") })
  }

  @Test("The report lists what took effect, for people and for programs")
  func reported() throws {
    let verdict = ScenarioRun.run(try Self.scenario("buggify: true,"), seed: 2)
    let report = Report(verdict, file: "talk.json5")
    #expect(report.text().contains("\nbuggify: \(verdict.buggified.joined(separator: ", "))\n"))
    #expect(report.json.contains("\"buggify\":[\"\(verdict.buggified[0])\""))
    #expect(Report(ScenarioRun.run(try Self.scenario()), file: "").json.contains("\"buggify\":[]"))
  }

  @Test("The document of one run names its points, and is that run")
  func fixed() throws {
    let scenario = try Self.scenario()
    var drawn = scenario
    drawn.buggify = .drawn
    let verdict = ScenarioRun.run(drawn, seed: 2)
    let document = try ScenarioDocument(json5: Self.text, file: "hello.json5")
    var hello = try #require(document.scenario)
    hello.buggify = .drawn
    let run = ScenarioRun.run(hello, seed: 5)
    let fixed = document.fixed(seed: 5, schedule: nil, buggified: run.buggified)
    let again = ScenarioRun.run(try #require(fixed.scenario))
    #expect(again.traceHash == run.traceHash && again.buggified == run.buggified)
    #expect(!run.buggified.isEmpty && !verdict.buggified.isEmpty)
    // Each point may be left out by itself.
    let left = fixed.keeping(Array(0..<fixed.partCount(.workload)).dropLast(), of: .workload)
    #expect(left.isValid)
    #expect(fixed.partCount(.workload) >= run.buggified.count)
  }

  private static let text = """
    { name: "hello", duration: "10s", peers: [{ name: "ann", invite: "bob" }, "bob"],
      expect: [{ connected: "all", by: "5s" }] }
    """

  @Test("A point that there is not is a mistake, with the one that was probably meant")
  func unknown() throws {
    let error = #expect(throws: ScenarioError.self) {
      _ = try Self.scenario("buggify: [\"short writ\"],")
    }
    #expect(error?.description.contains("did you mean \"short write\"?") == true)
    #expect(throws: ScenarioError.self) { _ = try Self.scenario("buggify: 3,") }
  }

  @Test("The documentation has a row for each point")
  func documented() {
    for point in BuggifyPoint.allCases {
      #expect(ScenarioFormat.text.contains("`\"\(point.rawValue)\"`"))
    }
  }
}
