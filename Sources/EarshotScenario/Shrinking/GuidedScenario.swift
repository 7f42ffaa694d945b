import EarshotSimulator

/// A scenario whose drawn faults and whose schedule bytes decide, such as the inputs of a fuzzer.
package struct GuidedScenario: Sendable {
  private let scenario: Scenario
  private let document: ScenarioDocument

  /// The scenario of a text.
  ///
  /// - Parameters:
  ///   - text: JSON5, without files to include.
  ///   - file: The name of the file, for messages.
  /// - Throws: Every mistake in the text.
  package init(json5 text: String, file: String) throws(ScenarioError) {
    scenario = try Scenario(json5: text, file: file)
    document = try ScenarioDocument(json5: text, file: file)
  }

  /// Runs it once, with its own seed, as bytes decide.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: What came out, and, when something is violated, the document of that run: it has the faults and the
  ///   schedule that the bytes stood for, and fails without them.
  package func run(
    guidedBy bytes: [UInt8]
  ) -> (verdict: Verdict, reproduction: ScenarioDocument?) {
    var scenario = scenario
    (scenario.guide, scenario.schedule) = (bytes, .random)
    let verdict = ScenarioRun.run(scenario)
    guard let violated = verdict.results.first(where: { !$0.held }) else { return (verdict, nil) }
    var reproduction = document.fixed(
      seed: scenario.seed, schedule: .replay(verdict.schedule), guidedBy: bytes,
      buggified: verdict.buggified)
    reproduction.root = reproduction.root.setting("reproduces", .text(violated.name))
    return (verdict, reproduction)
  }
}
