import EarshotSimulator

/// The runs of a test with many seeds, several at once, until one fails.
///
/// Runs begin in the order of the seeds, and none begins after a failure is known. Runs that have
/// begun are completed. The outcome is the failure of the first seed that fails; it does not depend
/// on the number of cores.
struct SeedSweep {
  private let seeds: [UInt64]
  private let jobs: Int

  /// A sweep.
  ///
  /// - Parameters:
  ///   - seeds: The seeds, in order.
  ///   - jobs: The number of runs at once.
  init(_ seeds: [UInt64], jobs: Int) {
    (self.seeds, self.jobs) = (seeds, jobs.clamped(to: 1...max(1, seeds.count)))
  }

  /// The outcome of all runs.
  struct Outcome {
    /// The first run that fails, or that a second run of its seed differs from; `nil` if there is
    /// none.
    var first: SeedRun.Outcome?
    /// The properties that the code has stated in the runs that were completed.
    var coverage: PropertyCoverage
  }

  /// Runs the test.
  ///
  /// - Parameter run: One run.
  /// - Returns: The run of the first seed that fails, and the properties of all runs.
  /// - Throws: The error of a run, after the others have ended.
  func outcome(_ run: @escaping @Sendable (UInt64) async throws -> SeedRun.Outcome) async throws
    -> Outcome
  {
    try await withThrowingTaskGroup(of: (index: Int, outcome: SeedRun.Outcome).self) { group in
      var begun = 0
      var coverage = PropertyCoverage()
      var first: (index: Int, outcome: SeedRun.Outcome)?
      func beginNext() {
        guard first == nil, begun < seeds.count else { return }
        group.addTask { [index = begun, seed = seeds[begun]] in
          try Task.checkCancellation()
          return (index, try await run(seed))
        }
        begun += 1
      }
      for _ in 0..<jobs { beginNext() }
      while let ended = try await group.next() {
        coverage.add(ended.outcome.properties)
        let isFirst = ended.outcome.isLast && ended.index < first?.index ?? .max
        if isFirst { first = ended }
        beginNext()
      }
      return Outcome(first: first?.outcome, coverage: coverage)
    }
  }
}
