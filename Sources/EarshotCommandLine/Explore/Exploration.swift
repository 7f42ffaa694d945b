import EarshotScenario

/// The runs of an exploration: every seed of the shard with every file, one seed after the other.
struct Exploration: Sendable {
  /// One of the runs.
  struct Item: Hashable, Sendable {
    let fileIndex: Int
    let seed: UInt64
    let policy: ExplorationPolicy
    let isBuggified: Bool
  }
  let files: [ScenarioFile]
  private let options: ExploreOptions

  init(_ files: [ScenarioFile], _ options: ExploreOptions) {
    (self.files, self.options) = (files, options)
  }

  /// Which part of the whole exploration this is.
  var part: ExplorationPart { ExplorationPart(of: files, options) }

  /// How many seeds the shard has.
  var seedCount: Int {
    let (left, shard) = (UInt64(options.seeds.count) - options.shard.index, options.shard.count)
    return Int((left + shard - 1) / shard)
  }

  var count: Int {
    let (product, overflow) = seedCount.multipliedReportingOverflow(by: files.count)
    return overflow ? Int.max : product
  }

  subscript(index: Int) -> Item {
    let (round, fileIndex) = index.quotientAndRemainder(dividingBy: files.count)
    let offset = options.shard.index + UInt64(round) * options.shard.count
    // By the place among all seeds, so that shards and jobs change nothing.
    let policy = options.policies[Int(offset % UInt64(options.policies.count))]
    return Item(
      fileIndex: fileIndex, seed: options.seeds.lowerBound + offset, policy: policy,
      isBuggified: isBuggified(offset))
  }

  /// By turns: one round of the policies without BUGGIFY, and one with.
  private func isBuggified(_ offset: UInt64) -> Bool {
    switch options.buggify {
    case .always: true
    case .never: false
    case .byTurns: !(offset / UInt64(options.policies.count)).isMultiple(of: 2)
    }
  }

  /// The order of one of the runs.
  func order(of item: Item, as form: ReportForm = .none) -> RunOrder {
    let file = files[item.fileIndex]
    var order = RunOrder(
      scenario: file.scenario, file: file.path, text: file.text, seed: item.seed,
      isRepeated: false, form: form)
    (order.policy, order.isBuggified) = (item.policy, item.isBuggified)
    return order
  }
}

/// What tells one kind of failure from another: what was violated, and where.
struct FailureSignature: Hashable, Sendable {
  let name: String
  private let shape: ViolationShape?

  /// The kind of a violation in a scenario.
  ///
  /// An expectation is one place; an invariant has as many as there are ways to violate it.
  init(_ violation: RunResult.Violation, in scenario: Scenario) {
    name = violation.name
    let isExpectation = scenario.expectations.contains { $0.name == violation.name }
    let text = violation.observed.split(separator: " (and ").first ?? ""
    shape =
      isExpectation ? nil : ViolationShape(String(text), names: Set(scenario.peerNames))
  }

  /// The kind as a text, the same in all processes.
  var text: String { shape.map { "\(name): \($0.text)" } ?? name }

  /// Whether a result shows the same failure, and not because nothing else could come of the scenario.
  func isShown(by result: RunResult, of scenario: Scenario) -> Bool {
    result.violations.contains { FailureSignature($0, in: scenario) == self }
      && !scenario.hopeless.contains(name)
  }
}
