import BenchmarkKit
import Foundation
import LoopbackPeers

/// Asks how fast files are sent, in how much memory, how soon they begin, and what messages wait for
/// beside them.
///
/// Each contender runs in two processes of its own over 127.0.0.1, over TLS 1.3, from one memory file
/// system to another. The baseline is a program in C that hashes, verifies and renames as Earshot does.
///
/// - Understands `--bytes N`, `--memory-bytes N`, `--folder PATH`, `--cores free|split|one` and
///   `--congestion NAME` besides the options of every benchmark.
@main
enum ResourceThroughput {
  static func main() async throws {
    if let worker = Worker(CommandLine.arguments) { return try await worker.run() }
    let options = [
      "--bytes N               how many bytes the files of rates have, 1 GiB by default",
      "--memory-bytes N        how many bytes the file has beside which memory is measured, 2 GiB by default",
      "--folder PATH           where that file and its copy lie, the folder for temporary files by default",
    ]
    var benchmark = Benchmark("ResourceThroughput", options: Processes.options + options)
    let processes = Processes(benchmark, cores: .split)
    defer { Baseline.removeAll() }
    processes.note(in: &benchmark)
    for (name, goal) in goals { benchmark.note("goal, \(name)", goal) }
    let questions = Questions(benchmark, processes)
    questions.rates(&benchmark)
    questions.secureShell(&benchmark)
    questions.memory(&benchmark)
    questions.firstBytes(&benchmark)
    questions.messages(&benchmark)
    try questions.slowLink(&benchmark)
    try benchmark.report()
  }

  private static let goals = [
    ("file", "×0.90 of C or more, and ×1.15 of its CPU time at most"),
    ("scp", "×1.25 or more with bbr, ×1.50 with cubic"),
    ("memory", "8 MiB at most, without growth"),
    ("first byte", "5 ms over a link, 50 ms by ticket, ×1.20 at most of a large file"),
    ("message", "p50 0.5 ms, p99 3 ms beside a file that keeps ×0.90"),
    ("slow link", "30 ms more at most"),
  ]
}
