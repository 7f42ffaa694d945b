import EarshotScenario
import EarshotSimulator
import Foundation

/// A reduced failure, in words and as a test.
struct Reproduction {
  private let document: ScenarioDocument
  private let scenario: Scenario
  private let start: ScenarioDocument
  private let runCount: Int

  init(
    _ document: ScenarioDocument, _ scenario: Scenario, _ start: ScenarioDocument, runCount: Int
  ) {
    (self.document, self.scenario) = (document, scenario)
    (self.start, self.runCount) = (start, runCount)
  }

  /// The file of a reproduction: what the user named, or the first free one of `repro.json`, `repro-2.json`, ….
  static func path(_ wanted: String?, _ number: Int) -> String {
    if let wanted, number == 0 { return wanted }
    let name = wanted.map { URL(filePath: $0).deletingPathExtension().relativePath } ?? "repro"
    for number in max(1, number + 1)... {
      let path = number == 1 ? "\(name).json" : "\(name)-\(number).json"
      if !FileManager.default.fileExists(atPath: path) { return path }
    }
    return "\(name).json"
  }

  /// The file of its test in Swift.
  static func testPath(_ path: String) -> String {
    let base = path.hasSuffix(".json") ? String(path.dropLast(5)) : path
    return "\(base).swift"
  }

  /// What is left of the failure, in a few sentences.
  func story(_ violation: RunResult.Violation) -> String {
    let peers = scenario.peerNames.map(\.escapedForTerminals)
    let plan = scenario.faultPlan(seed: scenario.seed).plan
    let faults = plan.faults.map { fault in
      let lasting = fault.lasting.map { " for \(Quantity.time($0))" } ?? ""
      return
        "  at \(Quantity.time(fault.at)): \(fault.kind.description.escapedForTerminals)\(lasting)\n"
    }
    let counts =
      "\(String(counting: start.peerNames.count, "peer")) and "
      + String(counting: start.faultCount, "fault")
    return """
      reduced in \(String(counting: runCount, "run")) from \(counts):
        \(String(counting: peers.count, "peer")): \(peers.joined(separator: ", "))
      \(faults.joined())\(schedule)  ✗ \(violation.name.escapedForTerminals)

      """
  }

  private var schedule: String {
    guard case .replay(let record) = scenario.schedule, !record.choices.isEmpty else { return "" }
    return "  \(String(counting: record.choices.count, "choice")) of the schedule\n"
  }

  /// The same for programs, without a line break.
  func json(
    _ path: String, _ order: RunOrder, _ violation: RunResult.Violation, report: String
  ) -> String {
    JSONText.object([
      ("reproduction", path.quotedForJSON), ("of", violation.name.quotedForJSON),
      ("seed", "\"\(order.seed)\""), ("runs", "\(runCount)"),
      ("peers", "\(scenario.peerNames.count)"),
      ("faults", "\(scenario.faultPlan(seed: scenario.seed).plan.faults.count)"),
      ("report", report.isEmpty ? "null" : report.trimmingCharacters(in: .newlines)),
    ])
  }

  /// A test that runs it, to be pasted.
  var swiftTest: String {
    let name = (scenario.reproduces ?? scenario.name).replacing("\\", with: "").replacing(
      "\"", with: "'"
    )
    .escapedForTerminals
    let hashes = Self.hashes(around: document.text)
    return """
      import EarshotScenario
      import Testing

      @Test("\(name)")
      func reproduction() throws {
        let scenario = try Scenario(
          json5: \(hashes)\"""
      \(document.text.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
            \"""\(hashes), file: "reproduction.json5")
        let verdict = ScenarioRun.run(scenario)
        #expect(verdict.held, "\\(Report(verdict, file: "reproduction.json5").text())")
      }

      """
  }

  /// As many number signs as keep a text from ending its literal.
  private static func hashes(around text: String) -> String {
    var hashes = "#"
    while text.contains("\"\"\"" + hashes) || text.contains("\\" + hashes) { hashes += "#" }
    return hashes
  }
}
