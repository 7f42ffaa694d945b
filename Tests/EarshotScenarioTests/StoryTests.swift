import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("Why something was violated")
struct StoryTests {
  private static func explained(_ text: String, _ policy: SchedulePolicy = .fifo) throws -> Verdict
  {
    var scenario = try Scenario(json5: text, file: "story.json5")
    scenario.schedule = policy
    return ScenarioRun.explaining(ScenarioRun.run(scenario), of: scenario)
  }

  private static let cut = """
    { name: "cut", duration: "20s", peers: [{ name: "ann", invite: "bob" }, "bob", "cy"],
      faults: [{ at: "5s", kind: "cut", between: [["ann"], ["bob"]], for: "10s" }],
      expect: [{ event: "ann sees bob interrupted", never: true },
               { connected: ["ann", "bob"], by: "1s" },
               { event: "ann sees bob joined", from: "6s" }] }
    """

  @Test("What should not have happened is the last line, after what it follows from")
  func happened() throws {
    let verdict = try Self.explained(Self.cut)
    let why = verdict.results[0].why
    #expect(why.last?.hasSuffix("s  ann  notes: interrupted bob silence") == true, "\(why)")
    #expect(why.contains { $0.contains("ann  a timer is due") })
    #expect(why.contains("5s  ann  fault: cut bob"))
    #expect((3...12).contains(why.count))
    let times = try why.map { line in try #require(Double(line.prefix { $0 != "s" })) }
    #expect(times == times.sorted())
  }

  @Test("What held has no reasons, and a verdict without violations stays as it is")
  func held() throws {
    let verdict = try Self.explained(Self.cut)
    let reasons = verdict.results.filter(\.held).flatMap(\.why)
    #expect(reasons.isEmpty)
    let calm = try Scenario(
      json5:
        "{ name: 'c', duration: '1s', peers: [{ name: 'ann', invite: 'bob' }, 'bob'], expect: { connected: 'all', by: '1s' } }",
      file: "c")
    let plain = ScenarioRun.run(calm)
    #expect(plain.held && ScenarioRun.explaining(plain, of: calm) == plain)
  }

  @Test(
    "Where nothing happened, there is what each peer did and heard last of the other, and what was lost"
  )
  func absent() throws {
    let why = try Self.explained(Self.cut).results[2].why
    #expect(why.contains { $0.contains("(cut) to bob") }, "\(why)")
    #expect(why.contains { $0.contains("bob  ") } && why.contains { $0.contains("ann  ") })
    #expect(!why.contains { $0.contains("cy") } && why.count <= 12)
  }

  @Test(
    "Packets have the names of their frames, under every policy",
    arguments: [SchedulePolicy.fifo, .random])
  func frames(policy: SchedulePolicy) throws {
    let why = try Self.explained(
      """
      { name: "crash", duration: "20s", peers: [{ name: "ann", invite: { who: "bob", again: "1s" } }, "bob"],
        faults: [{ at: "5s", kind: "crash", peer: "bob", for: "1s" }],
        expect: { event: "anyone sees anyone joined", never: true } }
      """, policy
    ).results[0].why
    #expect(why.contains { $0.contains("hears INVITE from ") }, "\(why)")
    #expect(why.contains { $0.contains("ACCEPT to ") })
    #expect(why.last?.contains("notes: joined") == true)
  }

  @Test("What the schedule chose before others says so, and nothing does where it chose nothing")
  func chosen() throws {
    func why(_ policy: SchedulePolicy) throws -> [String] {
      try Self.explained(
        """
        { name: "c", duration: "5s", seed: 3, peers: [{ name: "p", count: 4, invite: "foundSmaller" }],
          expect: { event: "p1 sees anyone joined", never: true } }
        """, policy
      ).results[0].why
    }
    let (random, fifo) = (try why(.random), try why(.fifo))
    #expect(random.contains { $0.contains("(chosen before ") }, "\(random)")
    #expect(!fifo.contains { $0.contains("(chosen before ") })
  }

  @Test("Reports show the reasons beneath what was violated, and give them as JSON")
  func report() throws {
    let verdict = try Self.explained(Self.cut)
    let report = Report(verdict, file: "cut.json5")
    let lines = report.text().split(separator: "\n").map(String.init)
    let place = try #require(lines.firstIndex { $0.hasPrefix("✗ ann sees bob interrupted") })
    #expect(lines[place + 1] == "    " + verdict.results[0].why[0])
    let object = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
    let expectations = try #require(object?["expectations"] as? [[String: Any]])
    #expect(expectations[0]["why"] as? [String] == verdict.results[0].why)
    #expect(expectations[1]["why"] == nil)
  }
}
