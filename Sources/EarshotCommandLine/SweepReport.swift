import EarshotScenario

extension SweepSummary {
  /// The summary for people, ending with a line break: what was run, what failed, how to see it again.
  func text(isColoured: Bool) -> String {
    let paint = Paint(isOn: isColoured)
    let title = paint.bold(file.scenario.name.printable)
    let count = seeds.count == 1 ? "1 seed" : "\(seeds.count) seeds"
    let verdict =
      failures.isEmpty
      ? paint.green("✓ all held") : paint.red("✗ \(failures.count) failed")
    let head = "\(title)  \(count), \(repeated) run twice, \(events) events  \(verdict)\n"
    return head + failures.prefix(Self.failuresShown).map { text(of: $0, paint) }.joined() + more
  }

  private func text(of failure: Failure, _ paint: Paint) -> String {
    let reasons = failure.reasons.map { "    \(paint.red("✗")) \($0.printable)\n" }.joined()
    return "  seed \(failure.seed)\n\(reasons)    \(file.replay(failure.seed))\n"
  }

  private var more: String {
    let hidden = failures.count - Self.failuresShown
    return hidden > 0 ? "  and \(hidden) more; --json lists them all\n" : ""
  }

  /// The summary for programs, without a line break.
  var json: String {
    var line = JSONLine()
    line.set("summary", true)
    line.set("file", file.path)
    line.set("scenario", file.scenario.name)
    line.set("firstSeed", seeds.lowerBound)
    line.set("seeds", UInt64(seeds.count))
    line.set("held", exitCode == .held)
    line.set("violated", violated)
    line.set("broken", broken)
    line.set("runTwice", repeated)
    line.set("events", events)
    line.set("replay", failures.map { file.replay($0.seed) })
    return line.text
  }

  /// More would not be read by anybody.
  private static let failuresShown = 50
}

extension Sweep.Outcome {
  /// One seed for programs, without a line break.
  func json(of file: ScenarioFile) -> String {
    var line = JSONLine()
    line.set("file", file.path)
    line.set("scenario", file.scenario.name)
    line.set("seed", seed)
    line.set("held", exitCode == .held)
    line.set("traceHash", result.traceHash)
    line.set("events", result.events)
    line.set("violated", result.violated)
    if wasRepeated { line.set("deterministic", difference == nil) }
    return line.text
  }
}
