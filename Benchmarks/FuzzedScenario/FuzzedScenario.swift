import EarshotScenario
import Foundation
import FuzzerKit

/// Has libFuzzer look for failures of a scenario: `FuzzedScenario FILE [option of libFuzzer…]`.
///
/// The first input that fails ends the process with 1: its faults and its schedule are in `repro.json`, which
/// `earshot replay` runs and `earshot shrink` reduces.
@main
enum FuzzedScenario {
  static func main() throws {
    guard CommandLine.arguments.count > 1 else {
      print("usage: FuzzedScenario FILE [option of libFuzzer…]")
      exit(2)
    }
    let path = CommandLine.arguments[1]
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let scenario = try GuidedScenario(json5: text, file: path)
    Fuzzer.run(Array(CommandLine.arguments.dropFirst(2))) { bytes in
      let (verdict, reproduction) = scenario.run(guidedBy: bytes)
      Fuzzer.note(verdict.schedule)
      if let reproduction { end(verdict, reproduction) }
    }
  }

  private static func end(_ verdict: Verdict, _ reproduction: ScenarioDocument) -> Never {
    do {
      try Data(reproduction.text.utf8).write(to: URL(filePath: "repro.json"))
    } catch { print("repro.json cannot be written: \(error.localizedDescription)") }
    for result in verdict.results where !result.held {
      print("✗ \(result.name): \(result.observed)")
    }
    print("earshot replay repro.json")
    fflush(nil)
    _exit(1)
  }
}
