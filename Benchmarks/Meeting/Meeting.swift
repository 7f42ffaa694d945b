import BenchmarkKit
import Earshot
import Foundation

/// Asks how soon peers find each other, meet and part over real sockets, and what that leaves behind.
///
/// Everything happens between processes over the loopback interface, but for what is measured from `exec`: that
/// goes over a cable between two network namespaces. The processes share one monotonic clock, so that
/// one process says when something began and another one when it was noticed.
///
/// - Understands `--congestion NAME`, `--cycles N` and `--sessions N` besides the options of every benchmark.
@main
enum Meeting {
  static func main() async throws {
    if let role = Role(CommandLine.arguments) { return try await role.play() }
    let options = [
      "--cycles N              how many sessions are joined and left, 10,000 by default",
      "--sessions N            how many sessions are held in silence, 2,000 by default",
    ]
    var benchmark = Benchmark("Meeting", options: Processes.options + options)
    let processes = Processes(benchmark)
    processes.note(in: &benchmark)
    let questions: [(String, (inout Benchmark) -> Void)] = [
      ("found", Finding.measure), ("exec", Starting.measure), ("invited", Inviting.measure),
      ("killed", Killing.measure),
      ("reader", Stalling.measure), ("cycles", Cycling.measure), ("idle", Idling.measure),
    ]
    for (name, measure) in questions where benchmark.isWished(name) { measure(&benchmark) }
    try benchmark.report()
  }
}
