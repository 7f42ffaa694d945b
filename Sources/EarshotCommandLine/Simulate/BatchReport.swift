import EarshotScenario

/// Writes what comes of many runs, as it comes.
struct BatchReport {
  private let batch: Batch
  private let options: SimulateOptions
  private let console: Console
  private var tally = Tally()
  /// The sweep over the file whose runs come at the moment.
  private var sweep: (fileIndex: Int, summary: SweepSummary)?
  private var hasWritten = false
  private var replays: [String] = []
  private var progress: Progress

  init(
    of batch: Batch, _ options: SimulateOptions, on console: Console, progress: Progress
  ) {
    (self.batch, self.options, self.console) = (batch, options, console)
    self.progress = progress
  }

  /// The form in which the runs are to be reported.
  var form: ReportForm { options.isSweep ? .none : options.form(on: console) }

  /// Takes in the next run.
  mutating func add(_ outcome: Outcome) {
    tally.add(outcome)
    write(outcome)
    progress.show(tally.runs, "runs, \(tally.failed) failed")
  }

  private mutating func write(_ outcome: Outcome) {
    let file = batch.files[outcome.item.fileIndex]
    if outcome.result.ending != .held, replays.count < Self.replaysMax {
      let replay = Replay(
        file.path, outcome.item.seed, policy: batch.policy?.rawValue,
        settings: file.scenario.origin.settings)
      replays.append(replay.command)
    }
    let isWanted = !options.isQuiet || outcome.result.ending != .held
    if isWanted, !options.isSweep { write(outcome.result.report) }
    guard options.isSweep else { return }
    if isWanted, options.isJSON { write(outcome.json(of: file) + "\n") }
    if sweep?.fileIndex != outcome.item.fileIndex { endSweep() }
    var summary =
      sweep?.summary
      ?? SweepSummary(
        of: file, seedCount: batch.seedCount, policy: batch.policy?.rawValue)
    summary.add(outcome)
    sweep = (outcome.item.fileIndex, summary)
    if summary.tally.runs == batch.seedCount { endSweep() }
  }

  /// Writes what is left to say: what was found in a file that was not finished, and how it went as a whole.
  mutating func finish(isInterrupted: Bool, after elapsed: Duration) -> ExitCode {
    endSweep()
    let closing = Closing(
      tally: tally, fileCount: batch.files.count, runCount: batch.count,
      isInterrupted: isInterrupted && tally.runs < batch.count, elapsed: elapsed)
    let text = failures + closing.text(isColoured: console.isColoured)
    write(options.isJSON ? closing.json : text)
    return closing.exitCode
  }

  private mutating func endSweep() {
    guard let summary = sweep?.summary else { return }
    sweep = nil
    guard !options.isQuiet || summary.tally.failed > 0 else { return }
    write(options.isJSON ? summary.json + "\n" : summary.text(isColoured: console.isColoured))
  }

  /// Writes a report, for people with an empty line between it and the one before.
  private mutating func write(_ text: String) {
    progress.clear()
    console.out(hasWritten && !options.isJSON ? "\n\(text)" : text)
    hasWritten = true
  }

  /// The commands that show again what failed, where the reports are far above.
  private var failures: String {
    guard !options.isSweep, !replays.isEmpty else { return "" }
    let hidden = tally.failed - replays.count
    let more = hidden > 0 ? "  and \(hidden) more\n" : ""
    return "failed:\n" + replays.map { "  \($0)\n" }.joined() + more
  }

  /// More would not be read.
  private static let replaysMax = 50
}
