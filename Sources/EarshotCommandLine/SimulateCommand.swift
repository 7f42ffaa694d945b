import EarshotScenario

/// `earshot simulate`: runs scenarios and says whether they hold.
struct SimulateCommand {
  private let console: Console
  private let engine: Engine

  init(console: Console, engine: Engine) { (self.console, self.engine) = (console, engine) }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    do throws(UsageError) {
      let arguments = try ArgumentParser(Self.plan.options).parse(words)
      guard !arguments.has("--help") else {
        console.out(Self.plan.help)
        return .held
      }
      return try run(SimulateOptions(arguments))
    } catch {
      throw UsageError(error.reason, command: Self.plan.name)
    }
  }

  /// Every file is read before the first one is run: a mistake should not wait for the end of a sweep.
  private func run(_ options: SimulateOptions) throws(UsageError) -> ExitCode {
    let files = options.files.compactMap(read)
    guard files.count == options.files.count else { return .usage }
    var exitCode = ExitCode.held
    for (index, file) in files.enumerated() {
      if index > 0, !options.isJSON { console.line("") }
      exitCode = max(exitCode, try run(file, options))
    }
    return exitCode
  }

  private func read(_ path: String) -> ScenarioFile? {
    do throws(ScenarioError) {
      return try ScenarioFile(path)
    } catch {
      let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines { console.complain(String(line).escapedForTerminals) }
      return nil
    }
  }

  private func run(_ file: ScenarioFile, _ options: SimulateOptions) throws(UsageError) -> ExitCode
  {
    switch options.seeds {
    case .one(let seed): try runOnce(file, seed: seed ?? file.scenario.seed, options)
    case .sweep(let seeds): sweep(file, seeds, options)
    }
  }

  private func runOnce(
    _ file: ScenarioFile, seed: UInt64, _ options: SimulateOptions
  ) throws(UsageError) -> ExitCode {
    let trace = try options.trace.map { path throws(UsageError) in try TraceFile(path) }
    let start = ContinuousClock.now
    var progress = Progress(of: file.scenario.seconds, on: console) { start.duration(to: .now) }
    var order = file.order(seed: seed, isRepeated: options.repetition != .none)
    order.trace = trace.map { trace in { trace.write($0) } }
    if console.isWatched { order.progress = { progress.show($0, "seconds of virtual time") } }
    let result = engine.run(order)
    progress.finish()
    console.out(options.isJSON ? result.json() + "\n" : result.text(console.isColoured))
    try trace?.close()
    return result.exitCode
  }

  private func sweep(
    _ file: ScenarioFile, _ seeds: Range<UInt64>, _ options: SimulateOptions
  ) -> ExitCode {
    let start = ContinuousClock.now
    var progress = Progress(of: seeds.count, on: console) { start.duration(to: .now) }
    var (done, failed) = (0, 0)
    let sweep = Sweep(
      file: file, seeds: seeds, repetition: options.repetition, engine: engine)
    let summary = sweep.run { outcome in
      done += 1
      failed += outcome.result.exitCode == .held ? 0 : 1
      if options.isJSON { console.line(outcome.json(of: file)) }
      progress.show(done, "seeds, \(failed) failed")
    }
    progress.finish()
    console.out(
      options.isJSON ? summary.json + "\n" : summary.text(isColoured: console.isColoured))
    return summary.exitCode
  }
}

extension Scenario {
  /// Its whole seconds.
  fileprivate var seconds: Int { Int(duration.components.seconds) }
}
