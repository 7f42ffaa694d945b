import EarshotScenario
import EarshotSimulator
import Foundation

/// The findings of several explorations, each kind of failure once.
struct MergedFindings {
  /// A kind of failure of one scenario.
  struct Kind {
    let file: String
    let name: String
    var observed: String
    /// The run of the lowest seed that has shown it.
    var first: Run
    /// The runs that have shown it.
    var runs: Set<Run>

    var count: Int { runs.count }
  }
  /// A run of a file.
  struct Run: Hashable {
    let seed: UInt64
    let policy: String?
    let isBuggified: Bool
    let settings: [String]
  }
  private struct Key: Hashable {
    let file: String
    let kind: String
  }
  private var kinds: [Key: Kind] = [:]
  /// The names of the scenarios in which something was found, by their files.
  private var scenarios: [String: String] = [:]
  /// By what the shards of an exploration have in common.
  private var explorations: [String: MergedShards] = [:]

  /// Whether no shard has said anything.
  var isEmpty: Bool { explorations.isEmpty }

  /// What a process ends with that has found this; if sightings are required, it is a failure that something which is
  /// to happen never has.
  func exitCode(requiringSightings requiresSightings: Bool) -> ExitCode {
    let isMissed = requiresSightings && !sightings.isComplete
    let code: ExitCode = kinds.isEmpty && !isMissed ? .held : .violated
    return explorations.values.map(\.exitCode).reduce(code, max)
  }

  private var sightings: Sightings { Sightings(tallies.values.total.coverage) }

  /// A line of an exploration's answer.
  private struct Line: Decodable {
    struct Violation: Decodable {
      let kind: String
      let name: String
      let observed: String
    }
    let failure: Bool?
    let exploring: Bool?
    let explored: Bool?
    let exploration: Bool?
    let reproduction: String?
    let file: String?
    let scenario: String?
    let seed: String?
    let policy: String?
    let buggify: Bool?
    let settings: [String]?
    let violated: [Violation]?
    let runs: Int?
    let failed: Int?
    let events: Int?
    let interrupted: Bool?
    let exitCode: Int32?
    let whole: String?
    let seeds: String?
    let shard: String?
    let properties: [Property]?

    var part: ExplorationPart? { ExplorationPart(whole: whole, seeds: seeds, shard: shard) }
  }

  /// Takes in a line.
  ///
  /// - Returns: Whether it is one.
  mutating func add(_ data: Data) -> Bool {
    guard let line = try? JSONDecoder().decode(Line.self, from: data) else { return false }
    if line.failure == true { return add(failure: line) }
    if line.reproduction != nil { return true }
    guard let part = line.part else { return false }
    var shards = explorations[part.whole] ?? MergedShards(of: part)
    guard shards.has(part) else { return false }
    if line.exploring == true {
      shards.begin(part.shard.index)
    } else if line.explored == true {
      guard let file = line.file, let scenario = line.scenario else { return false }
      let counts = [line.runs, line.failed, line.events].map { $0 ?? 0 }
      guard counts.allSatisfy((0...Self.countMax).contains) else { return false }
      let properties = line.properties ?? []
      guard properties.allSatisfy({ $0.held >= 0 && $0.reached >= $0.held }) else { return false }
      var tally = ExplorationTally(scenario: scenario)
      (tally.runs, tally.failed, tally.events) = (counts[0], counts[1], counts[2])
      tally.coverage.add(properties)
      shards.add(tally, of: file, by: part.shard.index)
    } else if line.exploration == true {
      let code = line.exitCode.flatMap { ExitCode(rawValue: $0) } ?? .broken
      shards.end(part.shard.index, isInterrupted: line.interrupted ?? false, code)
    } else {
      return false
    }
    explorations[part.whole] = shards
    return true
  }

  private mutating func add(failure line: Line) -> Bool {
    guard let file = line.file, let seed = line.seed.flatMap({ UInt64($0) }),
      let violations = line.violated
    else { return false }
    scenarios[file] = line.scenario
    let run = Run(
      seed: seed, policy: line.policy, isBuggified: line.buggify ?? false,
      settings: line.settings ?? [])
    for violation in violations {
      let key = Key(file: file, kind: violation.kind)
      guard var kind = kinds[key] else {
        kinds[key] = Kind(
          file: file, name: violation.name, observed: violation.observed, first: run, runs: [run])
        continue
      }
      kind.runs.insert(run)
      if seed < kind.first.seed { (kind.first, kind.observed) = (run, violation.observed) }
      kinds[key] = kind
    }
    return true
  }

  /// The kinds, file by file, the most frequent first.
  private var sorted: [(key: String, kind: Kind)] {
    kinds.map { ($0.key.kind, $0.value) }.sorted {
      ($0.1.file, -$0.1.count, $0.1.first.seed, $0.0)
        < ($1.1.file, -$1.1.count, $1.1.first.seed, $1.0)
    }
  }

  /// What the shards have come to, file by file, also of files in which a lost shard has found something.
  private var tallies: [String: ExplorationTally] {
    let found = scenarios.mapValues { ExplorationTally(scenario: $0) }
    return explorations.values.map(\.tallies).reduce(found) { sum, tallies in
      sum.merging(tallies) { [$0, $1].total(named: $1.scenario) }
    }
  }

  /// The explorations of which shards are lost.
  private var incomplete: [MergedShards] {
    explorations.sorted { $0.key < $1.key }.map(\.value).filter { $0.lostCount > 0 }
  }

  private func replay(_ kind: Kind) -> String {
    let run = kind.first
    return Replay(
      kind.file, run.seed, policy: run.policy, settings: run.settings, isBuggified: run.isBuggified
    ).command
  }

  /// More than any shard counts, and little enough to be added up.
  private static let countMax = 1 << 40

  // MARK: Written

  /// For people: a line for each kind, how to see it again, and a line about all.
  func text(_ isColoured: Bool) -> String {
    let (paint, tallies) = (Paint(isOn: isColoured), tallies)
    let lines = sorted.map { _, kind in
      let title = tallies[kind.file]?.scenario ?? kind.file
      let text = kind.observed.isEmpty ? kind.name : "\(kind.name): \(kind.observed)"
      return "\(paint.red("✗")) \(kind.count) × \(title.escapedForTerminals): "
        + "\(text.escapedForTerminals)\n    \(replay(kind))\n"
    }
    let total = tallies.values.total
    let files = String(counting: tallies.count, "file")
    let end =
      kinds.isEmpty
      ? "nothing found" : "\(total.failed) failed, \(ExplorationTally.kinds(kinds.count))"
    let line = "\(files), \(total.counts): \(end)"
    let lost = incomplete.map { "\(paint.red("✗")) \($0.complaint.escapedForTerminals)\n" }
    let isGood = kinds.isEmpty && total.failed == 0 && lost.isEmpty
    return lines.joined() + lost.joined() + (isGood ? paint.green(line) : paint.red(line)) + "\n"
      + sightings.text(paint)
  }

  /// For programs: a line for each kind, and for each file.
  var json: String {
    let found = sorted.map { key, kind in
      JSONText.object([
        ("kind", key.quotedForJSON), ("file", kind.file.quotedForJSON), ("count", "\(kind.count)"),
        ("seed", "\"\(kind.first.seed)\""),
        ("policy", kind.first.policy?.quotedForJSON ?? "null"),
        ("buggify", "\(kind.first.isBuggified)"),
        ("observed", kind.observed.quotedForJSON), ("replay", replay(kind).quotedForJSON),
      ])
    }
    let files = tallies.sorted { $0.key < $1.key }.map { $0.value.json(of: $0.key, in: nil) }
    return (found + incomplete.map(\.json) + files).map { $0 + "\n" }.joined()
  }

  /// A suite for each file, with a case for each kind of failure and one for the seeds that hold.
  var junit: String {
    let lost = incomplete.map { shards in
      """
        <testsuite name="shards" tests="1" errors="1">
          <testcase classname="earshot" name="all shards are complete">
            <error message="\(shards.complaint.escapedForXML)"/>
          </testcase>
        </testsuite>

      """
    }
    let suites = tallies.sorted { $0.key < $1.key }.map { file, tally in
      let failures = sorted.filter { $0.kind.file == file }
      let cases = failures.map { _, kind in
        """
            <testcase classname="\(file.escapedForXML)" name="\(kind.name.escapedForXML)">
              <failure message="\(kind.observed.escapedForXML)">\(String(counting: kind.count, "run")). \(replay(kind).escapedForXML)</failure>
            </testcase>

        """
      }
      let held =
        "    <testcase classname=\"\(file.escapedForXML)\" name=\"\(tally.runs - tally.failed) of \(tally.runs) runs hold\"/>\n"
      return
        "  <testsuite name=\"\(tally.scenario.escapedForXML)\" tests=\"\(failures.count + 1)\" failures=\"\(failures.count)\">\n"
        + cases.joined() + held + "  </testsuite>\n"
    }
    return
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites.joined())\(lost.joined())</testsuites>\n"
  }
}

extension String {
  /// The text as XML has it, in elements and in quotation marks; characters that XML forbids are `�`.
  fileprivate var escapedForXML: String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
