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

  /// Runs the test, and keeps what fails from being reported.
  ///
  /// - Returns: The failures, each with a comment that names the seed and the replay.
  /// - Throws: `CancellationError` when the test is cancelled.
  func failures(_ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void)
    async throws -> [Issue]
  {
    let failures = Mutex<[Issue]>([])
    let keeping = IssueHandlingTrait.compactMapIssues { [comment] issue in
      guard issue.isFailure else { return issue }
      var issue = issue
      issue.comments.append(comment)
      failures.withLock { $0.append(issue) }
      return nil
    }
    try await keeping.provideScope(for: test, testCase: testCase) {
      do {
        try await perform(function)
      } catch is ExpectationFailedError {
        // Recorded where it was thrown.
      } catch {
        if Task.isCancelled { throw error }
        Issue.record(error, sourceLocation: test.sourceLocation)
      }
    }
    try Task.checkCancellation()
    return failures.withLock { $0 }
  }

  private func perform(_ function: @concurrent @Sendable () async throws -> Void) async throws {
    let world = World(seed: seed, configuration: configuration)
    defer { world.finish() }
    try await CrashLine("A crash in a test. \(comment)\n").whileTesting {
      try await CurrentWorld.$configuration.withValue(configuration) {
        try await CurrentWorld.$world.withValue(world) { try await function() }
      }
    }
  }
}
