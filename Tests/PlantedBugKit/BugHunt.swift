package import EarshotSimulator

/// The search for a planted bug, seed by seed, and the reduction of the first run that shows it.
public struct BugHunt: Sendable {
  /// The bug.
  public let bug: PlantedBug
  /// The first seed that shows it.
  public let seed: UInt64
  /// What was wrong, as the oracle says it.
  public let failure: String
  /// What befell the run that showed it.
  package let found: RunPlan
  /// What is left of that.
  package let reduced: RunPlan
  /// How many runs the reduction took.
  public let runCount: Int

  /// Looks for a bug.
  ///
  /// - Parameters:
  ///   - bug: The bug.
  ///   - seedsMax: The number of seeds after which to give up.
  ///   - runsMax: The number of runs that the reduction may take.
  public init?(_ bug: PlantedBug, seedsMax: UInt64 = 300, runsMax: Int = 200) {
    for seed in 0..<seedsMax {
      let run = bug.run(seed: seed)
      guard let failure = run.failure else { continue }
      let reduction = bug.reduce(run.plan, seed: seed, failure, runsMax: runsMax)
      (self.bug, self.seed, self.failure, found) = (bug, seed, failure, run.plan)
      (reduced, runCount) = (reduction.smallest, reduction.runCount)
      return
    }
    return nil
  }

  /// How many faults befell the run that showed it, and how many are left.
  public var faultCounts: (found: Int, reduced: Int) { (found.faults.count, reduced.faults.count) }

  /// How many peers are left.
  public var peerCount: Int { reduced.hosts.count }

  /// What is left, a line each.
  public var story: String { "\(reduced)" }

  /// A row of a table: the bug, its seed, what is wrong, and what the reduction left.
  public var line: String {
    "\(bug): seed \(seed), \(failure); \(faultCounts.found) faults and 5 peers -> "
      + "\(faultCounts.reduced) and \(peerCount) in \(runCount) runs"
  }

  /// What is wrong in a run of what is left.
  public var failureOfReduced: String? { bug.run(seed: seed, reduced).failure }

  /// The seeds up to the one that shows the bug, and up to another one at least, at which the program without the bug
  /// fails.
  public func falseAlarms(upTo last: UInt64) -> [UInt64] {
    (0...max(seed, last)).filter { bug.run(seed: $0, isFlawed: false).failure != nil }
  }
}
