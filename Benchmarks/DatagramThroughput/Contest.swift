import BenchmarkKit
import Foundation

/// The contenders, each of which is measured in new processes every time.
struct Contest {
  private let datagrams: Baseline
  private let processes: Processes
  private let count: Int

  init(_ processes: Processes, isQuick: Bool) {
    guard let datagrams = Baseline("datagrams") else { fail("no baseline was built") }
    (self.datagrams, self.processes) = (datagrams, processes)
    count = isQuick ? 50_000 : 1_000_000
  }

  /// All contenders; the C program is the baseline.
  var trials: [Benchmark.Trial] {
    [
      Benchmark.Trial("C, not sealed") { plain() },
      Benchmark.Trial("Earshot on the loop, sealed") { earshot() },
    ]
  }

  private func plain() -> [Double] {
    let arguments = ["1200", "\(count)"]
    let receiver = processes.start(1) { core in
      ChildProcess(datagrams.path, ["receive"] + arguments, core: core)
    }[0]
    let port = receiver.expect("ready")
    let sender = ChildProcess(
      datagrams.path, ["send"] + arguments + port, core: processes.first)
    return figures(receiver, sender)
  }

  private func earshot() -> [Double] {
    let service = "dgrams-\(getpid())"
    let receiver = processes.start(1) { core in
      ChildProcess(ourselves: Worker.receiver(service), core: core)
    }[0]
    receiver.expect("ready")
    let sender = ChildProcess(ourselves: Worker.sender(service, count), core: processes.first)
    return figures(receiver, sender)
  }

  /// What arrived, a second from the first to the last, and which share that is.
  private func figures(_ receiver: ChildProcess, _ sender: ChildProcess) -> [Double] {
    let result = receiver.expect("received").compactMap(Double.init)
    sender.expect("sent")
    for process in [receiver, sender] { process.finish() }
    return [result[2] / ((result[1] - result[0]) / 1e9), result[2] * 100 / Double(count)]
  }
}
