/// Priorities drawn at random, which change at a few decisions.
struct PrioritySchedule {
  private var random: RandomStream
  private var priorities = ThreadTable()
  /// The decisions at which a priority falls, and to what; in order.
  private var changes: [(decision: Int, priority: UInt64)]

  init(depth: Int, steps: Int, _ random: RandomStream) {
    let (depth, steps) = (depth.clamped(to: 1...1_024), steps.clamped(to: 1...1_000_000_000))
    self.random = random
    changes = []
    for priority in 1..<UInt64(depth) {
      changes.append((Int(self.random.below(UInt64(steps))), priority))
    }
    changes.sort { ($0.decision, $0.priority) > ($1.decision, $1.priority) }
  }

  mutating func choose(_ decision: Int, among threads: [ThreadKey]) -> Int {
    var highest = highest(at: decision, among: threads)
    while let change = changes.last, change.decision <= decision {
      changes.removeLast()
      priorities.set(change.priority, of: threads[highest])
      highest = self.highest(at: decision, among: threads)
    }
    return highest
  }

  private mutating func highest(at decision: Int, among threads: [ThreadKey]) -> Int {
    var (highest, priority) = (0, UInt64.zero)
    for index in threads.indices {
      // Above all that a change sets.
      let own = priorities.value(
        of: threads[index], at: decision, orDraw: 1 << 63 | random.next())
      if own > priority { (highest, priority) = (index, own) }
    }
    return highest
  }
}

/// Weights that grow with every choice, as those of Pólya's urn.
struct WeightedWalk {
  private var random: RandomStream
  private var weights = ThreadTable()
  private var present: [UInt64] = []

  init(_ random: RandomStream) { self.random = random }

  mutating func choose(_ decision: Int, among threads: [ThreadKey]) -> Int {
    present.removeAll(keepingCapacity: true)
    for thread in threads { present.append(weights.value(of: thread, at: decision, orDraw: 1)) }
    var rest = random.below(present.reduce(0, +))
    let index = present.firstIndex { weight in
      if rest < weight { return true }
      rest -= weight
      return false
    }
    let chosen = index ?? 0
    weights.set(present[chosen] + 1, of: threads[chosen])
    return chosen
  }
}
