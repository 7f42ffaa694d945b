import EarshotSimulator
import Synchronization
import Testing

/// One run of a test, in the world of one seed.
struct SeedRun {
  private let seed: UInt64
  private let test: Test
  private let configuration: WorldConfiguration
  private let isReduced: Bool
  private let observers: [any RunObserver]

  /// A run.
  ///
  /// - Parameters:
  ///   - seed: The seed of the world.
  ///   - test: The test.
  ///   - configuration: The conditions of the world.
  ///   - plan: The plan that replaces the faults of the test and the schedule; `nil` for none.
  ///   - observers: The observers of the run.
  init(
    _ seed: UInt64, of test: Test, _ configuration: WorldConfiguration, _ plan: RunPlan? = nil,
    _ observers: [any RunObserver] = []
  ) {
    (self.seed, self.test, isReduced) = (seed, test, plan != nil)
    self.observers = observers
    var configuration = configuration
    configuration.replay = TestName(test).command("\(SeedChoice.variable)=\(seed)")
    configuration.escapesAreViolations = true
    plan?.configure(&configuration)
    self.configuration = configuration
  }

  private var comment: Comment {
    "Seed \(seed). Replay: \(configuration.replay ?? "")"
  }

  /// The outcome of a run.
  struct Outcome: Sendable {
    /// The failures, each with a comment that names the seed and the replay.
    let failures: [Issue]
    /// The properties that the code has stated.
    let properties: [Property]
    /// The faults of the world and the choices of its schedule.
    let plan: RunPlan
    let seed: UInt64
    /// The digest of everything that has happened in the world.
    let digest: TraceDigest
    /// The names of the hosts, in the order of their making.
    let hosts: [String]
    /// The virtual time at the end.
    let duration: Duration
    /// Where a second run of the seed has differed.
    var unequal: UnequalRuns?

    /// Whether no further seed runs.
    var isLast: Bool { !failures.isEmpty || unequal != nil }
  }

  /// Runs the test, and keeps its failures from being reported.
  ///
  /// - Returns: The outcome.
  /// - Throws: `CancellationError` when the test is cancelled.
  func outcome(_ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void)
    async throws -> Outcome
  {
    let world = World(seed: seed, configuration: configuration)
    if !observers.isEmpty {
      world.record { [observers, unowned world] event in
        for observer in observers { observer.add(event, in: world) }
      }
    }
    let failures = Mutex<[Issue]>([])
    let deadlock = Mutex<Deadlock?>(nil)
    let unawaited = Mutex<[UnawaitedError]>([])
    let keeping = IssueHandlingTrait.compactMapIssues { [comment, observers] issue in
      guard issue.isFailure else { return issue }
      if !observers.isEmpty {
        let failure = RecordedFailure(issue, in: world)
        for observer in observers { observer.noteFailure(failure) }
      }
      var issue = issue
      issue.comments.append(comment)
      failures.withLock { $0.append(issue) }
      return nil
    }
    try await keeping.provideScope(for: test, testCase: testCase) {
      do {
        try await perform(function, in: world) { stuck, errors in
          deadlock.withLock { $0 = stuck }
          unawaited.withLock { $0 = errors }
        }
      } catch is ExpectationFailedError {
        // Recorded where it was thrown.
      } catch {
        if Task.isCancelled { throw error }
        Issue.record(error, sourceLocation: test.sourceLocation)
      }
      // Issues that follow from it were recorded before.
      if let violation = world.violations.first {
        Issue.record(violation, sourceLocation: test.sourceLocation)
      }
      for error in unawaited.withLock(\.self) {
        Issue.record(error, sourceLocation: test.sourceLocation)
      }
    }
    try Task.checkCancellation()
    return Outcome(
      failures: failures.withLock { $0 }.map { Self.issue($0, deadlock.withLock { $0 }) },
      properties: world.properties, plan: RunPlan(of: world), seed: seed,
      digest: world.traceDigest, hosts: world.hostNames, duration: world.now - .zero)
  }

  private func perform(
    _ function: @concurrent @Sendable () async throws -> Void, in world: World,
    ended: (Deadlock?, [UnawaitedError]) -> Void
  ) async throws {
    defer {
      ended(world.deadlock, world.takeUnawaitedErrors())
      world.finish()
    }
    let place = isReduced ? "a test that has failed, while its faults are reduced" : "a test"
    try await CrashLine("\(place). \(comment)\n").whileTesting {
      try await CurrentWorld.$configuration.withValue(configuration) {
        try await CurrentWorld.$world.withValue(world) { try await function() }
      }
    }
  }

  /// A failure in a world where nothing can happen any more says so.
  private static func issue(_ issue: Issue, _ deadlock: Deadlock?) -> Issue {
    guard let deadlock else { return issue }
    var issue = issue
    issue.comments.append("\(deadlock)")
    return issue
  }
}
