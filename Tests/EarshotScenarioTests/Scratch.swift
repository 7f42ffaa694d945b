import EarshotCore
import EarshotScenario
import Foundation
import Testing
@Suite struct Scratch {
  @Test func scratch() throws {
    let env = ProcessInfo.processInfo.environment
    guard let file = env["SCN"] else { return }
    let scenario = try Scenario(json5: String(contentsOfFile: file, encoding: .utf8), file: file)
    let seeds = (env["SEEDS"] ?? "1..<2").components(separatedBy: "..<").map { UInt64($0)! }
    var bad = 0
    var cpu = 0.0
    for seed in seeds[0]..<seeds[1] {
      let verdict = ScenarioRun.runTwice(scenario, seed: seed)
      cpu += verdict.cpuSeconds
      if seeds[1] - seeds[0] == 1 || (verdict.exitCode != 0 && bad < 2) { print(Report(verdict, file: file).text()) }
      if verdict.exitCode != 0 { bad += 1; print("BAD", seed, verdict.exitCode, verdict.results.filter { !$0.held }.map { "\($0.name): \($0.observed)" }) }
    }
    print("bad", bad, "cpu", cpu)
  }
}
