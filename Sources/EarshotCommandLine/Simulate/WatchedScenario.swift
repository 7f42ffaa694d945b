import EarshotScenario

/// A scenario that is run again each time its file is saved, or one that it includes, with a lane a peer.
struct WatchedScenario {
  private let path: String
  private let seed: UInt64?
  private let console: Console
  private let engine: Engine
  /// What the variables of the scenario are set to.
  var settings: [Setting] = []

  init(_ path: String, seed: UInt64?, on console: Console, with engine: Engine) {
    (self.path, self.seed, self.console, self.engine) = (path, seed, console, engine)
  }

  /// Runs the scenario until it is told to stop.
  ///
  /// - Returns: That it was interrupted.
  func run(until stop: StopSignal) -> ExitCode {
    let watch = FileWatch(path)
    if console.terminal() == nil {
      console.complain(
        "earshot: standard output is not a terminal; each run is written below the last one")
    }
    repeat { show(picture { watch.follow($0) }) } while watch.change(until: stop)
    return .interrupted
  }

  private func show(_ lines: [String]) {
    let clear = console.terminal() == nil ? "" : "\u{1B}[H\u{1B}[2J"
    let end = "watching \(path.escapedForTerminals); Ctrl-C ends it"
    console.out(clear + (lines + [end]).map { $0 + "\n" }.joined())
  }

  /// What there is to see of the file as it is now: a run, or what is wrong.
  ///
  /// - Parameter reading: Told of each file before it is read.
  /// - Returns: Lines.
  private func picture(_ reading: (String) -> Void) -> [String] {
    do throws(ScenarioError) {
      return picture(of: try ScenarioFile(path, settings: settings, reading: reading))
    } catch {
      return error.description.split(separator: "\n").map { String($0).escapedForTerminals }
    }
  }

  private func picture(of file: ScenarioFile) -> [String] {
    let seed = seed ?? file.scenario.seed
    var order = RunOrder(
      scenario: file.scenario, file: path, text: file.text, seed: seed, isRepeated: false,
      form: .none)
    var (stops, verdict): ([HostStop], Verdict?) = ([], nil)
    order.events = { event in if let stop = HostStop(event) { stops.append(stop) } }
    order.verdict = { verdict = $0 }
    let result = engine.run(order)
    guard let verdict else { return ["the run has no verdict"] }
    let paint = Paint(isOn: console.isColoured)
    let lanes = TextLanes(verdict, stops, columns: console.terminal()?.columns ?? Self.columns)
    let violations = result.violations.map { paint.red("✗") + " " + $0.text.escapedForTerminals }
    let name = verdict.scenario.escapedForTerminals
    let title = "\(paint.bold(name)), seed \(seed): \(result.ending.rawValue)"
    return [title, ""] + lanes.lines(paint) + [""] + violations
  }

  private static let columns = 80
}
