import EarshotScenario

/// How many runs there were, and how they ended.
struct Tally {
  private var counts: [RunResult.Ending: Int] = [:]
  /// How many of the runs were done twice.
  private(set) var repeated = 0
  /// The gravest of their codes.
  private(set) var exitCode = ExitCode.held

  mutating func add(_ outcome: Outcome) {
    counts[outcome.result.ending, default: 0] += 1
    repeated += outcome.item.isRepeated ? 1 : 0
    exitCode = max(exitCode, outcome.result.ending.exitCode)
  }

  /// How many runs ended so.
  func count(_ ending: RunResult.Ending) -> Int { counts[ending] ?? 0 }

  /// How many runs there were; one that was done twice counts once.
  var runs: Int { RunResult.Ending.allCases.reduce(0) { $0 + count($1) } }

  /// How many of them did not hold.
  var failed: Int { runs - count(.held) }
}

/// The last lines of a command that ran more than once.
struct Closing {
  let tally: Tally
  let fileCount: Int
  /// How many runs there were to be.
  let runCount: Int
  let isInterrupted: Bool
  /// How long it took, on the clock of the wall.
  let elapsed: Duration

  /// For people, ending with a line break: `3 files, 60 runs (3 twice): 58 held, 2 violated; 1.204 s`.
  func text(isColoured: Bool) -> String {
    let paint = Paint(isOn: isColoured)
    let counts = RunResult.Ending.allCases.filter { $0 == .held || tally.count($0) > 0 }.map {
      "\(tally.count($0)) \($0.phrase)"
    }
    let files = String(counting: fileCount, "file")
    let runs = String(counting: runCount, "run")
    let done = isInterrupted ? "\(tally.runs) of \(runs)" : runs
    let twice = tally.repeated > 0 ? " (\(tally.repeated) twice)" : ""
    let line =
      "\(isInterrupted ? "interrupted: " : "")\(files), \(done)\(twice): "
      + "\(counts.joined(separator: ", ")); \(elapsed.secondsText) s"
    let isFine = tally.failed == 0 && !isInterrupted
    return (isFine ? paint.green(line) : paint.red(line)) + "\n"
  }

  /// For programs, ending with a line break.
  var json: String {
    JSONText.object(
      [
        ("tally", "true"), ("files", "\(fileCount)"), ("runs", "\(tally.runs)"),
        ("runTwice", "\(tally.repeated)"),
        (
          "endings",
          JSONText.object(
            RunResult.Ending.allCases.map { ($0.rawValue, "\(tally.count($0))") })
        ),
        ("held", "\(exitCode == .held)"), ("interrupted", "\(isInterrupted)"),
        ("exitCode", "\(exitCode.rawValue)"), ("seconds", elapsed.secondsText),
      ]) + "\n"
  }

  /// What the process ends with.
  var exitCode: ExitCode { isInterrupted ? .interrupted : tally.exitCode }
}

extension RunResult.Ending {
  /// As a number stands before it.
  fileprivate var phrase: String {
    switch self {
    case .held: "held"
    case .unchecked: "checked nothing"
    case .violated: "violated"
    case .different: "differed the second time"
    case .crashed: "crashed"
    }
  }
}

extension Duration {
  /// Seconds with three decimals.
  fileprivate var secondsText: String {
    let (seconds, attoseconds) = components
    let thousandths = String(1_000 + attoseconds / 1_000_000_000_000_000).dropFirst()
    return "\(seconds).\(thousandths)"
  }
}
