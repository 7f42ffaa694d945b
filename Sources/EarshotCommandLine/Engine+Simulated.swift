import EarshotCore
import EarshotScenario

extension Engine {
  /// The engine that runs scenarios in virtual time, on the calling thread.
  package static var simulated: Engine {
    Engine { order in
      let run = order.isRepeated ? ScenarioRun.runTwice : ScenarioRun.run
      let verdict = run(order.scenario, order.seed, order.trace, order.progress)
      return RunResult(verdict, of: order)
    }
  }
}

extension RunResult {
  /// What a verdict says.
  fileprivate init(_ verdict: Verdict, of order: RunOrder) {
    let report = Report(verdict, file: order.file)
    let violated = verdict.results.filter { !$0.held }.map { Violation($0.name, $0.observed) }
    let ending = Ending(verdict)
    self.init(
      ending, traceHash: verdict.traceHash.description, events: verdict.eventCount,
      violations: ending.violations + violated, report: report.written(as: order.form))
  }
}

extension RunResult.Ending {
  fileprivate init(_ verdict: Verdict) {
    switch verdict.determinism {
    case .different: self = .different
    case .unchecked, .same: self = verdict.held ? .held : .violated
    }
  }

  /// What is wrong with a run because of how it ended, whatever its expectations say.
  fileprivate var violations: [RunResult.Violation] {
    switch self {
    case .held, .violated, .crashed: []
    case .unchecked: [RunResult.Violation("nothing was checked")]
    case .different: [RunResult.Violation("two runs of this seed differ")]
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
