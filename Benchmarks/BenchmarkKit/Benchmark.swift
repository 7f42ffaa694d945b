import Foundation

/// One question, measured in rounds, answered as a table or as JSON.
///
/// Understands `--json`, `--rounds N` (9 by default), `--quick`, which is one round, `--only TEXT`, which
/// measures what has the text in its name, and `--help`. What is compared takes turns within each round, so that a machine that slows down slows all of it down.
public struct Benchmark {
  /// Something to measure: a name, and how many operations one call does.
  public struct Contender {
    let name: String
    let operations: Int
    let body: () -> Void

    /// A contender whose every call of `body` does so many operations.
    public init(_ name: String, operations: Int, body: @escaping () -> Void) {
      (self.name, self.operations, self.body) = (name, operations, body)
    }
  }
  /// Something to measure that says itself what came out.
  public struct Trial {
    let name: String
    let body: () -> [Double]

    /// A trial whose every call of `body` returns one value for each figure that is asked for.
    public init(_ name: String, body: @escaping () -> [Double]) {
      (self.name, self.body) = (name, body)
    }
  }
  /// What a trial's values are.
  public struct Figure {
    let name: String
    let unit: String

    /// A figure, such as `p99` in `µs`.
    public init(_ name: String, unit: String) { (self.name, self.unit) = (name, unit) }
  }
  private struct Report: Codable {
    let benchmark: String
    let conditions: [String: String]
    let samples: [Sample]
  }

  /// Whether it only has to be shown that the benchmark runs.
  public let isQuick: Bool
  /// Whether the report is one JSON object.
  public let isJSON: Bool
  /// How often everything is measured.
  public let rounds: Int
  private let title: String
  private let arguments: [String]
  private let wish: String?
  private var conditions: [(name: String, value: String)] = []
  private var samples: [Sample] = []

  /// A benchmark with the options of its command line.
  ///
  /// - Parameters:
  ///   - title: Its name.
  ///   - options: Lines of help for options of its own.
  ///   - arguments: The command line.
  public init(
    _ title: String, options: [String] = [], arguments: [String] = CommandLine.arguments
  ) {
    (self.title, self.arguments) = (title, arguments)
    if arguments.contains("--help") {
      print(Self.usage(of: title, options))
      exit(EXIT_SUCCESS)
    }
    wish = Self.value(of: "--only", in: arguments)
    isJSON = arguments.contains("--json")
    isQuick = arguments.contains("--quick")
    let wished = Self.value(of: "--rounds", in: arguments).flatMap(Int.init)
    rounds = max(1, wished ?? (isQuick ? 1 : 9))
  }

  /// What follows an option on the command line, or `nil`.
  public func value(of option: String) -> String? { Self.value(of: option, in: arguments) }

  private static func value(of option: String, in arguments: [String]) -> String? {
    guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else {
      return nil
    }
    return arguments[index + 1]
  }

  private static func usage(of title: String, _ options: [String]) -> String {
    """
    usage: \(title) [--json] [--rounds N] [--quick] [--only TEXT]\(options.isEmpty ? "" : " [option…]")

    Prints medians over rounds, half the distance from the slowest to the fastest round in
    per cent, and ratios to the baseline of the same run. Meant for release builds.

      --json      print one JSON object
      --rounds N  measure everything N times (9)
      --quick     measure little, once: that it runs
      --only TEXT measure what has TEXT in its name
    """ + options.map { "\n  " + $0 }.joined()
  }

  /// Measures contenders in operations a CPU-second, after one round to warm up.
  ///
  /// - Parameters:
  ///   - unit: What the operations are, such as `frames/s`.
  ///   - contenders: What takes turns; the first is the baseline of the ratios.
  public mutating func compare(unit: String, _ contenders: [Contender]) {
    for contender in contenders where isWished(contender.name) { contender.body() }
    let trials = contenders.map { contender in
      Trial(contender.name) { [Self.operationsPerSecond(of: contender)] }
    }
    compare([Figure("", unit: unit)], trials)
  }

  /// Has trials take turns, and adds a sample for each figure of each.
  ///
  /// - Parameters:
  ///   - figures: What the values of a trial are.
  ///   - trials: What takes turns; the first is the baseline of the ratios.
  public mutating func compare(_ figures: [Figure], _ trials: [Trial]) {
    let trials = trials.filter { isWished($0.name) }
    var values = trials.map { _ in figures.map { _ in [Double]() } }
    for _ in 0..<rounds {
      for (index, trial) in trials.enumerated() {
        for (figure, value) in trial.body().enumerated() { values[index][figure].append(value) }
      }
    }
    for (figure, asked) in figures.enumerated() {
      let measured = zip(trials, values).map { trial, values in
        let name = asked.name.isEmpty ? trial.name : "\(trial.name), \(asked.name)"
        return Sample(name, unit: asked.unit, values: values[figure])
      }
      for var sample in measured {
        // Nothing is a multiple of nothing.
        if measured[0].median > 0 { sample.ratio = sample.median / measured[0].median }
        samples.append(sample)
      }
    }
  }

  /// Whether something of this name is to be measured.
  public func isWished(_ name: String) -> Bool { wish.map { name.contains($0) } ?? true }

  /// Says under which conditions was measured, or what was not measured.
  public mutating func note(_ name: String, _ value: String) { conditions.append((name, value)) }

  /// Adds a sample that was measured elsewhere.
  public mutating func add(_ sample: Sample) { samples.append(sample) }

  /// Prints everything that was measured.
  public func report() throws {
    if isJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let conditions = Dictionary(conditions.map { ($0.name, $0.value) }) { $1 }
      let report = Report(benchmark: title, conditions: conditions, samples: samples)
      let data = try encoder.encode(report)
      print(String(decoding: data, as: UTF8.self))
    } else {
      printConditions()
      for sample in samples { print(Self.line(sample)) }
    }
  }

  /// Prints the title, and under which conditions was measured: the head of a report.
  public func printConditions() {
    print(title)
    for condition in conditions { print("  \(condition.name): \(condition.value)") }
  }

  private static func operationsPerSecond(of contender: Contender) -> Double {
    let start = Resources.cpuTime
    contender.body()
    let elapsed = Resources.cpuTime - start
    return Double(contender.operations) / (elapsed / .seconds(1))
  }

  private static func line(_ sample: Sample) -> String {
    let name = sample.name.padding(toLength: 40, withPad: " ", startingAt: 0)
    let ratio = sample.ratio.map { String(format: "  ×%.2f", $0) } ?? ""
    return "  \(name) \(scaled(sample.median)) \(sample.unit)"
      + String(format: "  ±%.0f %%", sample.spread * 50) + ratio
  }

  private static func scaled(_ value: Double) -> String {
    switch abs(value) {
    case 1e9...: String(format: "%7.2f G", value / 1e9)
    case 1e6...: String(format: "%7.2f M", value / 1e6)
    case 1e3...: String(format: "%7.2f k", value / 1e3)
    default: String(format: "%7.2f  ", value)
    }
  }
}
