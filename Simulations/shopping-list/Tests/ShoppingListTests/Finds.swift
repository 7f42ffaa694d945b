import Synchronization
import Testing

/// For a test that has to fail, since it tests something that is broken on purpose: prints what it has found, and is an
/// issue itself when there is nothing.
struct Finds: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let found = Mutex<[String]>([])
    let keeping = IssueHandlingTrait.compactMapIssues { issue in
      found.withLock {
        $0.append("\(issue.comments.map(\.rawValue).joined(separator: "\n"))")
      }
      return nil
    }
    try await keeping.provideScope(for: test, testCase: testCase, performing: function)
    let texts = found.withLock { $0 }
    #expect(texts.contains { $0.contains("Reduced to ") }, "no seed has found the bug")
    print(texts.joined(separator: "\n"))
  }
}

extension Trait where Self == Finds {
  /// The test has to fail.
  static func finds() -> Self { Finds() }
}
