import EarshotScenario

/// Whether two runs of one seed are the same.
struct Repeatability {
  /// The hashes of the two runs.
  let hashes: (String, String)
  /// The first event that differs, as both runs traced it; `nil` when it did not happen again.
  let difference: (line: Int, first: String, second: String)?

  /// Runs a seed again and compares it with a first run.
  ///
  /// - Returns: `nil` when both runs are the same.
  static func failure(
    of scenario: Scenario, seed: UInt64, after first: RunResult, on engine: Engine
  ) -> Repeatability? {
    let second = engine.run(scenario, seed, nil)
    guard (second.traceHash, second.events) != (first.traceHash, first.events) else { return nil }
    return Repeatability(
      hashes: (first.traceHash, second.traceHash),
      difference: firstDifference(of: scenario, seed: seed, on: engine))
  }

  /// Two sentences for people, in two to four lines.
  var text: String {
    let start = "✗ two runs of this seed differ: trace \(hashes.0) and \(hashes.1)\n"
    guard let difference else { return start + "  two more runs were the same\n" }
    return start + "  event \(difference.line) of two more runs:\n"
      + "    \(difference.first.printable)\n    \(difference.second.printable)\n"
  }

  /// The same for programs, without a line break.
  func json(of file: ScenarioFile, seed: UInt64) -> String {
    var line = JSONLine()
    line.set("file", file.path)
    line.set("scenario", file.scenario.name)
    line.set("seed", seed)
    line.set("deterministic", false)
    line.set("traceHashes", [hashes.0, hashes.1])
    if let difference {
      line.set("event", difference.line)
      line.set("differing", [difference.first, difference.second])
    }
    return line.text
  }

  private static func firstDifference(
    of scenario: Scenario, seed: UInt64, on engine: Engine
  ) -> (line: Int, first: String, second: String)? {
    var lines: [String] = []
    _ = engine.run(scenario, seed) { if lines.count < linesMax { lines.append($0) } }
    var count = 0
    var found: (line: Int, first: String, second: String)?
    _ = engine.run(scenario, seed) { line in
      if found == nil, count < linesMax, count >= lines.count || lines[count] != line {
        found = (count + 1, count < lines.count ? lines[count] : "the end of the run", line)
      }
      count += 1
    }
    guard found == nil, count < lines.count else { return found }
    return (count + 1, lines[count], "the end of the run")
  }

  /// Enough for some minutes of a crowd; more would not fit into memory on small machines.
  private static let linesMax = 1_000_000
}
