import EarshotScenario

/// Many seeds of one scenario, one after the other.
struct Sweep {
  let file: ScenarioFile
  let seeds: Range<UInt64>
  let repetition: SimulateOptions.Repetition
  let engine: Engine

  /// What became of one seed.
  struct Outcome {
    let seed: UInt64
    let result: RunResult
    let wasRepeated: Bool
  }

  /// Runs every seed, and hands on what became of it.
  func run(_ report: (Outcome) -> Void) -> SweepSummary {
    var summary = SweepSummary(file: file, seeds: seeds)
    for seed in seeds {
      let outcome = outcome(of: seed)
      summary.add(outcome)
      report(outcome)
    }
    return summary
  }

  private func outcome(of seed: UInt64) -> Outcome {
    let order = file.order(seed: seed, isRepeated: isRepeated(seed))
    return Outcome(seed: seed, result: engine.run(order), wasRepeated: order.isRepeated)
  }

  private func isRepeated(_ seed: UInt64) -> Bool {
    switch repetition {
    case .none: false
    case .some: (seed - seeds.lowerBound).isMultiple(of: 20)
    case .all: true
    }
  }
}

/// What a sweep found.
struct SweepSummary {
  /// A seed that failed, and why.
  struct Failure {
    let seed: UInt64
    let reasons: [String]
  }

  let file: ScenarioFile
  let seeds: Range<UInt64>
  private(set) var failures: [Failure] = []
  private(set) var violated: [UInt64] = []
  private(set) var broken: [UInt64] = []
  private(set) var repeated = 0
  private(set) var events = 0
  private(set) var exitCode = ExitCode.held

  init(file: ScenarioFile, seeds: Range<UInt64>) { (self.file, self.seeds) = (file, seeds) }

  mutating func add(_ outcome: Sweep.Outcome) {
    repeated += outcome.wasRepeated ? 1 : 0
    events += outcome.result.events
    exitCode = max(exitCode, outcome.result.exitCode)
    switch outcome.result.exitCode {
    case .held: break
    case .violated, .usage:
      violated.append(outcome.seed)
      failures.append(Failure(seed: outcome.seed, reasons: outcome.result.violated))
    case .broken:
      broken.append(outcome.seed)
      let reasons = ["two runs of this seed differ"] + outcome.result.violated
      failures.append(Failure(seed: outcome.seed, reasons: reasons))
    }
  }
}
