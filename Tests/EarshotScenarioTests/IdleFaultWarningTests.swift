import EarshotCore
import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("A fault of a scenario that strikes nothing")
struct IdleFaultWarningTests {
  private static func scenario(_ more: String) throws -> Scenario {
    try Scenario(
      json5: """
        { name: "i", duration: "10s", expect: { connected: ["ann", "bob"] },
          peers: [
            "ann", { name: "bob", invite: "ann", send: { count: 5 } }, { name: "cy", start: "9s" },
          ], \(more) }
        """, file: "i.json5")
  }

  @Test(
    "Is a warning of the run, with its time and the reason",
    arguments: [
      (
        "{ at: '2s', kind: 'cut', from: 'ann', to: 'cy', for: '1s' }",
        "\"cut ann → cy\" at 2s struck nothing: no packet was sent on its links while it lasted"
      ),
      (
        "{ at: '2s', kind: 'link', from: 'cy', to: 'bob', loss: '5%', for: '1s' }",
        "\"link cy → bob loss: 0.05\" at 2s struck nothing: no packet was sent on its links while it lasted"
      ),
      (
        "{ at: '2.5s', kind: 'flap', between: ['cy', 'bob'], every: '1s', for: '3s' }",
        "\"flap cy ↔ bob: down for 500ms every 1s\" at 2.5s struck nothing: no packet was sent on its links while they were down"
      ),
      (
        "{ at: '2s', kind: 'partition', groups: [['ann', 'bob'], ['cy']], for: '1s' }",
        "\"partition ann bob | cy\" at 2s struck nothing: no packet was sent between its groups while it lasted"
      ),
      (
        "{ at: '2s', kind: 'medium', peer: ['ann', 'cy'], bandwidth: '1Mbit/s', for: '1s' }",
        "at 2s struck nothing: no packet was sent over it while it lasted"
      ),
      (
        "{ at: '2s', kind: 'reset', between: ['ann', 'cy'] }",
        "\"reset ann ↔ cy\" at 2s struck nothing: no connection existed on its links"
      ),
      (
        "{ at: '2s', kind: 'clog', peer: 'cy', for: '1s' }",
        "\"clog of cy\" at 2s struck nothing: no packet was sent to or from cy while it lasted"
      ),
      (
        "{ at: '2s', kind: 'isolate', peer: 'cy', reach: 'inbound', for: '1s' }",
        "\"isolation of cy, inbound\" at 2s struck nothing: no packet was sent to cy while it lasted"
      ),
      (
        "{ at: '2s', kind: 'stale', peer: 'cy', after: '1s', for: '1s' }",
        "struck nothing: cy sent no multicast while it lasted"
      ),
      (
        "{ at: '2s', kind: 'fullDisk', peer: ['ann', 'bob'] }",
        "\"full disk of ann bob\" at 2s struck nothing: nothing was written to the disks of ann and bob while it lasted"
      ),
      (
        "{ at: '2s', kind: 'slowDisk', peer: 'ann', factor: 9 }",
        "struck nothing: the disk of ann was not used while it lasted"
      ),
      (
        "{ at: '2s', kind: 'heal' }",
        "\"heal\" at 2s struck nothing: no fault of the network was in force"
      ),
      (
        "{ at: '2s', kind: 'resume', peer: 'ann' }",
        "\"resumption of ann\" at 2s struck nothing: ann was not suspended or frozen"
      ),
      (
        "{ at: '2s', kind: 'crash', peer: 'cy' }, { at: '3s', kind: 'freeze', peer: 'cy', for: '1s' }",
        "\"freeze of cy\" at 3s struck nothing: cy was off while it lasted"
      ),
      (
        "{ at: '2s', kind: 'crash', peer: 'cy' }, { at: '3s', kind: 'clock', peer: 'cy', jump: '1s' }",
        "at 3s struck nothing: cy was off"
      ),
    ])
  func warned(faults: String, warning: String) throws {
    let scenario = try Self.scenario("faults: [\(faults)]")
    #expect(scenario.warnings.isEmpty)
    let verdict = ScenarioRun.run(scenario)
    #expect(verdict.exitCode == 0)
    #expect(verdict.warnings.count == 1 && verdict.warnings[0].hasSuffix(warning))
    let report = Report(verdict, file: "i.json5")
    #expect(report.text().contains("\nwarning: \(verdict.warnings[0])\nheld\n"))
    #expect(report.json.contains("\"warnings\":[\(verdict.warnings[0].quotedForJSON)]"))
    #expect(!report.json.contains("idleFaults"))
  }

  @Test(
    "Is not warned about if it strikes",
    arguments: [
      "{ at: '1s', kind: 'cut', between: ['ann', 'bob'], for: '300ms' }",
      "{ at: '2s', kind: 'link', between: ['ann', 'bob'], latency: '5ms' }",
      "{ at: '2s', kind: 'partition', groups: ['ann', 'bob'], for: '4s' }, { at: '3s', kind: 'heal' }",
      "{ at: '2s', kind: 'reset', between: ['ann', 'bob'] }",
      "{ at: '2s', kind: 'crash', peer: 'cy', for: '1s' }",
      "{ at: '2s', kind: 'freeze', peer: 'ann' }, { at: '3s', kind: 'resume', peer: 'ann' }",
    ])
  func silent(faults: String) throws {
    let verdict = ScenarioRun.run(try Self.scenario("faults: [\(faults)]"))
    #expect(verdict.warnings.isEmpty)
  }

  @Test("Is a warning on the page of the run")
  func page() throws {
    let recording = RunRecording()
    let scenario = try Self.scenario("faults: [{ at: '2s', kind: 'heal' }]")
    let verdict = ScenarioRun.run(scenario, events: recording.add)
    let page = ReportPage(RunPicture(verdict, recording, file: "i.json5")).html
    let warning = "&quot;heal&quot; at 2s struck nothing: no fault of the network was in force"
    #expect(page.contains("<p>warning: \(warning)</p>"))
  }

  // MARK: Faults of the seed

  private static func random(_ faults: String) throws -> Verdict {
    ScenarioRun.run(try scenario("randomFaults: \(faults)"))
  }

  @Test("Is marked in the list of faults when the seed drew it, and no warning")
  func drawn() throws {
    let verdict = try Self.random(
      "{ count: 6, kinds: ['slowDisk', 'freeze'], between: ['1s', '4s'] }")
    #expect(verdict.warnings.isEmpty && verdict.drawnFaults.count == 6)
    let report = Report(verdict, file: "i.json5")
    let lines = report.text().split(separator: "\n").filter { $0.hasPrefix("  { id: ") }
    for (line, fault) in zip(lines, verdict.drawnFaults) {
      let mark = line.dropFirst(fault.count + 3)
      let isIdle = fault.contains("slowDisk")
      #expect(line.hasPrefix("  \(fault),") && mark.isEmpty == !isIdle)
      #expect(!isIdle || mark.hasPrefix("  // struck nothing: the disk of "))
    }
    let idle = verdict.drawnFaults.filter { $0.contains("slowDisk") }
    #expect(lines.count == 6 && !idle.isEmpty && idle.count < 6)
    let object = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
    let members = try #require(object?["idleFaults"] as? [[String: String]])
    #expect(members.compactMap { $0["fault"] } == idle)
    #expect(members.allSatisfy { $0["reason"]?.hasSuffix("was not used while it lasted") == true })
    #expect(object?["faults"] as? [String] == verdict.drawnFaults)
    // A mark does not keep the lines from being copied into a scenario.
    let copy = try Self.scenario("faults: [\n\(lines.joined(separator: "\n"))\n]")
    #expect(copy.faults.count == 6)
  }

  @Test("Is marked when it comes after the end")
  func late() throws {
    let verdict = try Self.random("{ count: 5, kinds: ['freeze'], between: ['9s', '30s'] }")
    let text = Report(verdict, file: "i.json5").text()
    let marks = text.components(separatedBy: ",  // struck nothing: it comes after the end\n").count
    let begun = verdict.timeline.entries.count { $0.kind == .fault }
    #expect(verdict.warnings.isEmpty && marks - 1 == 5 - begun && begun < 5)
  }

  // MARK: Runs that are stopped

  @Test("Is not named in a run that was stopped while the fault, or before it, might have struck")
  func stopped() throws {
    let faults = """
      faults: [
        { at: "1s", kind: "cut", from: "ann", to: "cy", for: "1s" },
        { at: "2s", kind: "cut", from: "ann", to: "cy" },
        { at: "5s", kind: "heal" },
        { at: "6s", kind: "slowDisk", peer: "ann", factor: 2 },
      ], randomFaults: { count: 3, kinds: ["slowDisk"], between: ["5s", "9s"] }
      """
    let scenario = try Self.scenario(faults)
    let verdict = ScenarioRun.run(scenario) { world, recorder in
      world.at(.zero + .seconds(4)) {
        recorder.breach(.programs, "it fails")
      }
    }
    #expect(verdict.stopped == .seconds(4))
    #expect(verdict.warnings.map { $0.prefix(20) } == ["\"cut ann → cy\" at 1s"])
    #expect(!Report(verdict, file: "i.json5").text().contains("//"))
    let whole = ScenarioRun.run(scenario)
    #expect(whole.warnings.count == 3 && whole.warnings[2].hasPrefix("\"slow disk of ann"))
    #expect(Report(whole, file: "i.json5").text().components(separatedBy: "//").count == 4)
  }
}
