import EarshotScenario

extension SweepSummary {
  /// The summary for people, ending with a line break: what was run, what failed, how to see it again.
  func text(isColoured: Bool) -> String {
    let paint = Paint(isOn: isColoured)
    let title = paint.bold(file.scenario.name.escapedForTerminals)
    let count = seeds.count == 1 ? "1 seed" : "\(seeds.count) seeds"
    let verdict =
      failures.isEmpty
      ? paint.green("✓ all held") : paint.red("✗ \(failures.count) failed")
    let head = "\(title)  \(count), \(repeated) run twice, \(events) events  \(verdict)\n"
    return head + failures.prefix(Self.failuresShown).map { text(of: $0, paint) }.joined() + more
  }

  private func text(of failure: Failure, _ paint: Paint) -> String {
    let reasons = failure.reasons.map { "    \(paint.red("✗")) \($0.escapedForTerminals)\n" }
      .joined()
    return "  seed \(failure.seed)\n\(reasons)    \(file.replay(failure.seed))\n"
  }

  private var more: String {
    let hidden = failures.count - Self.failuresShown
    return hidden > 0 ? "  and \(hidden) more; --json lists them all\n" : ""
  }

  /// The summary for programs, without a line break.
  var json: String {
    JSONText.object([
      ("summary", "true"), ("file", file.path.quotedForJSON),
      ("scenario", file.scenario.name.quotedForJSON),
      ("firstSeed", "\(seeds.lowerBound)".quotedForJSON), ("seeds", "\(seeds.count)"),
      ("held", "\(exitCode == .held)"), ("exitCode", "\(exitCode.rawValue)"),
      ("violated", Self.array(violated)), ("broken", Self.array(broken)),
      ("runTwice", "\(repeated)"), ("events", "\(events)"),
      ("replay", JSONText.array(failures.map { file.replay($0.seed).quotedForJSON })),
    ])
  }

  private static func array(_ seeds: [UInt64]) -> String {
    JSONText.array(seeds.map { "\($0)".quotedForJSON })
  }

  /// More would not be read by anybody.
  private static let failuresShown = 50
}

extension Sweep.Outcome {
  /// One seed for programs, without a line break.
  func json(of file: ScenarioFile) -> String {
    JSONText.object([
      ("scenario", file.scenario.name.quotedForJSON), ("seed", "\(seed)".quotedForJSON),
      ("traceHash", result.traceHash.quotedForJSON),
      ("held", "\(result.exitCode == .held)"), ("exitCode", "\(result.exitCode.rawValue)"),
      ("deterministic", wasRepeated ? "\(result.exitCode != .broken)" : "null"),
      ("events", "\(result.events)"),
      ("violated", JSONText.array(result.violated.map(\.quotedForJSON))),
      ("file", file.path.quotedForJSON),
    ])
  }
}
