import EarshotScenario

/// The runs of one command: some files, each with one seed or with many.
struct Batch: Sendable {
  /// One run among them.
  struct Item: Sendable {
    /// Which of the files it runs.
    let fileIndex: Int
    let seed: UInt64
    let isRepeated: Bool
  }

  let files: [ScenarioFile]
  /// The policy of the schedule; `nil` for each scenario's own.
  let policy: ExplorationPolicy?
  /// Whether BUGGIFY is on.
  let isBuggified: Bool
  private let seeds: SimulateOptions.Seeds
  private let repetition: SimulateOptions.Repetition

  init(_ files: [ScenarioFile], _ options: SimulateOptions) {
    (self.files, seeds, repetition) = (files, options.seeds, options.repetition)
    (policy, isBuggified) = (options.policy, options.isBuggified)
  }

  /// How many runs there are; a run that is done twice counts once.
  var count: Int { files.count * seedCount }

  /// How many seeds each file is run with.
  var seedCount: Int {
    switch seeds {
    case .one: 1
    case .sweep(let range): range.count
    }
  }

  /// The runs, file by file, in the order of the seeds.
  subscript(index: Int) -> Item {
    let (fileIndex, offset) = index.quotientAndRemainder(dividingBy: seedCount)
    switch seeds {
    case .one(let seed):
      return Item(
        fileIndex: fileIndex, seed: seed ?? files[fileIndex].scenario.seed,
        isRepeated: repetition != .none)
    case .sweep(let range):
      return Item(
        fileIndex: fileIndex, seed: range.lowerBound + UInt64(offset),
        isRepeated: isRepeated(offset))
    }
  }

  private func isRepeated(_ offset: Int) -> Bool {
    switch repetition {
    case .none: false
    case .some: offset.isMultiple(of: 20)
    case .all: true
    }
  }
}

/// What became of one of the runs.
struct Outcome: Sendable {
  let item: Batch.Item
  let result: RunResult
}
