import BenchmarkKit
import EarshotSimulator
import TestKit

/// Asks how many seeds each schedule policy needs until it finds a planted race, and what its choices cost.
///
/// The mean over 200 searches, each of which begins with another seed and gives up after 10,000 seeds.
@main
enum ScheduleRaces {
  private static let policies: [(name: String, policy: SchedulePolicy)] = [
    ("fifo", .fifo), ("random", .random), ("pct, depth 2", .pct(depth: 2, steps: 50)),
    ("pct, depth 3", .pct(depth: 3, steps: 50)), ("uniform random walk", .uniformRandomWalk),
  ]

  static func main() throws {
    var benchmark = Benchmark("ScheduleRaces")
    let (searches, limit) = benchmark.isQuick ? (5, 100) : (200, 10_000)
    for race in PlantedRace.all {
      for (name, policy) in policies {
        // In the order of readiness every seed is the same.
        let (searches, limit) = policy == .fifo ? (1, 1) : (searches, limit)
        let found = try (0..<searches).compactMap { search in
          try Self.seedsToFind(race, policy, from: UInt64(search) << 32, limit)
        }
        let isFound = found.count == searches
        let mean = isFound ? Double(found.reduce(0, +)) / Double(searches) : .infinity
        if isFound {
          benchmark.add(Sample("\(race), \(name)", unit: "seeds", values: [mean]))
        } else {
          benchmark.note("\(race), \(name)", "found in \(found.count) of \(searches) searches")
        }
      }
    }
    try benchmark.report()
  }

  private static func seedsToFind(
    _ race: PlantedRace, _ policy: SchedulePolicy, from first: UInt64, _ limit: Int
  ) throws -> Int? {
    try (0..<limit).first { number in
      let configuration = PlantedRace.configuration(policy)
      return try race.fails(in: World(seed: first + UInt64(number), configuration: configuration))
    }.map { $0 + 1 }
  }
}
