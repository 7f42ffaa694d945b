import EarshotSimulator
import Synchronization
import Testing

/// One run of a test, in the world of one seed.
struct SeedRun {
  private let seed: UInt64
  private let test: Test
  private let configuration: WorldConfiguration

  init(_ seed: UInt64, of test: Test, _ configuration: WorldConfiguration) {
    (self.seed, self.test) = (seed, test)
    var configuration = configuration
    configuration.replay = Self.replay(seed, test)
    self.configuration = configuration
  }

  /// The command that runs the test with this seed alone.
  private static func replay(_ seed: UInt64, _ test: Test) -> String {
    let names = test.id.nameComponents.map { $0.prefix { $0 != "(" } }.joined(separator: "/")
    return "\(SeedChoice.variable)=\(seed) swift test --filter '\(test.id.moduleName).\(names)'"
  }

  private var comment: Comment {
    "Seed \(seed). Replay: \(configuration.replay ?? "")"
  }

  /// What came of a run.
  struct Outcome: Sendable {
    /// The failures, each with a comment that names the seed and the replay.
    let failures: [Issue]
    /// What the code has stated of itself.
    let properties: [Property]
  }

  /// Runs the test, and keeps what fails from being reported.
  ///
  /// - Throws: `CancellationError` when the test is cancelled.
  func outcome(_ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void)
    async throws -> Outcome
  {
    let world = World(seed: seed, configuration: configuration)
    let failures = Mutex<[Issue]>([])
    let deadlock = Mutex<Deadlock?>(nil)
    let keeping = IssueHandlingTrait.compactMapIssues { [comment] issue in
      guard issue.isFailure else { return issue }
      var issue = issue
      issue.comments.append(comment)
      failures.withLock { $0.append(issue) }
      return nil
    }
    try await keeping.provideScope(for: test, testCase: testCase) {
      do {
        try await perform(function, in: world) { ended in deadlock.withLock { $0 = ended } }
      } catch is ExpectationFailedError {
        // Recorded where it was thrown.
      } catch {
        if Task.isCancelled { throw error }
        Issue.record(error, sourceLocation: test.sourceLocation)
      }
      // What follows from it was recorded before.
      if let violation = world.violations.first {
        Issue.record(violation, sourceLocation: test.sourceLocation)
      }
    }
    try Task.checkCancellation()
    return Outcome(
      failures: failures.withLock { $0 }.map { Self.issue($0, deadlock.withLock { $0 }) },
      properties: world.properties)
  }

  private func perform(
    _ function: @concurrent @Sendable () async throws -> Void, in world: World,
    stuck: (Deadlock?) -> Void
  ) async throws {
    defer {
      stuck(world.deadlock)
      world.finish()
    }
    try await CrashLine("A crash in a test. \(comment)\n").whileTesting {
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
