import EarshotScenario
import Foundation

/// What a user asked `earshot simulate` for.
struct SimulateOptions: Hashable, Sendable {
  /// Which seeds are run.
  enum Seeds: Hashable, Sendable {
    /// The one in the file, or this one.
    case one(UInt64?)
    case sweep(Range<UInt64>)
  }
  /// A run to be compared with: the same with another seed, or another file with the same seed.
  enum Rival: Hashable, Sendable {
    case seed(UInt64)
    case file(String)
  }
  /// What is run twice, to see whether both runs are the same.
  enum Repetition: Hashable, Sendable { case none, some, all }

  let files: [String]
  let seeds: Seeds
  let repetition: Repetition
  /// What a single run is written to.
  let outputs: [RunOutputs.Kind: String]
  /// The run that the report compares it with.
  let rival: Rival?
  /// The policy of the schedule; `nil` for each scenario's own.
  let policy: ExplorationPolicy?
  /// Values for variables of the scenarios.
  let settings: [Setting]
  /// Whether BUGGIFY is on.
  let isBuggified: Bool
  let isJSON: Bool
  /// Whether the file is run again each time it is saved.
  let isWatching: Bool
  /// Whether only failures and the tally are of interest.
  let isQuiet: Bool
  /// How many runs go on at once.
  let jobs: Int

  /// The options of a command line.
  init(_ arguments: Arguments) throws(UsageError) {
    files = arguments.operands
    (isJSON, isQuiet) = (arguments.has("--json"), arguments.has("--quiet"))
    isWatching = arguments.has("--watch")
    jobs = try arguments.number(
      "--jobs", else: ProcessInfo.processInfo.activeProcessorCount, in: 1...Self.jobsMax)
    outputs = RunOutputs.Kind.allCases.reduce(into: [:]) { outputs, kind in
      outputs[kind] = arguments[option: kind.rawValue]
    }
    rival = arguments[option: "--against"].map { UInt64($0).map(Rival.seed) ?? .file($0) }
    policy = try arguments[option: "--policy"].map(ExplorationPolicy.named)
    seeds = try Self.seeds(arguments)
    (settings, isBuggified) = (try Setting.all(arguments), arguments.has("--buggify"))
    repetition = try Self.repetition(arguments, of: seeds)
    try checkFiles()
    for kind in RunOutputs.Kind.allCases { try check(kind) }
    try checkRival()
    try checkWatch(arguments)
  }

  /// Whether each file is run with many seeds.
  var isSweep: Bool {
    switch seeds {
    case .one: false
    case .sweep: true
    }
  }

  /// How the report of a single run is to be written.
  func form(on console: Console) -> ReportForm {
    isJSON ? .json : console.isColoured ? .coloured : .plain
  }

  private static func seeds(_ arguments: Arguments) throws(UsageError) -> Seeds {
    guard let range = arguments[option: "--seeds"] else {
      return .one(try arguments[option: "--seed"].map(SeedRange.seed))
    }
    guard !arguments.has("--seed") else { throw UsageError("either --seed or --seeds, not both") }
    return .sweep(try SeedRange(range).seeds)
  }

  private static func repetition(
    _ arguments: Arguments, of seeds: Seeds
  ) throws(UsageError) -> Repetition {
    let (once, twice) = (arguments.has("--once"), arguments.has("--twice"))
    guard !(once && twice) else { throw UsageError("either --once or --twice, not both") }
    if once { return .none }
    if case .sweep = seeds { return twice ? .all : .some }
    return .all
  }

  private func checkFiles() throws(UsageError) {
    guard !files.isEmpty else {
      throw UsageError(
        "simulate needs a file: earshot simulate Simulations/first-hello.json5")
    }
    guard !files.contains("-") else {
      throw UsageError("scenarios are read from files, not from standard input")
    }
  }

  /// More processes than any machine has use for.
  private static let jobsMax = 256

  private func check(_ output: RunOutputs.Kind) throws(UsageError) {
    guard let path = outputs[output] else { return }
    let option = output.rawValue
    if case .sweep = seeds { throw UsageError("\(option) is for one run; name it with --seed") }
    guard files.count == 1 else { throw UsageError("\(option) is for one run; name one file") }
    let isTaken = outputs.contains { $0.key != output && $0.value == path }
    guard !path.isEmpty, !files.contains(path), !isTaken else {
      throw UsageError("\(option) needs a file of its own to write to")
    }
  }

  private func checkWatch(_ arguments: Arguments) throws(UsageError) {
    guard isWatching else { return }
    guard files.count == 1, !isSweep else {
      throw UsageError("--watch is for one file and one run")
    }
    let others =
      RunOutputs.Kind.allCases.map(\.rawValue) + [
        "--json", "--quiet", "--twice", "--jobs", "--buggify",
      ]
    if let other = others.first(where: arguments.has) {
      throw UsageError("either --watch or \(other), not both")
    }
  }

  private func checkRival() throws(UsageError) {
    guard let rival else { return }
    guard outputs[.report] != nil else {
      throw UsageError("--against is for a report; name its file with --report")
    }
    if case .file(let path) = rival, path.isEmpty || outputs.values.contains(path) {
      throw UsageError("--against needs a seed, or the file of another scenario")
    }
  }
}
