import EarshotScenario
import Foundation
import TestKit
import Testing

/// Random scenarios, checked against all invariants.
///
/// `EARSHOT_RANDOM_SCENARIOS="0..<1000" swift test --filter RandomScenarioTests` runs other seeds.
@Suite("Random scenarios", .timeLimit(.minutes(30)))
struct RandomScenarioTests {
  /// The range of seeds that the environment names, or the first 200 and those that once failed.
  private static var seeds: [Seed] {
    guard let text = ProcessInfo.processInfo.environment["EARSHOT_RANDOM_SCENARIOS"] else {
      return Seed.some(200) + failures + laterFailures
    }
    guard let match = text.wholeMatch(of: /(\d+)\.\.<(\d+)/), let first = UInt64(match.1),
      let end = UInt64(match.2), first < end
    else { preconditionFailure("EARSHOT_RANDOM_SCENARIOS is \(text), not a range like 0..<1000") }
    return (first..<end).map { Seed($0) }
  }

  /// They failed when no scenario had streams or files, and are what they were.
  private static let failures = [
    734, 1_054, 1_606, 1_791, 2_031, 2_460, 3_983, 4_299, 4_922, 6_886, 8_753, 9_984, 10_657,
    10_812, 11_054, 12_926, 15_552, 16_096, 18_607, 19_480,
  ].map { Seed($0) }

  /// The first six failed when a stream was delivered without the end that its program had written;
  /// the others, when a reader's program that had left was expected to read on.
  private static let laterFailures = [
    1_271, 1_752, 2_108, 3_543, 4_364, 4_495, 1_842, 2_597, 2_707, 9_186,
  ].map { Seed($0) }

  @Test("Every invariant holds in every run", arguments: seeds)
  func invariants(seed: Seed) throws {
    let isNew = !Self.failures.contains(seed)
    var random = RandomScenario(seed, withStreams: isNew, withFiles: isNew)
    let text = random.text
    let verdict = ScenarioRun.run(try Scenario(json5: text, file: "\(seed).json5"))
    let violated = verdict.results.filter { $0.isInvariant && !$0.held }
    #expect(violated.isEmpty, "\(violated.map { "\($0.name): \($0.observed)" })\n\(text)")
  }
}
