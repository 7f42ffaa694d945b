import EarshotScenario
import EarshotSimulator
import Foundation

/// The options of `earshot explore`.
struct ExploreOptions: Hashable, Sendable {
  /// A part of the seeds: those whose distance from the first one leaves this remainder.
  struct Shard: Hashable, Sendable {
    var index: UInt64 = 0
    var count: UInt64 = 1

    /// All seeds.
    init() {}

    /// The shard of a text such as `0/4`; `nil` when it is none.
    init?(_ text: String) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let index = UInt64(parts[0]), let count = UInt64(parts[1]), count > 0,
        index < count, count <= 1_000_000
      else { return nil }
      (self.index, self.count) = (index, count)
    }
  }
  /// Which runs have points of BUGGIFY.
  enum BuggifyTurns: String, Hashable, Sendable { case byTurns, always, never }

  let files: [String]
  let seeds: Range<UInt64>
  /// How long to look for failures; `nil` for until the seeds are used up.
  let time: Duration?
  let jobs: Int
  let shard: Shard
  /// The policies that the seeds take turns with.
  let policies: [ExplorationPolicy]
  let buggify: BuggifyTurns
  /// Values for variables of the scenarios.
  let settings: [Setting]
  /// Whether failures are reduced.
  let reduces: Bool
  /// The file for the reproduction of the first failure.
  let reproduction: String?
  let isJSON: Bool
  /// Whether what was never seen counts as a failure.
  let requiresSightings: Bool

  static let requireSeen = OptionPlan(
    "--require-seen",
    help: "End with 1 when an event that must happen at least\nonce was never seen")

  init(_ arguments: Arguments) throws(UsageError) {
    files = try Self.files(arguments.operands)
    isJSON = arguments.has("--json")
    requiresSightings = arguments.has(Self.requireSeen.name)
    reduces = !arguments.has("--no-shrink")
    reproduction = arguments[option: "--repro"]
    jobs = try arguments.number(
      "--jobs", else: ProcessInfo.processInfo.activeProcessorCount, in: 1...256)
    seeds =
      try arguments[option: "--seeds"].map { text throws(UsageError) in
        try SeedRange(text).seeds
      } ?? 0..<1_000_000_000_000
    let time = try arguments[option: "--time"].map(Self.time)
    self.time = time ?? (arguments.has("--seeds") ? nil : .seconds(60))
    shard = try arguments[option: "--shard"].map(Self.shard) ?? Shard()
    policies = try Self.policies(arguments[option: "--policy"])
    (buggify, settings) = (try Self.buggify(arguments), try Setting.all(arguments))
    if let reproduction, reproduction.isEmpty || files.contains(reproduction) {
      throw UsageError("--repro needs a file of its own to write to")
    }
    guard UInt64(seeds.count) > shard.index else {
      throw UsageError(
        "there are fewer seeds than shards, so this shard has none; give more seeds or fewer shards"
      )
    }
  }

  private static func files(_ operands: [String]) throws(UsageError) -> [String] {
    guard !operands.isEmpty else {
      throw UsageError(
        "explore needs a file, or \"all\" for the scenarios in the folder Simulations")
    }
    guard operands == ["all"] else { return operands }
    let found = FileManager.default.enumerator(
      atPath: URL(filePath: "Simulations").resolvingSymlinksInPath().path)?.compactMap {
        $0 as? String
      }
    let files = (found ?? []).filter { $0.hasSuffix(".json5") }.sorted()
    guard !files.isEmpty else {
      throw UsageError("no scenarios found in a folder Simulations here; name the files")
    }
    return files.map { "Simulations/\($0)" }
  }

  private static func buggify(_ arguments: Arguments) throws(UsageError) -> BuggifyTurns {
    let (always, never) = (arguments.has("--buggify"), arguments.has("--no-buggify"))
    guard !(always && never) else {
      throw UsageError("either --buggify or --no-buggify, not both")
    }
    return always ? .always : never ? .never : .byTurns
  }

  private static func time(_ text: String) throws(UsageError) -> Duration {
    guard let time = Quantity.duration(of: text), time > .zero else {
      throw UsageError(
        "\"\(text.escapedForTerminals)\" is not a duration; write 30s, 10m or 8h")
    }
    return time
  }

  private static func shard(_ text: String) throws(UsageError) -> Shard {
    guard let shard = Shard(text) else {
      throw UsageError(
        "\"\(text.escapedForTerminals)\" is not a shard; write 0/4 for the first of four, 3/4 for the last"
      )
    }
    return shard
  }

  private static func policies(_ text: String?) throws(UsageError) -> [ExplorationPolicy] {
    guard let text, text != "all" else { return ExplorationPolicy.allCases }
    return [try ExplorationPolicy.named(text)]
  }
}
