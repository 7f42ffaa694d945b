import BenchmarkKit
import Foundation

/// The contenders, each of which is measured in new processes every time.
struct Contest {
  /// libzmq, where it is installed.
  let queue: Baseline?
  private let frames: Baseline
  private let secureFrames: Baseline
  private let processes: Processes
  private let share: Int

  init(_ processes: Processes, isQuick: Bool) {
    guard let frames = Baseline("frames") else { fail("no baseline was built") }
    (self.frames, secureFrames) = (frames, .secure("frames"))
    queue = Baseline("queue", linking: ["zmq"], needing: "zmq.h")
    (self.processes, share) = (processes, isQuick ? 20 : 1)
  }

  /// All contenders under one load; the C program over TLS is the baseline.
  func trials(_ load: Load) -> [Benchmark.Trial] {
    var trials = [
      Benchmark.Trial("C over TLS, \(load.name)") { [framed(secureFrames, load)] },
      Benchmark.Trial("C, not encrypted, \(load.name)") { [framed(frames, load)] },
    ]
    if queue != nil {
      trials.append(.init("libzmq with CURVE, \(load.name)") { [queued(load, encrypts: true)] })
      trials.append(
        .init("libzmq, not encrypted, \(load.name)") { [queued(load, encrypts: false)] })
    }
    trials.append(.init("Earshot, \(load.name)") { [earshot(load, at: "pool")] })
    trials.append(.init("Earshot on the loop, \(load.name)") { [earshot(load, at: "loop")] })
    return trials
  }

  private func framed(_ frames: Baseline, _ load: Load) -> Double {
    let (bytes, count) = ("\(load.bytes)", "\(load.plain / share)")
    let receivers = processes.start(load.receivers) { core in
      ChildProcess(frames.path, ["receive", bytes, count], core: core)
    }
    let ports = receivers.map { $0.expect("ready")[0] }
    let sender = ChildProcess(frames.path, ["send", bytes, count] + ports, core: processes.first)
    return rate(receivers, sender)
  }

  private func queued(_ load: Load, encrypts: Bool) -> Double {
    guard let queue else { fail("libzmq is not installed") }
    if encrypts { setenv("CURVE", "1", 1) }
    defer { unsetenv("CURVE") }
    let (bytes, count) = ("\(load.bytes)", "\(load.queue / share)")
    let isOne = load.receivers == 1
    let receivers = processes.start(load.receivers) { core in
      ChildProcess(queue.path, ["receive", isOne ? "pull" : "sub", bytes, count], core: core)
    }
    let ports = receivers.map { $0.expect("ready")[0] }
    let sender = ChildProcess(
      queue.path, ["send", isOne ? "push" : "pub", bytes, count] + ports, core: processes.first)
    return rate(receivers, sender)
  }

  private func earshot(_ load: Load, at place: String) -> Double {
    let service = "bench-\(getpid())"
    let count = load.earshot / share
    let receivers = processes.start(load.receivers) { core in
      ChildProcess(
        ourselves: Worker.receiver(service, place, load.receivers, count), core: core)
    }
    for receiver in receivers { receiver.expect("ready") }
    let sender = ChildProcess(
      ourselves: Worker.sender(service, place, load.receivers, count, load.bytes),
      core: processes.first)
    for receiver in receivers { receiver.expect("joined") }
    sender.expect("joined")
    sender.tell("go")
    return rate(receivers, sender)
  }

  /// Messages received in all, a second from the first to the last.
  private func rate(_ receivers: [ChildProcess], _ sender: ChildProcess) -> Double {
    sender.expect("sent")  // First: if it dies, the receivers wait for ever.
    let results = receivers.map { $0.expect("received").compactMap(Double.init) }
    for process in receivers + [sender] { process.finish() }
    let first = results.map { $0[0] }.min() ?? 0
    let last = results.map { $0[1] }.max() ?? 0
    return results.map { $0[2] }.reduce(0, +) / ((last - first) / 1e9)
  }
}
