import Foundation

/// One question, measured in rounds, answered as a table or as JSON.
///
/// Understands `--json`, `--rounds N` (9 by default), `--quick`, which is one round, and `--help`. What is
/// compared takes turns within each round, so that a machine that slows down slows all of it down.
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
  private struct Report: Codable {
    let benchmark: String
    let samples: [Sample]
  }

  /// Whether it only has to be shown that the benchmark runs.
  public let isQuick: Bool
  /// How often everything is measured.
  public let rounds: Int
  private let title: String
  private let isJSON: Bool
  private var samples: [Sample] = []

  /// A benchmark with the options of its command line.
  public init(_ title: String, arguments: [String] = CommandLine.arguments) {
    self.title = title
    if arguments.contains("--help") {
      print(Self.usage(of: title))
      exit(EXIT_SUCCESS)
    }
    isJSON = arguments.contains("--json")
    isQuick = arguments.contains("--quick")
    let index = arguments.firstIndex(of: "--rounds").map { $0 + 1 }
    let wished = index.flatMap { $0 < arguments.count ? Int(arguments[$0]) : nil }
    rounds = max(1, wished ?? (isQuick ? 1 : 9))
  }

  private static func usage(of title: String) -> String {
    """
    usage: \(title) [--json] [--rounds N] [--quick]

    Prints medians over rounds, half the distance from the slowest to the fastest round in
    per cent, and ratios to the baseline of the same run. Meant for release builds.

      --json      print one JSON object
      --rounds N  measure everything N times (9)
      --quick     measure little, once: that it runs
    """
  }

  /// Measures contenders in operations a CPU-second, after one round to warm up.
  ///
  /// - Parameters:
  ///   - unit: What the operations are, such as `frames/s`.
  ///   - contenders: What takes turns; the first is the baseline of the ratios.
  public mutating func compare(unit: String, _ contenders: [Contender]) {
    var values = contenders.map { _ in [Double]() }
    for round in 0...rounds {
      for (index, contender) in contenders.enumerated() {
        let rate = Self.operationsPerSecond(of: contender)
        if round > 0 { values[index].append(rate) }
      }
    }
    let measured = zip(contenders, values).map { Sample($0.name, unit: unit, values: $1) }
    for var sample in measured {
      sample.ratio = sample.median / measured[0].median
      samples.append(sample)
    }
  }

  /// Adds a sample that was measured elsewhere.
  public mutating func add(_ sample: Sample) { samples.append(sample) }

  /// Prints everything that was measured.
  public func report() throws {
    if isJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let data = try encoder.encode(Report(benchmark: title, samples: samples))
      print(String(decoding: data, as: UTF8.self))
    } else {
      print(title)
      for sample in samples { print(Self.line(sample)) }
    }
  }

  private static func operationsPerSecond(of contender: Contender) -> Double {
    let start = Resources.cpuTime
    contender.body()
    let elapsed = Resources.cpuTime - start
    return Double(contender.operations) / (elapsed / .seconds(1))
  }

  private static func line(_ sample: Sample) -> String {
    let name = sample.name.padding(toLength: 36, withPad: " ", startingAt: 0)
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
