import BenchmarkKit
import Foundation

/// Asks how long a message of 64 bytes takes to another process and back.
///
/// - Understands `--cores free|split|one` and `--congestion NAME` besides the options of every benchmark.
@main
enum LinkRoundTrip {
  static func main() async throws {
    if let worker = Worker(CommandLine.arguments) { return try await worker.run() }
    var benchmark = Benchmark("LinkRoundTrip", options: Processes.options)
    let processes = Processes(benchmark, cores: .split)
    defer { Baseline.removeAll() }
    processes.note(in: &benchmark)
    let duel = Duel(processes, roundTrips: benchmark.isQuick ? 1_000 : 20_000)
    if !duel.hasQueue {
      benchmark.note("libzmq", "skipped, not installed (apt-get install libzmq3-dev)")
    }
    benchmark.compare([.init("median", unit: "µs"), .init("p99", unit: "µs")], duel.trials)
    try benchmark.report()
  }
}
