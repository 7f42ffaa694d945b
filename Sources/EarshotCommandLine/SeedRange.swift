import EarshotScenario

/// The seeds of a sweep.
struct SeedRange: Hashable, Sendable {
  let seeds: Range<UInt64>

  /// The seeds of a text such as `0..<1000`.
  init(_ text: String) throws(UsageError) {
    let ends = text.split(separator: "..<", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = UInt64(ends[0]), let end = UInt64(ends[1]) else {
      throw UsageError(
        "\"\(text.escapedForTerminals)\" is no range of seeds; write --seeds 0..<1000")
    }
    guard first < end else {
      throw UsageError(
        "there is no seed in \(text.escapedForTerminals); the first comes before the end")
    }
    seeds = first..<end
  }
}
