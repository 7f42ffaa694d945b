import EarshotScenario
import Foundation

/// The findings of several explorations, each kind of failure once.
struct MergedFindings {
  /// A kind of failure of one scenario.
  struct Kind {
    let file: String
    let name: String
    var observed: String
    var seed: UInt64
    var policy: String?
    var count: Int
  }
  private struct Key: Hashable {
    let file: String
    let kind: String
  }
  private var kinds: [Key: Kind] = [:]
  private var tallies: [String: ExplorationTally] = [:]
  private(set) var exitCode = ExitCode.held

  /// A line of an exploration's answer.
  private struct Line: Decodable {
    struct Violation: Decodable {
      let kind: String
      let name: String
      let observed: String
    }
    let failure: Bool?
    let explored: Bool?
    let exploration: Bool?
    let reproduction: String?
    let file: String?
    let scenario: String?
    let seed: String?
    let policy: String?
    let violated: [Violation]?
    let runs: Int?
    let failed: Int?
    let events: Int?
    let exitCode: Int32?
  }

  /// Takes in a line.
  ///
  /// - Returns: Whether it is one.
  mutating func add(_ data: Data) -> Bool {
    guard let line = try? JSONDecoder().decode(Line.self, from: data) else { return false }
    if line.failure == true {
      return add(failure: line)
    } else if line.explored == true {
      guard let file = line.file, let scenario = line.scenario else { return false }
      var tally = tallies[file] ?? ExplorationTally(scenario: scenario)
      tally.runs += line.runs ?? 0
      tally.failed += line.failed ?? 0
      tally.events += line.events ?? 0
      tallies[file] = tally
    } else if line.exploration == true {
      exitCode = max(exitCode, line.exitCode.flatMap { ExitCode(rawValue: $0) } ?? .broken)
    } else if line.reproduction == nil {
      return false
    }
    return true
  }

  private mutating func add(failure line: Line) -> Bool {
    guard let file = line.file, let seed = line.seed.flatMap({ UInt64($0) }),
      let violations = line.violated
    else { return false }
    for violation in violations {
      let key = Key(file: file, kind: violation.kind)
      guard var kind = kinds[key] else {
        kinds[key] = Kind(
          file: file, name: violation.name, observed: violation.observed, seed: seed,
          policy: line.policy, count: 1)
        continue
      }
      kind.count += 1
      if seed < kind.seed {
        (kind.seed, kind.policy, kind.observed) = (seed, line.policy, violation.observed)
      }
      kinds[key] = kind
    }
    return true
  }

  /// The kinds, file by file, the most frequent first.
  private var sorted: [(key: String, kind: Kind)] {
    kinds.map { ($0.key.kind, $0.value) }.sorted {
      ($0.1.file, -$0.1.count, $0.1.seed, $0.0) < ($1.1.file, -$1.1.count, $1.1.seed, $1.0)
    }
  }

  private func replay(_ kind: Kind) -> String {
    Replay(kind.file, kind.seed, policy: kind.policy).command
  }

  // MARK: Written

  /// For people: a line for each kind, how to see it again, and a line about all.
  func text(_ isColoured: Bool) -> String {
    let paint = Paint(isOn: isColoured)
    let lines = sorted.map { _, kind in
      let title = tallies[kind.file]?.scenario ?? kind.file
      let text = kind.observed.isEmpty ? kind.name : "\(kind.name): \(kind.observed)"
      return "\(paint.red("✗")) \(kind.count) × \(title.escapedForTerminals): "
        + "\(text.escapedForTerminals)\n    \(replay(kind))\n"
    }
    let total = tallies.values.total
    let files = tallies.count == 1 ? "1 file" : "\(tallies.count) files"
    let end =
      kinds.isEmpty ? "nothing found" : "\(total.failed) failed, \(kinds.count) kinds of failures"
    let line = "\(files), \(total.runs) runs, \(total.events) events: \(end)"
    return lines.joined() + (total.failed == 0 ? paint.green(line) : paint.red(line)) + "\n"
  }

  /// For programs: a line for each kind, and for each file.
  var json: String {
    let found = sorted.map { key, kind in
      JSONText.object([
        ("kind", key.quotedForJSON), ("file", kind.file.quotedForJSON), ("count", "\(kind.count)"),
        ("seed", "\"\(kind.seed)\""), ("policy", kind.policy?.quotedForJSON ?? "null"),
        ("observed", kind.observed.quotedForJSON), ("replay", replay(kind).quotedForJSON),
      ])
    }
    let files = tallies.sorted { $0.key < $1.key }.map { $0.value.json(of: $0.key) }
    return (found + files).map { $0 + "\n" }.joined()
  }

  /// A suite for each file, with a case for each kind of failure and one for the seeds that hold.
  var junit: String {
    let suites = tallies.sorted { $0.key < $1.key }.map { file, tally in
      let failures = sorted.filter { $0.kind.file == file }
      let cases = failures.map { _, kind in
        """
            <testcase classname="\(file.escapedForXML)" name="\(kind.name.escapedForXML)">
              <failure message="\(kind.observed.escapedForXML)">\(kind.count) runs. \(replay(kind).escapedForXML)</failure>
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
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites.joined())</testsuites>\n"
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
