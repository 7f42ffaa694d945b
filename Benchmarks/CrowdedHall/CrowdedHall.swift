import BenchmarkKit
import Earshot
import EarshotSimulator

/// Asks what it costs that a hall of peers find each other: packets of each, time, processor and memory.
///
/// Understands `--peers N` (100), `--spread SECONDS` (0, all at once) and `--loss PERCENT` (0) besides the options
/// of every benchmark; each round is another seed.
@main
enum CrowdedHall {
  static func main() throws {
    var benchmark = Benchmark(
      "CrowdedHall",
      options: [
        "--peers N         how many enter the hall (100; 20 if quick)",
        "--spread SECONDS  within which time they enter (0)",
        "--loss PERCENT    how many packets are lost (0)",
      ])
    let count = benchmark.value(of: "--peers").flatMap(Int.init) ?? (benchmark.isQuick ? 20 : 100)
    let spread = benchmark.value(of: "--spread").flatMap(Int.init) ?? 0
    let loss = benchmark.value(of: "--loss").flatMap(Int.init) ?? 0
    benchmark.note("peers", "\(count), within \(spread) s, losing \(loss) %")
    var values: [[Double]] = []
    for seed in 1...benchmark.rounds {
      let start = Resources.cpuTime
      let hall = Hall(
        count, within: .seconds(spread), losing: .percent(loss), seed: UInt64(seed))
      values.append(figures(try hall.run(), count, Resources.cpuTime - start))
    }
    for (index, figure) in names.enumerated() {
      benchmark.add(Sample(figure.0, unit: figure.1, values: values.map { $0[index] }))
    }
    benchmark.add(
      Sample("peak memory", unit: "bytes", values: [Double(Resources.peakMemoryBytes)]))
    try benchmark.report()
  }

  private static let names = [
    ("multicasts of each, mean", "packets"), ("multicasts of each, most", "packets"),
    ("unicasts of each, mean", "packets"), ("until found, longest", "s"),
    ("not found within the minute", "pairs"), ("processor", "s"),
  ]

  private static func figures(_ outcome: Hall.Outcome, _ count: Int, _ cpu: Duration) -> [Double] {
    [
      Double(outcome.multicasts.reduce(0, +)) / Double(count),
      Double(outcome.multicasts.max() ?? 0),
      Double(outcome.unicasts.reduce(0, +)) / Double(count),
      outcome.longestWait / .seconds(1), Double(outcome.missing), cpu / .seconds(1),
    ]
  }
}
