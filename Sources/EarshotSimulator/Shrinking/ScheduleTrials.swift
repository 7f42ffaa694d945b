/// The schedules under which a smaller run is tried.
///
/// A record of choices says which of what could be next comes first, decision by decision; in a run without a fault or
/// a peer the decisions are others. If a failure needs thousands of choices as a whole, nothing can then be left out. So
/// what does not fail under the record is tried again under other schedules of the same policy, and what these have
/// chosen is the new record. They are given up when they have found nothing many times.
struct ScheduleTrials: Hashable {
  private let policy: SchedulePolicy?
  private var draws = 0
  private var drawsLeft = 0
  private var vainDraws = 0
  /// Whether the run that is tried has a schedule of its own.
  private(set) var isDrawn = false

  init(_ policy: SchedulePolicy?) {
    switch policy {
    case nil, .fifo, .replay: self.policy = nil
    case .random, .pct, .uniformRandomWalk, .seeded: self.policy = policy
    }
  }

  /// A run is tried under the schedule that it has.
  mutating func begin(hasChoices: Bool) {
    isDrawn = false
    drawsLeft = hasChoices && vainDraws < Self.vainDrawsMax ? Self.drawsMax : 0
  }

  /// The schedule under which to try the same run again.
  mutating func next() -> SchedulePolicy? {
    guard let policy, drawsLeft > 0 else { return nil }
    drawsLeft -= 1
    draws += 1
    vainDraws += 1
    isDrawn = true
    return .seeded(UInt64(draws), policy)
  }

  /// The run has failed.
  mutating func noteFailure() { if isDrawn { vainDraws = 0 } }

  private static let drawsMax = 3
  private static let vainDrawsMax = 24
}
