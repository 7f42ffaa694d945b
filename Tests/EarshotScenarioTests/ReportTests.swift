import EarshotCore
import EarshotScenario
import Foundation
import Testing

@Suite("A report")
struct ReportTests {
  private static func verdict(
    held: Bool = true, detail: String = "accepted", entries: Int = 1
  ) -> Verdict {
    Verdict(
      scenario: "room\u{1B}[31m", summary: "what it shows", seed: 7, traceHash: RollingHash(),
      eventCount: 12, virtualDuration: .seconds(90), cpuSeconds: 0.25,
      timeline: Timeline(
        (0..<entries).map { Timeline.Entry(.seconds($0), "ann", .outcome, "bob", detail) }),
      messages: [Verdict.Messages("ann", "bob", sent: 3, delivered: 2)],
      drawnFaults: ["{ at: \"1s\", kind: \"heal\" }"],
      results: [
        Verdict.Result("first", held: true, observed: "at 1s"),
        Verdict.Result("second", held: held, observed: "never"),
        Verdict.Result("law", held: true, observed: "always", isInvariant: true),
      ])
  }

  @Test("Ends with the seed, the trace and the number of events")
  func lastLine() {
    let text = Report(Self.verdict(), file: "room.json5").text()
    #expect(text.hasSuffix("seed 7  trace 243f6a8885a308d3  events 12\n"))
    #expect(text.contains("earshot simulate room.json5 --seed 7"))
  }

  @Test("Marks what held and what did not")
  func marks() {
    let text = Report(Self.verdict(held: false), file: "room.json5").text()
    #expect(text.contains("✓ first "))
    #expect(text.contains("✗ second "))
    #expect(text.contains("violated: 1 of 3"))
    #expect(Self.verdict(held: false).exitCode == 1)
    #expect(Self.verdict().exitCode == 0)
  }

  @Test("Has nothing in it that steers a terminal, unless colours are wanted")
  func safety() {
    let report = Report(
      Self.verdict(detail: "a\u{7}b\u{202E}c\r\n"), file: "x; rm\u{1B}[2J '.json5")
    let isSafe = { (scalar: Unicode.Scalar) in
      scalar == "\n" || (scalar.value >= 0x20 && scalar.value != 0x7F && scalar.value != 0x202E)
    }
    #expect(report.text().unicodeScalars.allSatisfy(isSafe))
    #expect(report.json.unicodeScalars.allSatisfy(isSafe))
    #expect(report.text().contains("room\\u{1B}[31m"))
    #expect(!report.text(inColour: true).contains("room\u{1B}[31m"))
    #expect(report.text(inColour: true).contains("\u{1B}[32m✓\u{1B}[0m"))
  }

  @Test(
    "Has a command that can be pasted into a shell, whatever the file is called",
    arguments: [
      ("Simulations/a-b_1.json5", "Simulations/a-b_1.json5"), ("zoë.json5", "zoë.json5"),
      ("a b.json5", "'a b.json5'"), ("it's; rm *", "'it'\\''s; rm *'"), ("$HOME", "'$HOME'"),
      ("-x.json5", "./-x.json5"), ("", "''"), ("a\u{1B}[2J", "'a\\u{1B}[2J'"),
    ])
  func replay(file: String, word: String) {
    let command = "earshot simulate \(word) --seed 7"
    #expect(Report(Self.verdict(), file: file).replayCommand == command)
  }

  @Test("Shortens a long timeline in its middle")
  func long() {
    let text = Report(Self.verdict(entries: 5_000), file: "room.json5").text()
    #expect(text.contains("4800 more"))
    #expect(text.split(separator: "\n").count < 230)
  }

  @Test("Is one line of JSON with every key")
  func json() throws {
    let line = Report(Self.verdict(held: false, detail: "say \"hi\"\\"), file: "room.json5").json
    #expect(!line.contains("\n"))
    let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
    let object = try #require(parsed as? [String: Any])
    #expect(object["scenario"] as? String == "room\u{1B}[31m")
    #expect(object["seed"] as? String == "7")
    #expect(object["held"] as? Bool == false)
    #expect(object["exitCode"] as? Int == 1)
    #expect(object["traceHash"] as? String == "243f6a8885a308d3")
    #expect(object["events"] as? Int == 12)
    #expect(object["virtualSeconds"] as? Double == 90)
    #expect(object["cpuSeconds"] as? Double == 0.25)
    #expect(object["faults"] as? [String] == ["{ at: \"1s\", kind: \"heal\" }"])
    let expectations = try #require(object["expectations"] as? [[String: Any]])
    #expect(expectations.map { $0["name"] as? String } == ["first", "second"])
    #expect(expectations.map { $0["held"] as? Bool } == [true, false])
    let timeline = try #require(object["timeline"] as? [[String: Any]])
    #expect(timeline.first?["detail"] as? String == "say \"hi\"\\")
  }

  @Test("Says in one line what survives the faults, and what not; nothing where there are none")
  func guarantees() throws {
    func report(_ faults: String) throws -> Report {
      let text = "{ name: 'g', duration: '9s', peers: ['ann', 'bob'], faults: [\(faults)] }"
      return Report(ScenarioRun.run(try Scenario(json5: text, file: "g.json5")), file: "g.json5")
    }
    let cut = try report("{ at: '1s', kind: 'cut', between: ['ann', 'bob'] }")
    let line =
      "\nsurvives all faults: messages, agreement, oneLink, identities; "
      + "not memberships, links, convergence\n"
    #expect(cut.text().contains(line))
    #expect(cut.json.contains(#""guarantees":["messages","agreement","oneLink","identities"]"#))
    let heal = try report("{ at: '1s', kind: 'heal' }")
    #expect(heal.text().contains("identities, memberships, links, convergence\n"))
    let quiet = try report("")
    #expect(!quiet.text().contains("survives") && !quiet.json.contains("guarantees"))
  }

  @Test("Says when a second run differed, and where")
  func different() {
    var verdict = Self.verdict()
    verdict.determinism = .different("first:  a\nsecond: b")
    #expect(verdict.exitCode == 3)
    #expect(Report(verdict, file: "room.json5").text().contains("  first:  a\n  second: b\n"))
    #expect(Report(verdict, file: "room.json5").json.contains("\"deterministic\":false"))
  }
}
