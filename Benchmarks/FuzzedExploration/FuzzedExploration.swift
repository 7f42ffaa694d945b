import BenchmarkKit
import EarshotSimulator
import Foundation

/// Asks how many planted bugs are found in a CPU-minute: by seeds, under the policies of the schedule, or, in a build for
/// it, by libFuzzer.
///
/// Each search begins with other seeds, and gives up after two CPU-seconds.
@main
enum FuzzedExploration {
  static func main() throws {
    #if EARSHOT_FUZZ
      let words = CommandLine.arguments
      if words.count == 5, words[1] == "--search", let seed = Int(words[3]),
        let milliseconds = Int(words[4]),
        let quarry = Quarry.all.first(where: { $0.name == words[2] })
      {
        Search.answer(quarry, seed: seed, budget: .milliseconds(milliseconds))
      }
    #endif
    var benchmark = Benchmark("FuzzedExploration")
    let searches = benchmark.rounds
    let budget = benchmark.isQuick ? Duration.milliseconds(200) : .seconds(2)
    for way in Way.all {
      for isRace in [true, false] where isRace || !way.isOfRaces {
        var (found, cpu) = (0, Duration.zero)
        for quarry in Quarry.all
        where quarry.isRace == isRace && benchmark.isWished(quarry.name) {
          let results = try (0..<searches).map { try way.search(quarry, $0, budget) }
          let hits = results.compactMap(\.runs).map(Double.init)
          found += hits.count
          cpu += results.reduce(.zero) { $0 + $1.cpu }
          let name = "\(way.name): \(quarry.name)"
          if hits.count == searches {
            benchmark.add(Sample(name, unit: "runs", values: hits))
          } else {
            benchmark.note(name, "found in \(hits.count) of \(searches) searches")
          }
        }
        guard cpu > .zero else { continue }
        let rate = Double(found) / (cpu / .seconds(60))
        let name = "\(way.name): all \(isRace ? "races" : "bugs that faults show")"
        benchmark.add(Sample(name, unit: "found a CPU-minute", values: [rate]))
      }
    }
    try benchmark.report()
  }
}

/// A way to look for bugs.
struct Way {
  let name: String
  /// Whether it is of no use where faults decide.
  let isOfRaces: Bool
  let search: (_ quarry: Quarry, _ number: Int, _ budget: Duration) throws -> Search

  private static func seeds(
    _ name: String, isOfRaces: Bool = true, _ policies: [SchedulePolicy]
  ) -> Way {
    Way(name: name, isOfRaces: isOfRaces) { quarry, number, budget in
      try Search.seeds(quarry, policies, from: UInt64(number) << 32, budget: budget)
    }
  }

  /// All ways of this build.
  static var all: [Way] {
    #if EARSHOT_FUZZ
      [
        Way(name: "libFuzzer", isOfRaces: false) { quarry, number, budget in
          Search.fuzzer(quarry, seed: number + 1, budget: budget)
        }
      ]
    #else
      [
        seeds("random", [.random]), seeds("PCT", [.pct(depth: 3, steps: 50)]),
        seeds("random walk", [.uniformRandomWalk]),
        seeds(
          "seeds", isOfRaces: false,
          [.fifo, .random, .pct(depth: 3, steps: 50), .uniformRandomWalk]),
      ]
    #endif
  }
}
