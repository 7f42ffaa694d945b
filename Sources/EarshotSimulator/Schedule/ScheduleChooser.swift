/// Makes the decisions of a policy, and keeps a record of them.
struct ScheduleChooser {
  private var strategy: Strategy
  private var decisions = 0
  /// How many decisions in a row have passed over the oldest.
  private var oldestPassedOver = 0
  private(set) var choices: [ScheduleRecord.Choice] = []

  private enum Strategy {
    case random(RandomStream)
    case priorities(PrioritySchedule)
    case weights(WeightedWalk)
    case replay([ScheduleRecord.Choice], next: Int)
  }

  /// Bytes that decide before the policy does; those that are left.
  private var guide: ArraySlice<UInt8> = []

  /// The chooser of a policy; `nil` for the one that chooses nothing, unless there are bytes that do.
  init?(_ policy: SchedulePolicy, seed: UInt64, guidedBy guide: [UInt8] = []) {
    let random = RandomStream(seed: seed, name: "schedule")
    switch policy {
    case .fifo:
      guard !guide.isEmpty else { return nil }
      strategy = .replay([], next: 0)
    case .random: strategy = .random(random)
    case .pct(let depth, let steps):
      strategy = .priorities(PrioritySchedule(depth: depth, steps: steps, random))
    case .uniformRandomWalk: strategy = .weights(WeightedWalk(random))
    case .seeded(let seed, let policy):
      guard let chooser = ScheduleChooser(policy, seed: seed, guidedBy: guide) else {
        return nil
      }
      self = chooser
      return
    case .replay(let record): strategy = .replay(record.choices, next: 0)
    }
    if case .replay = policy {} else { self.guide = guide[...] }
  }

  /// Decides what is next.
  ///
  /// - Parameter threads: What could be, the oldest first: which task each belongs to, or which host and kind of
  ///   event. There are at least two.
  /// - Returns: An index.
  mutating func choose(among threads: [ThreadKey]) -> Int {
    let decision = decisions
    guard decision < UInt32.max, choices.count < ScheduleRecord.choicesMax else { return 0 }
    decisions += 1
    let index = index(of: decision, among: threads)
    guard index > 0 else {
      oldestPassedOver = 0
      return 0
    }
    oldestPassedOver += 1
    choices.append(ScheduleRecord.Choice(decision: decision, index: index))
    return index
  }

  private mutating func index(of decision: Int, among threads: [ThreadKey]) -> Int {
    // At most 64 threads, so a byte says any of them.
    if oldestPassedOver < Self.patience, let byte = guide.popFirst() {
      return Int(byte) % threads.count
    }
    switch strategy {
    case .replay(let record, let next):
      guard next < record.count, record[next].decision == decision else { return 0 }
      strategy = .replay(record, next: next + 1)
      return record[next].index < threads.count ? record[next].index : 0
    case _ where oldestPassedOver >= Self.patience: return 0
    case .random(var random):
      defer { strategy = .random(random) }
      return Int(random.below(UInt64(threads.count)))
    case .priorities(var priorities):
      strategy = .replay([], next: 0)  // So that there is one owner.
      defer { strategy = .priorities(priorities) }
      return priorities.choose(decision, among: threads)
    case .weights(var weights):
      strategy = .replay([], next: 0)
      defer { strategy = .weights(weights) }
      return weights.choose(decision, among: threads)
    }
  }

  private static let patience = 1_000
}
