import EarshotScenario

/// The seeds of a sweep.
struct SeedRange: Hashable, Sendable {
  let seeds: Range<UInt64>

  /// The seeds of a text such as `0..<1000`, or `0...999`, which no shell takes for a redirection.
  init(_ text: String) throws(UsageError) {
    let isClosed = text.contains("...")
    let ends = text.split(
      separator: isClosed ? "..." : "..<", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = UInt64(ends[0]), let last = UInt64(ends[1]),
      !isClosed || last < .max
    else {
      throw UsageError(
        "\"\(text.escapedForTerminals)\" is not a range of seeds; write --seeds 0...999, or "
          + "--seeds \"0..<1000\" with the quotes, since < redirects")
    }
    let end = isClosed ? last + 1 : last
    guard first < end else {
      throw UsageError("there are no seeds in \(text.escapedForTerminals)")
    }
    guard end - first <= Self.countMax else {
      throw UsageError("a sweep has at most \(Self.countMax) seeds")
    }
    seeds = first..<end
  }

  /// The one seed of a text.
  static func seed(_ text: String) throws(UsageError) -> UInt64 {
    if let seed = UInt64(text) { return seed }
    let advice = text.contains("..") ? "; use --seeds A...B for several" : ""
    throw UsageError(
      "\"\(text.escapedForTerminals)\" is not a seed; seeds are whole numbers from 0 to \(UInt64.max)\(advice)"
    )
  }

  /// Years of work, and few enough to be counted.
  private static let countMax: UInt64 = 1_000_000_000_000
}
