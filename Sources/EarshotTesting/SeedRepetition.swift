import EarshotSimulator
import Testing

/// A second run of a seed, which has to be the first one again.
struct SeedRepetition {
  private let first: SeedRun.Outcome

  /// The repetition of a run.
  init(of first: SeedRun.Outcome) { self.first = first }

  /// Runs the seed again, and three times when it is another run.
  ///
  /// - Parameter run: Runs the test with the same seed and keeps the events with these numbers.
  /// - Returns: Where the runs part; `nil` when they are equal.
  /// - Throws: What a run throws.
  func difference(
    _ run: (_ window: Range<Int>) async throws -> SeedRun.Outcome
  ) async throws -> UnequalRuns? {
    let second = try await run(0..<0)
    guard let window = first.digest.firstDifference(from: second.digest) else {
      let counts = [first.failures.count, second.failures.count]
      return counts[0] == counts[1] ? nil : UnequalRuns(seed: first.seed, failureCounts: counts)
    }
    let recordings = [try await run(window).events, try await run(window).events]
    return UnequalRuns(
      seed: first.seed,
      DeterminismCheck.Divergence([first.digest, second.digest], recordings: recordings))
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
