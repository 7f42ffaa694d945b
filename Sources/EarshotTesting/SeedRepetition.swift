import EarshotSimulator
import Testing

/// A second run of a seed, which has to equal the first one.
struct SeedRepetition {
  private let first: SeedRun.Outcome

  /// The repetition of a run.
  init(of first: SeedRun.Outcome) { self.first = first }

  /// Runs the seed again, and three times when the runs differ.
  ///
  /// - Parameters:
  ///   - observers: The observers of the second run.
  ///   - run: Runs the test with the same seed.
  /// - Returns: The difference of the runs; `nil` when they are equal.
  /// - Throws: The error of a run.
  func difference(
    _ observers: [any RunObserver] = [],
    _ run: ([any RunObserver]) async throws -> SeedRun.Outcome
  ) async throws -> UnequalRuns? {
    let second = try await run(observers)
    guard let window = first.digest.firstDifference(from: second.digest) else {
      let counts = [first.failures.count, second.failures.count]
      return counts[0] == counts[1] ? nil : UnequalRuns(seed: first.seed, failureCounts: counts)
    }
    let recordings = [EventWindow(window), EventWindow(window)]
    for recording in recordings { _ = try await run([recording]) }
    return UnequalRuns(
      seed: first.seed,
      DeterminismCheck.Divergence(
        [first.digest, second.digest], recordings: recordings.map(\.events)))
  }
}

/// Two runs of a test with one seed differ: a failure need not come again.
struct UnequalRuns: Error, CustomStringConvertible {
  let seed: UInt64
  let description: String

  /// Runs whose worlds differ.
  init(seed: UInt64, _ divergence: DeterminismCheck.Divergence) {
    self.seed = seed
    let place = divergence.description.split(separator: "\n").map { "\n  \($0)" }.joined()
    description = "Two runs of seed \(seed) differ:\(place)\n\(Self.advice)"
  }

  /// Runs whose worlds are equal, and whose tests are not.
  init(seed: UInt64, failureCounts: [Int]) {
    self.seed = seed
    description =
      "Two runs of seed \(seed) are equal in their worlds, but the number of issues that the test records is "
      + "\(failureCounts[0]) in one and \(failureCounts[1]) in the other.\n\(Self.advice)"
  }

  private static let advice =
    "A failure may not repeat. Possible causes: the test itself draws random numbers or reads the date (use "
    + "World.current.random(_:) and .now), keeps state from one run to the next, or iterates over a set of "
    + "addresses such as ObjectIdentifier; or the code reads files, the environment or other threads."
}
