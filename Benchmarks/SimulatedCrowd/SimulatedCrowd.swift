import BenchmarkKit
import EarshotSimulator

/// Asks how many packets a CPU-second a simulated world delivers to tasks, and what an idle host costs.
///
/// Understands `--hosts N` besides the options of every benchmark: one size instead of four.
@main
enum SimulatedCrowd {
  static func main() throws {
    var benchmark = Benchmark(
      "SimulatedCrowd", options: ["--hosts N     so many hosts instead of four sizes"])
    benchmark.add(idleHosts(benchmark.isQuick ? 1_000 : 10_000))
    for hostCount in hostCounts {
      measure(
        Crowd(hostCount: hostCount, packets: benchmark.isQuick ? 20_000 : 1_000_000), in: &benchmark
      )
    }
    for peerCount in hostCounts {
      for burst in [1, 16] { measure(peerCount, burst, in: &benchmark) }
    }
    benchmark.add(
      Sample("peak memory", unit: "bytes", values: [Double(Resources.peakMemoryBytes)]))
    try benchmark.report()
  }

  private static var hostCounts: [Int] {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: "--hosts"), index + 1 < arguments.count,
      let count = Int(arguments[index + 1]), count > 1
    else { return [2, 100, 1_000, 10_000] }
    return [count & ~1]
  }

  private static func measure(_ crowd: Crowd, in benchmark: inout Benchmark) {
    let (plain, simulated) = (PlainLoop.run(crowd, seed: 1), crowd.runInWorld(seed: 1))
    benchmark.compare(
      unit: "packets/s",
      [
        .init("plain loop, \(crowd.hostCount) hosts", operations: plain) {
          require(PlainLoop.run(crowd, seed: 1) == plain, "two runs differ")
        },
        .init("world, \(crowd.hostCount) hosts", operations: simulated) {
          require(crowd.runInWorld(seed: 1) == simulated, "two runs differ")
        },
      ] + policies.map { name, policy in contender(crowd, name, policy) })
  }

  private static let policies: [(String, SchedulePolicy)] = [
    ("random", .random), ("pct", .pct(depth: 3)), ("uniform random walk", .uniformRandomWalk),
  ]

  /// What it costs that a policy chooses what happens next.
  private static func contender(_ crowd: Crowd, _ name: String, _ policy: SchedulePolicy)
    -> Benchmark.Contender
  {
    let delivered = crowd.runInWorld(seed: 1, schedule: policy)
    return .init("world, \(crowd.hostCount) hosts, \(name)", operations: delivered) {
      require(crowd.runInWorld(seed: 1, schedule: policy) == delivered, "two runs differ")
    }
  }

  private static func measure(_ peerCount: Int, _ burst: Int, in benchmark: inout Benchmark) {
    let name = "sessions, \(peerCount) peers, \(burst) at once"
    guard benchmark.isWished(name) else { return }
    let conversations = Conversations(
      peerCount: peerCount, burst: burst, messages: benchmark.isQuick ? 10_000 : 200_000)
    let rates = (0..<benchmark.rounds).map { _ in conversations.run(seed: 1) }
    benchmark.add(Sample(name, unit: "messages/s", values: rates))
  }

  /// The growth of the resident memory for every host of a world in which nothing happens.
  private static func idleHosts(_ count: Int) -> Sample {
    let before = Resources.peakMemoryBytes
    let world = World(seed: 1)
    for number in 0..<count { _ = world.makeHost("host\(number)") }
    world.run(for: .seconds(60))
    let growth = Resources.peakMemoryBytes - before
    world.finish()
    return Sample("an idle host", unit: "bytes", values: [Double(growth) / Double(count)])
  }
}
