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

  /// Runs the test.
  ///
  /// - Returns: Whether no issue was recorded, and nothing thrown.
  /// - Throws: `CancellationError` when the test is cancelled.
  func passes(_ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void)
    async throws -> Bool
  {
    let hasFailed = Atomic(false)
    let noting = IssueHandlingTrait.compactMapIssues { [comment] issue in
      guard issue.isFailure else { return issue }
      hasFailed.store(true, ordering: .relaxed)
      var issue = issue
      issue.comments.append(comment)
      return issue
    }
    try await noting.provideScope(for: test, testCase: testCase) {
      do {
        try await perform(function)
      } catch is ExpectationFailedError {
        // Recorded where it was thrown.
      } catch {
        if Task.isCancelled { throw error }
        Issue.record(error, sourceLocation: test.sourceLocation)
      }
    }
    return !hasFailed.load(ordering: .relaxed)
  }

  private func perform(_ function: @concurrent @Sendable () async throws -> Void) async throws {
    let world = World(seed: seed, configuration: configuration)
    defer { world.finish() }
    try await CrashLine("A crash in a test. \(comment)\n").whileTesting {
      try await CurrentWorld.$world.withValue(world) { try await function() }
    }
  }
}
