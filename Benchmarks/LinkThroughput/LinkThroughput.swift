import BenchmarkKit
import Foundation

/// Asks how many messages a second arrive over real sockets, one to one and one to seven.
///
/// Each contender runs in processes of its own over 127.0.0.1. What counts is the time from the first to the
/// last message that a receiving application gets. Earshot's links are TLS 1.3; the baseline is a program in C over
/// the same TLS of OpenSSL.
///
/// - Understands `--cores free|split|one` and `--congestion NAME` besides the options of every benchmark.
@main
enum LinkThroughput {
  static func main() async throws {
    if let worker = Worker(CommandLine.arguments) { return try await worker.run() }
    var benchmark = Benchmark("LinkThroughput", options: Processes.options)
    let processes = Processes(benchmark)
    defer { Baseline.removeAll() }
    let contest = Contest(processes, isQuick: benchmark.isQuick)
    processes.note(in: &benchmark)
    if contest.queue == nil {
      benchmark.note("libzmq", "skipped, not installed (apt-get install libzmq3-dev)")
    }
    for load in Load.all {
      benchmark.compare([.init("", unit: "messages/s")], contest.trials(load))
    }
    try benchmark.report()
  }
}
