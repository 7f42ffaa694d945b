import EarshotScenario

/// `earshot shrink`: reduces one run that fails.
struct ShrinkCommand {
  private let console: Console
  private let engine: Engine
  private let interrupts: InterruptSource

  init(console: Console, engine: Engine, interrupts: InterruptSource) {
    (self.console, self.engine, self.interrupts) = (console, engine, interrupts)
  }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.count == 1 else {
        throw UsageError("shrink needs one file: earshot shrink FILE --seed N")
      }
      let runs = try arguments.number("--runs", else: Reproducer.runsMax, in: 1...100_000)
      let seed = try arguments[option: "--seed"].map(SeedRange.seed)
      let settings = try Setting.all(arguments)
      guard let file = ScenarioFiles(console).read(arguments.operands, settings)?.first else {
        return .usage
      }
      let path = Reproduction.path(arguments[option: "--repro"], 0)
      guard path != file.path else { throw UsageError("--repro needs a file of its own") }
      let policy = try arguments[option: "--policy"].map(ExplorationPolicy.named)
      var order = RunOrder(
        scenario: file.scenario, file: file.path, text: file.text,
        seed: seed ?? file.scenario.seed, isRepeated: false, form: .none)
      (order.policy, order.isBuggified) = (policy, arguments.has("--buggify"))
      return run(order, path, runs, isJSON: arguments.has("--json"))
    }
  }

  private func run(
    _ order: RunOrder, _ path: String, _ runs: Int, isJSON: Bool
  ) -> ExitCode {
    let result = engine.run(order)
    guard result.ending != .held, let violation = result.violations.first else {
      let file = order.file.escapedForTerminals
      console.line("seed \(order.seed) of \(file) holds: no failure to reduce")
      return .held
    }
    guard result.ending != .unchecked else {
      let file = order.file.escapedForTerminals
      console.line("seed \(order.seed) of \(file) has no failure to reduce: \(violation.name)")
      return result.ending.exitCode
    }
    let stop = StopSignal()
    let listener = interrupts.listen { stop.give() }
    let isWritten = Reproducer(console: console, engine: engine, isJSON: isJSON)
      .reproduce(order, result, violation, as: path, until: stop, runsMax: runs)
    return withExtendedLifetime(listener) { isWritten ? result.ending.exitCode : .unwritten }
  }

  static let plan = CommandPlan(
    name: "shrink", operands: "FILE [options]",
    summary: "Reduce a run that fails to the cause of its failure",
    details: """
      Faults, peers, their actions, values and the schedule are left out or made
      smaller while the same failure is seen for the same cause: a run that holds
      without its faults is reduced to one that does, too. The counts that an
      expectation asks for follow the peers and messages that are left. The result
      is written to repro.json, which "earshot replay" runs, and beside it to a
      test in Swift.
      The report has the last packets, timers, faults and choices of the schedule
      beneath each failure.
      Ctrl-C ends the reduction with the smallest run so far.

      exit status: that of the run
      """,
    options: [
      OptionPlan("--seed", "N", help: "The seed that fails, instead of the one in the file"),
      OptionPlan(
        "--policy", "POLICY",
        help: "The schedule policy: fifo, random, pct or urw (default:\nthe policy of the file)"),
      Setting.option,
      OptionPlan("--buggify", help: "The run had --buggify"),
      OptionPlan("--repro", "FILE", help: "Where to write the reproduction (default: repro.json)"),
      OptionPlan("--runs", "N", help: "How many runs it may take (default: 200)"),
      OptionPlan("--json", help: "Print one JSON object a line"),
    ])
}
