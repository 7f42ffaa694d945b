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
  /// What is run twice, to see whether both runs are the same.
  enum Repetition: Hashable, Sendable { case none, some, all }

  let files: [String]
  let seeds: Seeds
  let repetition: Repetition
  let trace: String?
  let isJSON: Bool
  /// Whether only failures and the tally are of interest.
  let isQuiet: Bool
  /// How many runs go on at once.
  let jobs: Int

  /// The options of a command line.
  init(_ arguments: Arguments) throws(UsageError) {
    files = arguments.operands
    (isJSON, isQuiet) = (arguments.has("--json"), arguments.has("--quiet"))
    jobs = try arguments.number(
      "--jobs", else: ProcessInfo.processInfo.activeProcessorCount, in: 1...Self.jobsMax)
    trace = arguments[option: "--trace"]
    seeds = try Self.seeds(arguments)
    repetition = try Self.repetition(arguments, of: seeds)
    try checkFiles()
    try checkTrace()
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
      return .one(try arguments[option: "--seed"].map { text throws(UsageError) in try seed(text) })
    }
    guard !arguments.has("--seed") else { throw UsageError("either --seed or --seeds, not both") }
    return .sweep(try SeedRange(range).seeds)
  }

  private static func seed(_ text: String) throws(UsageError) -> UInt64 {
    if let seed = UInt64(text) { return seed }
    let advice = text.contains("..") ? "; for several there is --seeds A...B" : ""
    throw UsageError(
      "\"\(text.escapedForTerminals)\" is no seed; seeds are whole numbers from 0 to \(UInt64.max)\(advice)"
    )
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

  private func checkTrace() throws(UsageError) {
    guard let trace else { return }
    if case .sweep = seeds { throw UsageError("--trace is for one run; name it with --seed") }
    guard files.count == 1 else { throw UsageError("--trace is for one run; name one file") }
    guard !trace.isEmpty, !files.contains(trace) else {
      throw UsageError("--trace needs a file of its own to write to")
    }
  }
}
