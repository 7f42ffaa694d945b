import EarshotSimulator
import Testing

/// What is reported of the first seed that fails: whether it repeats, what it is reduced to, and
/// the events that led to the failure.
struct FailureReport {
  private let first: SeedRun.Outcome
  private let run: (RunPlan?, [any RunObserver]) async throws -> SeedRun.Outcome

  /// The report of a run that has failed.
  ///
  /// - Parameters:
  ///   - first: The outcome of the run.
  ///   - run: Runs the test with the same seed, with another plan if there is one.
  init(
    _ first: SeedRun.Outcome,
    _ run: @escaping (RunPlan?, [any RunObserver]) async throws -> SeedRun.Outcome
  ) { (self.first, self.run) = (first, run) }

  /// The issues to record.
  ///
  /// - Parameter configuration: The conditions of the world, to reduce the run; `nil` for no reduction.
  /// - Returns: The failures of the run with comments, and the difference of a second run, if there is one.
  /// - Throws: `CancellationError` when the test is cancelled.
  func issues(
    reducedUnder configuration: WorldConfiguration?
  ) async throws -> (failures: [Issue], unequal: UnequalRuns?) {
    var story = FailureStory()
    let unequal = try await SeedRepetition(of: first).difference([story]) { try await run(nil, $0) }
    if let unequal { return (first.failures, unequal) }
    var comments: [Comment] = []
    var isReduced = false
    if let configuration {
      let reduced = try await PlanShrinking(first, configuration).result { try await run($0, []) }
      comments += reduced.map { [$0.comment] } ?? []
      if let plan = reduced?.plan, plan != first.plan {
        (story, isReduced) = (FailureStory(), true)
        _ = try await run(plan, [story])
      }
    }
    if let events = story.comment(isReduced: isReduced) { comments.append(events) }
    var failures = first.failures
    failures[0].comments += comments
    return (failures, nil)
  }
}
