import EarshotScenario
import TestKit
import Testing

@Suite("Scenarios that nobody wrote", .timeLimit(.minutes(10)))
struct RandomScenarioTests {
  /// Those in which something was wrong once, besides the first ones.
  private static let others = [
    734, 1_054, 1_606, 1_791, 2_031, 2_460, 3_983, 4_299, 4_922, 6_886, 8_753, 9_984, 10_657,
    10_812, 11_054, 12_926, 15_552, 16_096, 18_607, 19_480,
  ].map { Seed($0) }

  @Test("Hold what holds in every run", arguments: Seed.some(600) + others)
  func invariants(seed: Seed) throws {
    var random = RandomScenario(seed)
    let text = random.text
    let verdict = ScenarioRun.run(try Scenario(json5: text, file: "\(seed).json5"))
    let violated = verdict.results.filter { $0.isInvariant && !$0.held }
    #expect(violated.isEmpty, "\(violated.map { "\($0.name): \($0.observed)" })\n\(text)")
  }
}
