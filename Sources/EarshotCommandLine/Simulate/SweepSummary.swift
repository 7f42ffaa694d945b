import EarshotScenario

/// What a sweep over the seeds of one file found.
struct SweepSummary {
  let file: ScenarioFile
  /// How many seeds there were to run.
  let seedCount: Int
  /// The policy of the schedule, unless it is the scenario's own.
  let policy: String?
  private(set) var groups: FailureGroups
  private(set) var tally = Tally()
  private(set) var firstSeed: UInt64?
  private(set) var events = 0
  /// The seeds that failed, by how they did.
  private(set) var failed: [RunResult.Ending: [UInt64]] = [:]

  init(of file: ScenarioFile, seedCount: Int, policy: String? = nil) {
    (self.file, self.seedCount, self.policy) = (file, seedCount, policy)
    groups = FailureGroups(peers: file.scenario.peerNames)
  }

  mutating func add(_ outcome: Outcome) {
    let seed = outcome.item.seed
    firstSeed = firstSeed ?? seed
    tally.add(outcome)
    events += outcome.result.events
    guard outcome.result.ending != .held else { return }
    failed[outcome.result.ending, default: []].append(seed)
    groups.add(seed, outcome.result.violations)
  }
}

extension SweepSummary {
  /// The summary for people, ending with a line break: what was run, what failed, how to see it again.
  func text(isColoured: Bool) -> String {
    let paint = Paint(isOn: isColoured)
    let title = paint.bold(file.scenario.name.escapedForTerminals)
    let verdict =
      tally.failed == 0
      ? paint.green("✓ all held") : paint.red("✗ \(tally.failed) failed")
    let head =
      "\(title)  \(countText), \(tally.repeated) run twice, "
      + "\(String(counting: events, "event"))  \(verdict)\n"
    let groups = groups.merged
    let hidden = groups.count - Self.groupsMax
    let kinds = String(counting: hidden, "more kind of failure", "more kinds of failures")
    let more = hidden > 0 ? "  and \(kinds); --json lists all seeds\n" : ""
    return head + groups.prefix(Self.groupsMax).map { text(of: $0, paint) }.joined() + more
  }

  private var countText: String {
    guard tally.runs == seedCount else {
      return "\(tally.runs) of \(String(counting: seedCount, "seed"))"
    }
    return String(counting: seedCount, "seed")
  }

  private func text(of group: FailureGroups.Group, _ paint: Paint) -> String {
    let reasons = group.violations.map { "    \(paint.red("✗")) \($0.text.escapedForTerminals)\n" }
      .joined()
    let replay = replay(group.seeds[0])
    return "  \(group.seedsText)\n\(reasons)    \(replay)\n"
  }

  private func replay(_ seed: UInt64) -> String {
    Replay(file.path, seed, policy: policy, settings: file.scenario.origin.settings).command
  }

  /// The summary for programs, without a line break.
  var json: String {
    let groups = groups.merged
    return JSONText.object([
      ("summary", "true"), ("file", file.path.quotedForJSON),
      ("scenario", file.scenario.name.quotedForJSON),
      ("firstSeed", (firstSeed ?? 0).quotedForJSON), ("seeds", "\(tally.runs)"),
      ("held", "\(tally.failed == 0)"), ("exitCode", "\(tally.exitCode.rawValue)"),
      ("violated", seeds(.violated)), ("broken", seeds(.different)), ("crashed", seeds(.crashed)),
      ("unchecked", seeds(.unchecked)), ("runTwice", "\(tally.repeated)"), ("events", "\(events)"),
      ("groups", JSONText.array(groups.map(json))),
      (
        "replay",
        JSONText.array(
          groups.map { replay($0.seeds[0]).quotedForJSON })
      ),
    ])
  }

  private func seeds(_ ending: RunResult.Ending) -> String {
    JSONText.array((failed[ending] ?? []).map(\.quotedForJSON))
  }

  private func json(of group: FailureGroups.Group) -> String {
    JSONText.object([
      ("count", "\(group.count)"), ("seeds", JSONText.array(group.seeds.map(\.quotedForJSON))),
      ("violated", JSONText.array(group.violations.map(\.json))),
    ])
  }

  /// More would not be read.
  private static let groupsMax = 50
}

extension FailureGroups.Group {
  /// `seed 3`, or `17 seeds: 3, 8, 11, 20, 21 and 12 more`.
  fileprivate var seedsText: String {
    guard count > 1 else { return "seed \(seeds[0])" }
    let more = count > seeds.count ? " and \(count - seeds.count) more" : ""
    return "\(count) seeds: \(seeds.map { "\($0)" }.joined(separator: ", "))\(more)"
  }
}

extension RunResult.Violation {
  fileprivate var json: String {
    JSONText.object([("name", name.quotedForJSON), ("observed", observed.quotedForJSON)])
  }
}

extension UInt64 {
  /// A seed, as JSON has it: a text, since not all of them fit in the numbers of most programs.
  fileprivate var quotedForJSON: String { "\(self)".quotedForJSON }
}

extension Outcome {
  /// One seed for programs, without a line break.
  func json(of file: ScenarioFile) -> String {
    let isCrash = result.ending == .crashed
    let crash = isCrash ? [("crash", (result.violations.first?.observed ?? "").quotedForJSON)] : []
    return JSONText.object(
      [
        ("scenario", file.scenario.name.quotedForJSON), ("seed", item.seed.quotedForJSON),
        ("traceHash", result.traceHash.quotedForJSON),
        ("held", "\(result.ending == .held)"), ("exitCode", "\(result.ending.exitCode.rawValue)"),
        ("deterministic", item.isRepeated && !isCrash ? "\(result.ending != .different)" : "null"),
        ("events", "\(result.events)"),
        ("violated", JSONText.array(result.violations.map(\.name.quotedForJSON))),
        ("file", file.path.quotedForJSON),
      ] + crash)
  }
}
