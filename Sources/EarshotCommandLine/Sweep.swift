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
    let difference: Repeatability?

    var exitCode: ExitCode { difference == nil ? result.exitCode : .broken }
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
    CrashNote.set("earshot: seed \(seed) crashed; again: \(file.replay(seed))\n")
    let result = engine.run(file.scenario, seed, nil)
    let repeats = isRepeated(seed)
    let difference =
      repeats
      ? Repeatability.failure(of: file.scenario, seed: seed, after: result, on: engine) : nil
    return Outcome(seed: seed, result: result, wasRepeated: repeats, difference: difference)
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
    exitCode = max(exitCode, outcome.exitCode)
    guard outcome.exitCode > .held else { return }
    let differs = outcome.difference == nil ? [] : ["two runs differ"]
    failures.append(Failure(seed: outcome.seed, reasons: differs + outcome.result.violated))
    if outcome.exitCode == .broken {
      broken.append(outcome.seed)
    } else {
      violated.append(outcome.seed)
    }
  }
}
