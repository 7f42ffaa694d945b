import EarshotSimulator
import EarshotTesting
import Synchronization
import Testing

extension SimulatedTrait {
  /// Runs a body as a test with the trait would, and keeps its issues from being reported.
  ///
  /// - Parameter body: The body, with the world of each run.
  /// - Returns: The issues, in order.
  /// - Throws: What the trait throws.
  func issues(
    of body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> [Issue] {
    let test = try #require(Test.current)
    let testCase = Test.Case.current
    let issues = Mutex<[Issue]>([])
    let swallowing = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append(issue) }
      return nil
    }
    try await swallowing.provideScope(for: test, testCase: testCase) {
      try await provideScope(for: test, testCase: testCase) { try await body(World.current) }
    }
    return issues.withLock { $0 }
  }
}
