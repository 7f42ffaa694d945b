import EarshotScenario
import EarshotSimulator

/// What an exploration has found so far.
struct ExplorationReport {
  /// A kind of failure, and the first run that showed it.
  struct Kind {
    let item: Exploration.Item
    let result: RunResult
    let violation: RunResult.Violation
    var count = 1
  }
  private struct Key: Hashable {
    let fileIndex: Int
    let signature: FailureSignature
  }
  /// The kinds of failures, in the order in which they were found.
  private(set) var kinds: [Kind] = []
  private var places: [Key: Int] = [:]
  private var tallies: [ExplorationTally]
  private var code = ExitCode.held
  var isInterrupted = false
  private let exploration: Exploration
  private let console: Console
  private let isJSON: Bool
  private let requiresSightings: Bool

  init(
    _ exploration: Exploration, on console: Console, isJSON: Bool, requiringSightings: Bool = false
  ) {
    (self.exploration, self.console, self.isJSON) = (exploration, console, isJSON)
    requiresSightings = requiringSightings
    tallies = exploration.files.map { ExplorationTally(scenario: $0.scenario.name) }
  }

  /// What all files have come to.
  var total: ExplorationTally { tallies.total }

  /// Of what is to happen at least once, how much has, in all files together.
  var sightings: Sightings { Sightings(total.coverage) }

  /// Takes in the next run.
  mutating func add(_ item: Exploration.Item, _ result: RunResult) {
    tallies[item.fileIndex].runs += 1
    tallies[item.fileIndex].events += result.events
    tallies[item.fileIndex].coverage.add(result.properties)
    // That a scenario checks nothing is no finding of a seed.
    guard result.ending != .held, result.ending != .unchecked else { return }
    tallies[item.fileIndex].failed += 1
    code = max(code, result.ending.exitCode)
    if isJSON { console.line(ExplorationLine.failure(item, result, of: exploration)) }
    for violation in result.violations { add(violation, item, result) }
  }

  private mutating func add(
    _ violation: RunResult.Violation, _ item: Exploration.Item, _ result: RunResult
  ) {
    let scenario = exploration.files[item.fileIndex].scenario
    let key = Key(
      fileIndex: item.fileIndex, signature: FailureSignature(violation, in: scenario))
    if let place = places[key] {
      kinds[place].count += 1
      return
    }
    guard kinds.count < Self.kindsMax else { return }
    places[key] = kinds.count
    kinds.append(Kind(item: item, result: result, violation: violation))
    guard !isJSON else { return }
    let paint = Paint(isOn: console.isColoured)
    console.line(
      "\(paint.red("✗")) \(title(of: item)): \(violation.text.escapedForTerminals)")
  }

  private func title(of item: Exploration.Item) -> String {
    let name = exploration.files[item.fileIndex].scenario.name.escapedForTerminals
    return "\(name), seed \(item.seed), \(item.policy.rawValue)"
      + (item.isBuggified ? ", buggified" : "")
  }

  /// How it went, for people or for programs, ending with a line break.
  func summary(isJSON: Bool, after elapsed: Duration) -> String {
    let total = total
    if isJSON {
      let part = exploration.part
      let lines = zip(exploration.files, tallies).map { file, tally in
        tally.json(of: file.path, in: part)
      }
      return lines.map { $0 + "\n" }.joined()
        + ExplorationLine.summary(
          part, files: exploration.files.count, total, kinds: kinds.count,
          isInterrupted: isInterrupted, exitCode: exitCode, elapsed) + "\n"
    }
    let paint = Paint(isOn: console.isColoured)
    let files = String(counting: exploration.files.count, "file")
    let rate = Double(total.runs) / max(0.001, elapsed.inSeconds)
    let line =
      "\(isInterrupted ? "interrupted: " : "")\(files), \(total.counts), "
      + "\(rate.rounded(toPlaces: 1)) runs a second: "
      + (kinds.isEmpty
        ? "nothing found"
        : "\(total.failed) failed, \(ExplorationTally.kinds(kinds.count))")
    return (total.failed == 0 && !isInterrupted ? paint.green(line) : paint.red(line)) + "\n"
      + kinds.map { kind in
        "  \(kind.count) × \(title(of: kind.item)): \(kind.violation.text.escapedForTerminals)\n"
      }.joined() + sightings.text(paint)
  }

  /// What the process ends with.
  var exitCode: ExitCode {
    let isMissed = requiresSightings && !sightings.isComplete
    let code = isMissed ? max(code, .violated) : code
    return isInterrupted ? max(code, .interrupted) : code
  }

  /// Beyond this, kinds are no longer told apart.
  private static let kindsMax = 1_000
}

/// The lines that programs read.
enum ExplorationLine {
  static func failure(
    _ item: Exploration.Item, _ result: RunResult, of exploration: Exploration
  ) -> String {
    let file = exploration.files[item.fileIndex]
    return JSONText.object([
      ("failure", "true"), ("file", file.path.quotedForJSON),
      ("scenario", file.scenario.name.quotedForJSON), ("seed", "\"\(item.seed)\""),
      ("policy", item.policy.rawValue.quotedForJSON), ("buggify", "\(item.isBuggified)"),
      ("settings", JSONText.array(file.scenario.origin.settings.map(\.quotedForJSON))),
      ("ending", result.ending.rawValue.quotedForJSON),
      ("traceHash", result.traceHash.quotedForJSON),
      ("guarantees", JSONText.array((result.guarantees ?? []).map(\.quotedForJSON))),
      (
        "violated",
        JSONText.array(
          result.violations.map {
            JSONText.object([
              ("kind", FailureSignature($0, in: file.scenario).text.quotedForJSON),
              ("name", $0.name.quotedForJSON), ("observed", $0.observed.quotedForJSON),
            ])
          })
      ),
    ])
  }

  static func summary(
    _ part: ExplorationPart, files: Int, _ total: ExplorationTally, kinds: Int, isInterrupted: Bool,
    exitCode: ExitCode,
    _ elapsed: Duration
  ) -> String {
    JSONText.object(
      [("exploration", "true")] + part.members + [
        ("files", "\(files)"), ("runs", "\(total.runs)"),
        ("failed", "\(total.failed)"), ("kinds", "\(kinds)"), ("events", "\(total.events)"),
        ("interrupted", "\(isInterrupted)"),
        ("exitCode", "\(exitCode.rawValue)"),
        ("seconds", "\(elapsed.inSeconds.rounded(toPlaces: 3))"),
      ])
  }
}

extension Duration {
  /// The duration as a number.
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

extension Double {
  func rounded(toPlaces places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
