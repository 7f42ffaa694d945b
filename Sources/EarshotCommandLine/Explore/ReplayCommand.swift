import EarshotScenario

/// `earshot replay`: runs a reproduction, and says whether it still fails.
struct ReplayCommand {
  private let console: Console
  private let engine: Engine

  init(console: Console, engine: Engine) { (self.console, self.engine) = (console, engine) }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.count == 1 else {
        throw UsageError("replay needs one file: earshot replay repro.json")
      }
      guard let file = ScenarioFiles(console).read(arguments.operands)?.first else { return .usage }
      if file.scenario.reproduces == nil {
        let path = file.path.escapedForTerminals
        console.complain(
          "earshot: \(path) is an ordinary scenario, not a reproduction: no failure is recorded in it. "
            + "To run it, use \"earshot simulate \(path)\"")
      }
      return run(file, isJSON: arguments.has("--json"))
    }
  }

  private func run(_ file: ScenarioFile, isJSON: Bool) -> ExitCode {
    let form: ReportForm = isJSON ? .json : console.isColoured ? .coloured : .plain
    let order = RunOrder(
      scenario: file.scenario, file: file.path, text: file.text, seed: file.scenario.seed,
      isRepeated: true, form: form)
    let result = engine.run(order)
    console.out(result.report)
    guard !isJSON, let violation = file.scenario.reproduces else { return result.ending.exitCode }
    let isShown = result.violations.contains { $0.name == violation }
    let name = violation.escapedForTerminals
    console.line(isShown ? "reproduced: \(name)" : "no longer fails: \(name)")
    return result.ending.exitCode
  }

  static let plan = CommandPlan(
    name: "replay", operands: "FILE [--json]",
    summary: "Run a reproduction, and report whether it still fails",
    details: """
      "earshot explore" and "earshot shrink" write reproductions: scenarios with all
      faults and the seed. A reproduction still fails after its original file has
      changed.

      exit status: the same as for "earshot simulate"; 0 when it no longer fails
      """,
    options: [OptionPlan("--json", help: "Print one JSON object a line")])
}
