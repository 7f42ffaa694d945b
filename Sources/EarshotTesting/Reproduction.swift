import EarshotSimulator
import Testing

/// The repetition of a run that a file describes.
struct Reproduction {
  private let path: String
  private let reproducer: Reproducer
  private let name: TestName
  private let isCase: Bool
  /// The failures of the run with comments.
  private(set) var failures: [Issue] = []
  /// Why the run could not be repeated.
  private(set) var mistakes: [any Error] = []
  /// What a run that passes has to say.
  private(set) var warning: Comment?

  /// A repetition.
  ///
  /// - Parameters:
  ///   - requested: The file and what it describes.
  ///   - name: The name of the test that is running.
  ///   - isCase: Whether the test has arguments; the file does not say of which ones it is.
  init(_ requested: (path: String, run: Reproducer), of name: TestName, isCase: Bool) {
    (path, reproducer) = requested
    (self.name, self.isCase) = (name, isCase)
  }

  /// Repeats the run.
  ///
  /// - Parameter run: Runs the test with a seed and a plan.
  /// - Throws: `CancellationError` when the test is cancelled.
  mutating func fill(
    _ run: (UInt64, RunPlan?, [any RunObserver]) async throws -> SeedRun.Outcome
  ) async throws {
    guard reproducer.test == name.filter else {
      return note(
        "is of the test \(reproducer.test), and this test is \(name.filter). "
          + "Run \(reproducer.replay)")
    }
    let seed = reproducer.seed
    let whole = try await run(seed, nil, [])
    guard let plan = reproducer.plan(of: whole.plan) else {
      guard isCase else {
        return note(
          "has faults that the test does not carry out today. Search again: "
            + name.command("\(SeedChoice.variable)=\(seed)"))
      }
      return
    }
    let story = FailureStory()
    let outcome = try await run(seed, plan, [story])
    let isSame = "\(outcome.digest.hash)" == reproducer.traceHash
    let difference = Comment(
      rawValue: "This is another run than that of \(path): the test or its code has changed since. "
        + "The trace is \(outcome.digest.hash), and \(reproducer.traceHash) in the file.")
    failures = outcome.failures
    guard !failures.isEmpty else {
      if !isSame && !isCase { warning = difference }
      return
    }
    failures[0].comments.append(isSame ? "This is the run of \(path)." : difference)
    if let events = story.comment(isReduced: plan != whole.plan) {
      failures[0].comments.append(events)
    }
  }

  private mutating func note(_ text: String) { mistakes.append(ReproducerError(path, text)) }
}
