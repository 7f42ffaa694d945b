import EarshotCore
import EarshotScenario

/// Which shard of which exploration an answer is.
struct ExplorationPart: Hashable {
  /// A hash of all that the shards of an exploration have in common: scenarios, seeds, policies and BUGGIFY, and how
  /// many they are.
  let whole: String
  /// The seeds of all shards, as they are named on the command line.
  let seeds: String
  let shard: ExploreOptions.Shard

  /// The part that a command line asks for.
  init(of files: [ScenarioFile], _ options: ExploreOptions) {
    var hash = RollingHash()
    for file in files {
      hash.combine(text: file.path)
      hash.combine(text: file.text)
    }
    for policy in options.policies { hash.combine(text: policy.rawValue) }
    hash.combine(text: options.buggify.rawValue)
    hash.combine(options.seeds.lowerBound)
    hash.combine(options.seeds.upperBound)
    hash.combine(options.shard.count)
    whole = hash.value.hexadecimalDigits
    seeds = "\(options.seeds.lowerBound)..<\(options.seeds.upperBound)"
    shard = options.shard
  }

  /// The part that a line of an answer names; `nil` when it names none.
  init?(whole: String?, seeds: String?, shard: String?) {
    guard let whole, let seeds, let shard = shard.flatMap(ExploreOptions.Shard.init) else {
      return nil
    }
    (self.whole, self.seeds, self.shard) = (whole, seeds, shard)
  }

  /// What each line about the part has.
  var members: [(String, String)] {
    [
      ("whole", whole.quotedForJSON), ("seeds", seeds.quotedForJSON),
      ("shard", "\(shard.index)/\(shard.count)".quotedForJSON),
    ]
  }

  /// The first line of an answer, without a line break: without a last one, too, something ended the process.
  var json: String { JSONText.object([("exploring", "true")] + members) }
}

extension RollingHash {
  fileprivate mutating func combine(text: String) {
    for byte in text.utf8 { combine(byte) }
    combine(text.utf8.count)
  }
}
