import EarshotScenario
import EarshotSimulator
import Foundation

/// Reduces a run that failed, and reports and writes the result.
struct Reproducer {
  private let console: Console
  private let engine: Engine
  private let isJSON: Bool

  init(console: Console, engine: Engine, isJSON: Bool) {
    (self.console, self.engine, self.isJSON) = (console, engine, isJSON)
  }

  /// Reduces a run.
  ///
  /// - Parameters:
  ///   - order: The run.
  ///   - result: What came of it.
  ///   - violation: Which of its violations is meant.
  ///   - path: The file to write.
  ///   - stop: Ends the reduction with the best so far.
  ///   - runsMax: How many runs it may cost.
  /// - Returns: Whether the file was written.
  @discardableResult
  func reproduce(
    _ order: RunOrder, _ result: RunResult, _ violation: RunResult.Violation, as path: String,
    until stop: StopSignal, runsMax: Int = Self.runsMax
  ) -> Bool {
    guard let start = fixed(order, result)?.failing(violation.name) else {
      complain("\(order.file) cannot be written as a scenario of one run")
      return false
    }
    var progress = Progress(of: runsMax, on: console) { [start = ContinuousClock.now] in
      start.duration(to: .now)
    }
    let signature = FailureSignature(violation, in: order.scenario)
    guard let scenario = start.scenario,
      signature.outcome(of: run(start, scenario, order), of: scenario) == .fails
    else {
      complain(
        "seed \(order.seed) of \(order.file) does not fail again as \"\(violation.name)\" when its faults "
          + "are written to the scenario")
      return false
    }
    var reduction = RunReduction(
      of: start, policy: order.policy?.schedule ?? order.scenario.schedule, runsMax: runsMax)
    while let candidate = reduction.candidate, !stop.isGiven {
      progress.show(reduction.runCount, "runs, reducing \(reduction.pass.rawValue)")
      guard let scenario = candidate.scenario else { break }
      let result = run(candidate, scenario, order)
      reduction.note(signature.outcome(of: result, of: scenario), result.schedule)
    }
    progress.clear()
    return write(reduction, from: start, order, violation, to: path)
  }

  private func fixed(_ order: RunOrder, _ result: RunResult) -> ScenarioDocument? {
    guard let document = try? ScenarioDocument(json5: order.text, file: order.file) else {
      return nil
    }
    // A schedule of too many choices is known by its policy alone.
    let schedule: SchedulePolicy? =
      result.schedule.choices.isEmpty ? order.policy?.schedule : .replay(result.schedule)
    let fixed = document.fixed(
      seed: order.seed, schedule: schedule, buggified: result.properties.buggified)
    return fixed.scenario == nil ? nil : fixed
  }

  private func run(
    _ document: ScenarioDocument, _ scenario: Scenario, _ order: RunOrder,
    as form: ReportForm = .none
  ) -> RunResult {
    engine.run(
      RunOrder(
        scenario: scenario, file: order.file, text: document.text, seed: scenario.seed,
        isRepeated: order.isRepeated, form: form))
  }

  private func complain(_ text: String) { console.complain("earshot: \(text)".escapedForTerminals) }

  // MARK: What is left

  private func write(
    _ reduction: RunReduction<ScenarioDocument>, from start: ScenarioDocument, _ order: RunOrder,
    _ violation: RunResult.Violation, to path: String
  ) -> Bool {
    let document = reduction.smallest
    guard let scenario = document.scenario else { return false }
    let form: ReportForm = console.isColoured ? .coloured : .plain
    var order = order
    order.file = path
    let result = run(document, scenario, order, as: isJSON ? .json : form)
    let reproduction = Reproduction(document, scenario, start, runCount: reduction.runCount)
    do {
      try Data(document.text.utf8).write(to: URL(filePath: path))
      try Data(reproduction.swiftTest.utf8).write(to: URL(filePath: Reproduction.testPath(path)))
    } catch {
      complain("\(path) cannot be written: \(error.localizedDescription)")
      return false
    }
    if isJSON {
      console.line(reproduction.json(path, order, violation, report: result.report))
    } else {
      console.out("\n\(reproduction.story(violation))\n\(result.report)")
      console.line("written: \(path), \(Reproduction.testPath(path))")
    }
    return true
  }

  /// As many as a reduction may cost.
  static let runsMax = 200
}
