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
