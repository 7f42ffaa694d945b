import EarshotCore
import EarshotScenario

extension Engine {
  /// The engine that runs scenarios in virtual time.
  package static var simulated: Engine {
    Engine { order in
      let run = order.isRepeated ? ScenarioRun.runTwice : ScenarioRun.run
      return RunResult(
        run(order.scenario, order.seed, order.trace, order.progress), file: order.file)
    }
  }
}

extension RunResult {
  /// What a verdict says.
  fileprivate init(_ verdict: Verdict, file: String) {
    let report = Report(verdict, file: file)
    self.init(
      exitCode: ExitCode(rawValue: verdict.exitCode) ?? .broken,
      traceHash: verdict.traceHash.description, events: verdict.eventCount,
      violated: verdict.results.filter { !$0.held }.map(\.name),
      text: { report.text(inColour: $0) }, json: { report.json })
  }
}
