import EarshotScenario
import Synchronization

/// `earshot explore`: looks for seeds that fail, and reduces what it finds.
struct ExploreCommand {
  private let console: Console
  private let engine: Engine
  private let interrupts: InterruptSource

  init(console: Console, engine: Engine, interrupts: InterruptSource) {
    (self.console, self.engine, self.interrupts) = (console, engine, interrupts)
  }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      try run(ExploreOptions(arguments))
    }
  }

  private func run(_ options: ExploreOptions) throws(UsageError) -> ExitCode {
    let reader = ScenarioFiles(console)
    guard let files = reader.read(options.files, options.settings) else { return .usage }
    let exploration = Exploration(files, options)
    let (stop, start) = (StopSignal(), ContinuousClock.now)
    let listener = interrupts.listen { stop.give() }
    console.refusal.whenGiven { stop.give() }
    if options.isJSON { console.line(exploration.part.json) }
    let report = explore(exploration, options, until: stop, since: start)
    return withExtendedLifetime(listener) {
      console.out(report.summary(isJSON: options.isJSON, after: start.duration(to: .now)))
      if options.reduces { reduce(report, exploration, options, until: stop) }
      return report.exitCode
    }
  }

  private func explore(
    _ exploration: Exploration, _ options: ExploreOptions, until stop: StopSignal,
    since start: ContinuousClock.Instant
  ) -> ExplorationReport {
    var report = ExplorationReport(
      exploration, on: console, isJSON: options.isJSON,
      requiringSightings: options.requiresSightings)
    let (end, searched) = (StopSignal(), StopSignal())
    let engine = engine
    stop.whenGiven {
      end.give()
      // No run is waited for, which batch systems may not have the time for; a reduction keeps its last one.
      if !searched.isGiven { engine.cancel() }
    }
    let clock = options.time.map { Alarm(after: $0) { end.give() } }
    var progress = ExplorationProgress(on: console, limit: options.time, count: exploration.count) {
      start.duration(to: .now)
    }
    OrderedWork(count: exploration.count, threads: options.jobs).run(until: end) { index in
      engine.run(exploration.order(of: exploration[index]))
    } report: { index, result in
      progress.clear()
      report.add(exploration[index], result)
      progress.show(report)
    }
    searched.give()
    progress.clear()
    report.isInterrupted = stop.isGiven
    return withExtendedLifetime(clock) { report }
  }

  /// Reduces one failure of each kind.
  private func reduce(
    _ report: ExplorationReport, _ exploration: Exploration, _ options: ExploreOptions,
    until stop: StopSignal
  ) {
    for (number, failure) in report.kinds.prefix(Self.reductionsMax).enumerated() {
      guard !stop.isGiven else { return }
      let order = exploration.order(of: failure.item)
      let path = Reproduction.path(options.reproduction, number)
      Reproducer(console: console, engine: engine, isJSON: options.isJSON)
        .reproduce(order, failure.result, failure.violation, as: path, until: stop)
    }
  }

  /// More would not be read.
  private static let reductionsMax = 10

  static let plan = CommandPlan(
    name: "explore", operands: "FILE…|all [options]",
    summary: "Search for seeds that fail, and reduce failures to their cause",
    details: """
      Runs scenarios with one seed after the other, each with another policy for the
      order of possible events, and shows each kind of failure once. A failure is
      then reduced: faults, peers, their actions, values and the schedule are left
      out while the same failure is seen. The result is written to repro.json, which
      "earshot replay" runs, and beside it to a test in Swift.

      "all" stands for the scenarios in the folder Simulations. Ctrl-C ends the
      search, or a reduction, which then prints its findings so far.

      A seed with BUGGIFY draws points at which rare behaviour of Earshot becomes
      frequent, within its promises: writes are short, timers late, windows small.

      Earshot names rare events, such as two invitations that cross; a program under
      test does so with "sometimes" and "reachable". The last lines list the events
      that no run has seen and so has not tested. That is a finding, but changes the
      exit status only with --require-seen.

      Shards share nothing: run them anywhere, each with --json, and combine their
      outputs with "earshot merge", which reports each lost shard.
      SIGTERM ends a search as Ctrl-C does. Simulations/cluster has examples for
      GNU parallel, Slurm and Kubernetes.

      exit status: the same as for "earshot simulate"
      """,
    options: [
      OptionPlan(
        "--seeds", "A...B", help: "The seeds to run, such as 0...999 (default: from 0 on)"),
      OptionPlan(
        "--time", "T",
        help: "How long to search, such as 30s or 8h\n(default: 60s, unless seeds are given)"),
      OptionPlan(
        "--jobs", "N", help: "The number of simultaneous runs (default: the number\nof processors)"),
      OptionPlan("--shard", "I/N", help: "Run only the I-th of N parts of the seeds, from 0"),
      OptionPlan(
        "--policy", "POLICY|all",
        help: "The schedule policy: fifo, random, pct or urw\n(default: all, by turns)"),
      OptionPlan(
        "--buggify",
        help:
          "Make rare behaviour of Earshot frequent in all runs\n(default: in every second round of policies)"
      ),
      OptionPlan("--no-buggify", help: "Never make rare behaviour frequent"),
      Setting.option,
      OptionPlan(
        "--repro", "FILE", help: "Where to write the first reproduction\n(default: repro.json)"),
      OptionPlan("--no-shrink", help: "Do not reduce failures"),
      ExploreOptions.requireSeen,
      OptionPlan("--json", help: "Print one JSON object a line"),
    ])
}

/// Reads the scenarios that a command line names.
struct ScenarioFiles {
  private let console: Console

  init(_ console: Console) { self.console = console }

  /// The scenarios, or `nil` when one is wrong; every mistake is shown.
  func read(_ paths: [String], _ settings: [Setting] = []) -> [ScenarioFile]? {
    let files = paths.compactMap { read($0, settings) }
    return files.count == paths.count ? files : nil
  }

  private func read(_ path: String, _ settings: [Setting]) -> ScenarioFile? {
    do throws(ScenarioError) {
      return try ScenarioFile(path, settings: settings)
    } catch {
      let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines { console.complain(String(line).escapedForTerminals) }
      return nil
    }
  }
}
