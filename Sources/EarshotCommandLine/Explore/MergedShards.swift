import EarshotScenario

/// The shards of an exploration, and what has become of each.
///
/// An answer that is there twice counts once, and so does that of a shard that was begun again: the one that went
/// further counts.
struct MergedShards {
  /// How far a shard has come.
  enum State: Int, Comparable {
    case silent, cutOff, interrupted, whole

    static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
  }
  private struct Answer {
    var state = State.cutOff
    var exitCode = ExitCode.held
    /// By the names of files.
    var tallies: [String: ExplorationTally] = [:]
  }
  private let seeds: String
  private let count: UInt64
  private var answers: [UInt64: Answer] = [:]

  /// The shards of the exploration that one of them is a part of.
  init(of part: ExplorationPart) { (seeds, count) = (part.seeds, part.shard.count) }

  /// Whether a part can be one of them.
  func has(_ part: ExplorationPart) -> Bool {
    part.shard.count == count && part.seeds == seeds
  }

  /// A shard has begun, maybe not for the first time.
  mutating func begin(_ index: UInt64) {
    answers[index, default: Answer()].state.raise(to: .cutOff)
  }

  /// A shard has done so many runs of a file.
  mutating func add(_ tally: ExplorationTally, of file: String, by index: UInt64) {
    let known = answers[index]?.tallies[file]
    guard tally.runs >= known?.runs ?? 0 else { return }
    answers[index, default: Answer()].tallies[file] = tally
  }

  /// A shard has come to its end.
  mutating func end(_ index: UInt64, isInterrupted: Bool, _ exitCode: ExitCode) {
    let state = isInterrupted ? State.interrupted : .whole
    guard state >= answers[index]?.state ?? .silent else { return }
    answers[index, default: Answer()].state = state
    answers[index]?.exitCode = exitCode
  }

  /// What the shards have come to, file by file.
  var tallies: [String: ExplorationTally] {
    answers.values.reduce(into: [:]) { tallies, answer in
      tallies.merge(answer.tallies) { left, right in [left, right].total(named: left.scenario) }
    }
  }

  /// The gravest that the answers say; a shard that is lost is as a run that crashed.
  var exitCode: ExitCode {
    answers.values.map(\.exitCode).reduce(lostCount > 0 ? .broken : .held, max)
  }

  // MARK: Lost shards

  /// How many shards have no whole answer.
  var lostCount: UInt64 { count - UInt64(answers.values.count { $0.state == .whole }) }

  /// The shards that have come so far and no further, in order.
  func shards(_ state: State) -> [UInt64] {
    state == .silent
      ? (0..<count).filter { answers[$0] == nil }
      : answers.filter { $0.value.state == state }.map(\.key).sorted()
  }

  /// What is missing, in a sentence.
  var complaint: String {
    let parts = [(State.silent, "no output"), (.cutOff, "cut off"), (.interrupted, "interrupted")]
      .compactMap { state, text in
        let shards = shards(state)
        let more = shards.count > Self.namesMax ? ", …" : ""
        let names = shards.prefix(Self.namesMax).map(String.init).joined(separator: ", ")
        return shards.isEmpty ? nil : "\(text): \(names)\(more)"
      }
    return
      "\(lostCount) of \(count) shards of seeds \(seeds) are lost (\(parts.joined(separator: "; ")))"
  }

  /// The same for programs, without a line break.
  var json: String {
    let lists = [("silent", State.silent), ("cutOff", .cutOff), ("interrupted", .interrupted)]
    return JSONText.object(
      [("lost", "\(lostCount)"), ("shards", "\(count)"), ("seeds", seeds.quotedForJSON)]
        + lists.map { name, state in
          (name, JSONText.array(shards(state).map(String.init)))
        })
  }

  /// More would not be read.
  private static let namesMax = 20
}

extension MergedShards.State {
  fileprivate mutating func raise(to state: Self) { self = max(self, state) }
}
