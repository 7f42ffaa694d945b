import EarshotCore
import EarshotScenario
import EarshotSimulator

extension Engine {
  /// The engine that runs scenarios in virtual time, on the calling thread.
  package static var simulated: Engine {
    Engine { order in
      var scenario = order.scenario
      if let policy = order.policy { scenario.schedule = policy.schedule }
      if order.isBuggified { scenario.buggify = .drawn }
      let isExplained = order.form != .none
      let twice = isExplained ? ScenarioRun.explainingTwice : ScenarioRun.runTwice
      let run = order.isRepeated ? twice : ScenarioRun.run
      var verdict = run(scenario, order.seed, order.trace, order.events, order.progress)
      verdict.variation.policy = order.policy?.rawValue
      verdict.variation.isBuggified = order.isBuggified
      if isExplained, !order.isRepeated {
        verdict = ScenarioRun.explaining(
          verdict, of: scenario, progress: order.explanationProgress)
      }
      order.verdict?(verdict)
      return RunResult(verdict, of: order)
    }
  }
}

extension RunResult {
  /// What a verdict says.
  fileprivate init(_ verdict: Verdict, of order: RunOrder) {
    let report = Report(verdict, file: order.file)
    self.init(
      Ending(verdict), traceHash: verdict.traceHash.description, events: verdict.eventCount,
      violations: Self.violations(verdict), report: report.written(as: order.form))
    properties = verdict.properties
    guarantees = verdict.guarantees?.map(\.rawValue)
    let record = verdict.schedule
    if ending != .held, record.choices.count <= Self.choicesMax { schedule = record }
  }

  /// A schedule with more choices is known by its seed alone.
  private static let choicesMax = 200_000

  private static func violations(_ verdict: Verdict) -> [Violation] {
    let violated = verdict.results.filter { !$0.held }.map {
      Violation($0.name, $0.observed, $0.focus)
    }
    switch Ending(verdict) {
    case .different: return [Violation("two runs of this seed differ")] + violated
    case .unchecked: return [Violation("nothing was checked", verdict.gap ?? "")]
    case .held, .violated, .crashed: return violated
    }
  }
}

extension RunResult.Ending {
  fileprivate init(_ verdict: Verdict) {
    switch verdict.determinism {
    case .different: self = .different
    case .unchecked, .same:
      let isViolated = verdict.results.contains { !$0.held }
      self = verdict.held ? .held : isViolated ? .violated : .unchecked
    }
  }
}

extension Report {
  fileprivate func written(as form: ReportForm) -> String {
    switch form {
    case .none: ""
    case .plain: text()
    case .coloured: text(inColour: true)
    case .json: json + "\n"
    }
  }
}
