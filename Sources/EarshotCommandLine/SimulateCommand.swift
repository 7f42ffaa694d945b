import EarshotScenario

/// `earshot simulate`: runs scenarios and says whether they hold.
struct SimulateCommand {
  private let console: Console
  private let engine: Engine
  private let batchEngine: Engine
  private let interrupts: InterruptSource

  /// A command that does a single run with one engine, and many with another.
  init(console: Console, engine: Engine, batchEngine: Engine, interrupts: InterruptSource) {
    (self.console, self.engine) = (console, engine)
    (self.batchEngine, self.interrupts) = (batchEngine, interrupts)
  }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      try run(SimulateOptions(arguments))
    }
  }

  /// Every file is read before the first one is run: a mistake should not wait for the end of a sweep.
  private func run(_ options: SimulateOptions) throws(UsageError) -> ExitCode {
    if options.isWatching { return watch(options) }
    guard let files = ScenarioFiles(console).read(options.files, options.settings) else {
      return .usage
    }
    let batch = Batch(files, options)
    return batch.count == 1 && !options.isSweep
      ? try runOnce(batch, options) : runMany(batch, options)
  }

  private func watch(_ options: SimulateOptions) -> ExitCode {
    let stop = StopSignal()
    let listener = interrupts.listen { stop.give() }
    console.refusal.whenGiven { stop.give() }
    let seed: UInt64? = if case .one(let seed) = options.seeds { seed } else { nil }
    var watched = WatchedScenario(options.files[0], seed: seed, on: console, with: engine)
    watched.settings = options.settings
    return withExtendedLifetime(listener) { watched.run(until: stop) }
  }

  private func runOnce(_ batch: Batch, _ options: SimulateOptions) throws(UsageError) -> ExitCode {
    let rival = try rival(of: batch, options)
    let (outputs, item, start) = (
      try RunOutputs(options.outputs, on: console, logAsJSON: options.isJSON), batch[0],
      ContinuousClock.now
    )
    let seconds = Int(batch.files[0].scenario.duration.components.seconds)
    var progress = Progress(of: seconds, on: console) { start.duration(to: .now) }
    var order = batch.order(of: item, as: options.form(on: console))
    CrashNote.set("earshot: seed \(order.seed) crashed; again: \(order.replay.command)\n")
    if console.isWatched {
      order.progress = { progress.show($0, "seconds of virtual time") }
      order.explanationProgress = { progress.show($0, "seconds of virtual time, to explain") }
    }
    let result = outputs.run(order, against: rival, with: engine)
    progress.clear()
    if options.isQuiet {
      var report = BatchReport(of: batch, options, on: console, progress: progress)
      report.add(Outcome(item: item, result: result))
      _ = report.finish(isInterrupted: false, after: start.duration(to: .now))
    } else {
      console.out(result.report)
    }
    let mistakes = outputs.close()
    for mistake in mistakes { console.complain("earshot: \(mistake.reason)") }
    return mistakes.isEmpty ? result.ending.exitCode : .unwritten
  }

  /// The run that the report compares the run with.
  private func rival(of batch: Batch, _ options: SimulateOptions) throws(UsageError) -> RunOrder? {
    guard let rival = options.rival else { return nil }
    var order = batch.order(of: batch[0], as: .none)
    order.isRepeated = false
    switch rival {
    case .seed(let seed): order.seed = seed
    case .file(let path):
      do throws(ScenarioError) {
        let file = try ScenarioFile(path)
        (order.scenario, order.file, order.text) = (file.scenario, file.path, file.text)
      } catch {
        throw UsageError("--against: \(error.description.escapedForTerminals)")
      }
    }
    return order
  }

  private func runMany(_ batch: Batch, _ options: SimulateOptions) -> ExitCode {
    let (stop, start) = (StopSignal(), ContinuousClock.now)
    let listener = interrupts.listen { stop.give() }
    console.refusal.whenGiven { stop.give() }
    stop.whenGiven(batchEngine.cancel)
    let progress = Progress(of: batch.count, on: console) { start.duration(to: .now) }
    var report = BatchReport(of: batch, options, on: console, progress: progress)
    let (form, engine) = (report.form, batchEngine)
    OrderedWork(count: batch.count, threads: options.jobs).run(until: stop) { index in
      let item = batch[index]
      return Outcome(item: item, result: engine.run(batch.order(of: item, as: form)))
    } report: { _, outcome in
      report.add(outcome)
    }
    return withExtendedLifetime(listener) {
      report.finish(isInterrupted: stop.isGiven, after: start.duration(to: .now))
    }
  }
}

extension Batch {
  /// The order of one of the runs.
  fileprivate func order(of item: Item, as form: ReportForm) -> RunOrder {
    let file = files[item.fileIndex]
    var order = RunOrder(
      scenario: file.scenario, file: file.path, text: file.text, seed: item.seed,
      isRepeated: item.isRepeated, form: form)
    (order.policy, order.isBuggified) = (policy, isBuggified)
    return order
  }
}
