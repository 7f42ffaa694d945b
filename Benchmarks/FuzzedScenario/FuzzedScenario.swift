import EarshotScenario
import Foundation
import FuzzerKit

/// Has libFuzzer look for failures of a scenario: `FuzzedScenario FILE [option of libFuzzer…]`.
@main
struct FuzzedScenario {
  private let scenario: Scenario
  private let document: ScenarioDocument

  static func main() throws {
    guard CommandLine.arguments.count > 1 else {
      print("usage: FuzzedScenario FILE [option of libFuzzer…]")
      exit(2)
    }
    let scenario = try FuzzedScenario(CommandLine.arguments[1])
    scenario.explore(Array(CommandLine.arguments.dropFirst(2)))
  }

  init(_ path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    scenario = try Scenario(json5: text, file: path)
    document = try ScenarioDocument(json5: text, file: path)
  }

  /// Runs it for one input after the other, until one fails: that run is written to `repro.json`, and ends the process
  /// with 1.
  func explore(_ options: [String]) -> Never {
    Fuzzer.run(options) { bytes in
      var scenario = scenario
      (scenario.guide, scenario.schedule) = (bytes, .random)
      let verdict = ScenarioRun.run(scenario)
      Fuzzer.note(verdict.schedule)
      guard let violated = verdict.results.first(where: { !$0.held }) else { return }
      var reproduction = document.fixed(
        seed: scenario.seed, schedule: .replay(verdict.schedule), guidedBy: bytes)
      reproduction.root = reproduction.root.setting("reproduces", .text(violated.name))
      do {
        try Data(reproduction.text.utf8).write(to: URL(filePath: "repro.json"))
      } catch { print("repro.json cannot be written: \(error.localizedDescription)") }
      print("✗ \(violated.name): \(violated.observed)\nearshot replay repro.json")
      fflush(nil)
      _exit(1)
    }
  }
}
