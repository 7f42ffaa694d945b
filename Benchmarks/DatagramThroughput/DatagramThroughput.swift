import BenchmarkKit
import Foundation

/// Asks how many datagrams of 1,200 bytes a second arrive over real sockets, of a sender that does not wait.
///
/// The C program sends them as they are; Earshot's are sealed with AES-256-GCM, and carry a message of 1,166 bytes each.
/// What counts is what the receiving application gets in the time from the first to the last; the share that arrives is
/// the other figure, since neither waits for the other.
///
/// - Understands `--cores free|split|one` besides the options of every benchmark.
@main
enum DatagramThroughput {
  static func main() async throws {
    if let worker = Worker(CommandLine.arguments) { return try await worker.run() }
    var benchmark = Benchmark("DatagramThroughput", options: Processes.options)
    let processes = Processes(benchmark, cores: .split)
    defer { Baseline.removeAll() }
    let contest = Contest(processes, isQuick: benchmark.isQuick)
    processes.note(in: &benchmark)
    benchmark.compare(
      [.init("arriving", unit: "datagrams/s"), .init("share", unit: "%")], contest.trials)
    try benchmark.report()
  }
}
