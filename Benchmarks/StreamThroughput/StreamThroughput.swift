import BenchmarkKit
import Foundation
import LoopbackPeers

/// Asks what streams carry, and what a message waits for beside one.
///
/// Each contender runs in two processes of its own over 127.0.0.1, over TLS 1.3.
///
/// - Understands `--cores free|split|one` and `--congestion NAME` besides the options of every
///   benchmark.
@main
enum StreamThroughput {
  static func main() async throws {
    if let worker = Worker(CommandLine.arguments) { return try await worker.run() }
    var benchmark = Benchmark("StreamThroughput", options: Processes.options)
    let processes = Processes(benchmark)
    processes.note(in: &benchmark)
    let pairs = Pairs(processes, isQuick: benchmark.isQuick)
    benchmark.compare(
      [.init("", unit: "MiB/s"), .init("sender", unit: "MiB"), .init("receiver", unit: "MiB")],
      [
        .init("messages of 64 KiB") { pairs.transfer(.messages) },
        .init("a stream") { pairs.transfer(.stream) },
        .init("1,000 streams") { pairs.transfer(.streams) },
      ])
    benchmark.compare(
      [
        .init("p50", unit: "ms"), .init("p99", unit: "ms"),
        .init("p99 of \(MessageTimes.stretchCount)", unit: "ms"), .init("stream", unit: "MiB/s"),
      ],
      [
        .init("a message each ms") { pairs.latencies(.idle) },
        .init("beside a stream") { pairs.latencies(.beside) },
      ])
    try benchmark.report()
  }
}

/// Pairs of processes, one of which sends to the other.
struct Pairs {
  private let processes: Processes
  private let share: Int

  init(_ processes: Processes, isQuick: Bool) {
    (self.processes, share) = (processes, isQuick ? 20 : 1)
  }

  /// How much is carried a second, and how much memory both sides had at most beyond that of a pair
  /// that is linked.
  func transfer(_ load: Load) -> [Double] {
    let lines = run(load, count: 2_048 / share)
    return [lines.received[0]] + [lines.sent[0], lines.received[1]]
  }

  /// How long messages took, and how much the stream beside them carried.
  func latencies(_ load: Load) -> [Double] {
    let lines = run(load, count: 4_000 / share)
    let times = MessageTimes(lines.received.dropFirst(1))
    return [times.median, times.p99, times.stretchP99, lines.received[0]]
  }

  private func run(_ load: Load, count: Int) -> (sent: [Double], received: [Double]) {
    let service = "bench-\(getpid())"
    let receiver = processes.start(1) { core in
      ChildProcess(ourselves: ["receive", service, load.rawValue, "\(count)"], core: core)
    }[0]
    receiver.expect("ready")
    let sender = ChildProcess(
      ourselves: ["send", service, load.rawValue, "\(count)"], core: processes.first)
    let sent = sender.expect("sent").compactMap(Double.init)
    let received = receiver.expect("received").compactMap(Double.init)
    sender.finish()
    receiver.finish()
    return (sent, received)
  }
}

/// What one pair of processes does.
enum Load: String {
  case messages, stream, streams, idle, beside
}
