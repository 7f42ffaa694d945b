import EarshotSimulator
import Testing

/// Reduces the plan of a failing run of a test: fewer faults, shorter ones, fewer hosts, fewer
/// choices of the schedule.
struct PlanShrinking {
  private let first: SeedRun.Outcome
  private let policy: SchedulePolicy

  /// The reduction of a run that has failed.
  ///
  /// - Parameters:
  ///   - first: The outcome of the run.
  ///   - configuration: The conditions of its world.
  init(_ first: SeedRun.Outcome, _ configuration: WorldConfiguration) {
    (self.first, policy) = (first, configuration.schedule)
  }

  /// What a reduction has come to.
  struct Result {
    /// The smallest plan with which the test fails in the same way.
    let plan: RunPlan
    /// What is left, for people.
    let comment: Comment
  }

  /// Reduces the run.
  ///
  /// - Parameter run: Runs the test with another plan.
  /// - Returns: The result; `nil` when nothing can be left out.
  /// - Throws: `CancellationError` when the test is cancelled.
  func result(_ run: (RunPlan) async throws -> SeedRun.Outcome) async throws -> Result? {
    guard !first.plan.faults.isEmpty || !first.plan.hosts.isEmpty || first.plan.schedule != .fifo,
      let failure = first.failures.first.map(StatefulFailure.init)
    else { return nil }
    var reduction = RunReduction(of: first.plan, policy: policy, runsMax: Self.runsMax)
    while let candidate = reduction.candidate {
      try Task.checkCancellation()
      let outcome = try await run(candidate)
      reduction.note(outcome.compared(with: failure), outcome.plan.record)
    }
    return Result(plan: reduction.smallest, comment: Comment(rawValue: story(reduction)))
  }

  private func story(_ reduction: RunReduction<RunPlan>) -> String {
    let left = reduction.smallest
    return "Reduced to \(left.counts(in: first.plan)) in \(reduction.runCount) further runs:"
      + ("\(left)".isEmpty ? " it fails without any." : "\n\(left)".indented)
      + PastedPlan(left, insteadOf: policy).lines.map { "\n\($0)" }.joined()
  }

  private static let runsMax = 200
}

extension RunPlan {
  /// How many faults, and how many hosts of groups, are left of a plan.
  func counts(in whole: RunPlan) -> String {
    let faults = "\(faults.count) of \(whole.faults.count) faults"
    let names = groups.flatMap(\.names)
    return names.isEmpty ? faults : "\(faults) and \(hosts.count) of \(names.count) hosts"
  }
}

extension SeedRun.Outcome {
  /// Whether the test failed in the same way, in another one, or not at all.
  fileprivate func compared(with failure: StatefulFailure) -> ReductionOutcome {
    guard let first = failures.first else { return .holds }
    return StatefulFailure(first) == failure ? .fails : .differs
  }
}
