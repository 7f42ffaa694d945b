import BenchmarkKit
import Foundation
import LoopbackPeers
import Synchronization

/// Pairs of processes, one of which sends files to the other.
struct Pairs {
  private let processes: Processes
  private let baseline: Baseline

  init(_ processes: Processes) { (self.processes, baseline) = (processes, .secure("files")) }

  // MARK: Rates

  /// The MiB a second of a file of so many bytes, and the CPU seconds of the sender, of the receiver
  /// and of both for a GiB; by the program in C, whose receiver writes in a second thread if it is
  /// threaded.
  func copyByC(
    _ path: String, _ bytes: Int, into inbox: ScratchFolder, isThreaded: Bool
  ) -> [Double] {
    defer { inbox.clear() }
    let words = ["receive", inbox.path] + (isThreaded ? ["threaded"] : [])
    let receiver = processes.start(1) { core in
      ChildProcess(baseline.path, words, core: core)
    }[0]
    let port = receiver.expect("ready")[0]
    let sender = ChildProcess(baseline.path, ["send", path, port], core: processes.first)
    let (sent, received) = (sender.expect("sent"), receiver.expect("received"))
    sender.finish()
    receiver.finish()
    return Self.figures(sent, received, bytes)
  }

  /// The same by Earshot.
  func copy(_ path: String, _ bytes: Int, into inbox: ScratchFolder) -> [Double] {
    defer { inbox.clear() }
    let (sender, receiver) = join(path, inbox)
    sender.tell("go")
    let (sent, received) = (sender.expect("sent"), receiver.expect("received"))
    end(sender, receiver)
    return Self.figures(sent, received, bytes)
  }

  private static func figures(_ sent: [String], _ received: [String], _ bytes: Int) -> [Double] {
    let (sent, received) = (sent.compactMap(Double.init), received.compactMap(Double.init))
    let gibibytes = Double(bytes) / Double(1 << 30)
    let cpu = [sent[1], received[0], sent[1] + received[0]].map { $0 / gibibytes }
    return [gibibytes * 1_024 / sent[0]] + cpu
  }

  private func join(
    _ path: String, _ inbox: ScratchFolder
  ) -> (sender: ChildProcess, receiver: ChildProcess) {
    let receiver = processes.start(1) { core in
      ChildProcess(ourselves: Worker.arguments(.receive, inbox.path), core: core)
    }[0]
    receiver.expect("ready")
    let sender = ChildProcess(ourselves: Worker.arguments(.send, path), core: processes.first)
    for process in [sender, receiver] { process.expect("joined") }
    return (sender, receiver)
  }

  private func end(_ sender: ChildProcess, _ receiver: ChildProcess) {
    sender.tell("end")
    sender.finish()
    receiver.finish()
  }

  // MARK: Memory

  /// The private MiB above those of the pair at rest: of the sender and of the receiver at most, and
  /// how much the medians of the last third of the time exceed those of the second.
  func memory(_ path: String, into inbox: ScratchFolder) -> [Double] {
    defer { inbox.clear() }
    let (sender, receiver) = join(path, inbox)
    sleep(1)
    let series = [sender, receiver].map { MemorySeries(of: $0.id) }
    sender.tell("go")
    sender.expect("sent")
    receiver.expect("received")
    let ended = series.map { $0.end() }
    end(sender, receiver)
    return [ended[0].most, ended[1].most, ended[0].growth, ended[1].growth]
  }

  // MARK: First bytes

  /// The milliseconds from the call that sends a file to its first bytes on the receiver.
  func firstBytes(_ path: String, _ count: Int, isLinked: Bool, _ inbox: ScratchFolder) -> [Double]
  {
    let receiver = processes.start(1) { core in
      ChildProcess(ourselves: Worker.arguments(.greet, inbox.path), core: core)
    }[0]
    let ticket = receiver.expect("ready")[0]
    let sender = ChildProcess(
      ourselves: Worker.arguments(isLinked ? .begin : .meet, path, at: ticket),
      core: processes.first)
    sender.expect("joined")
    let times = (0..<count).map { _ in
      sender.tell("go")
      let (began, first) = (sender.expect("began"), receiver.expect("first"))
      sender.tell("end")
      sender.expect("ended")
      guard let start = Int64(began[0]), let end = Int64(first[0]) else { fail("no times") }
      return Double(end - start) / 1e6
    }
    sender.tell("enough")
    sender.finish()
    receiver.kill()
    inbox.clear()
    return times
  }

  // MARK: Messages

  /// The MiB a second of files, and the times of so many messages, one each millisecond.
  func mix(
    _ path: String, _ load: Load, _ count: Int, _ inbox: ScratchFolder
  ) -> (rate: Double, times: [Double]) {
    defer { inbox.clear() }
    let receiver = processes.start(1) { core in
      ChildProcess(ourselves: Worker.arguments(.take, inbox.path, load, count), core: core)
    }[0]
    receiver.expect("ready")
    let sender = ChildProcess(
      ourselves: Worker.arguments(.mix, path, load, count), core: processes.first)
    let received = receiver.expect("received").compactMap(Double.init)
    sender.finish()
    receiver.finish()
    return (received[0], Array(received.dropFirst()))
  }
}

/// The private memory of a process from now on, above what it is now.
private final class MemorySeries: Sendable {
  private struct State {
    var values: [Double] = []
    var isOver = false
  }
  private let state = Mutex(State())
  private let thread = DispatchSemaphore(value: 0)

  init(of process: Int32) {
    let resting = Footprint.privateMiB(of: process)
    Thread.detachNewThread { [self] in
      while !state.withLock({ $0.isOver }) {
        let value = Footprint.privateMiB(of: process) - resting
        state.withLock { $0.values.append(value) }
        usleep(Self.intervalMicroseconds)
      }
      thread.signal()
    }
  }

  /// Ends the series.
  func end() -> (most: Double, growth: Double) {
    state.withLock { $0.isOver = true }
    thread.wait()
    let values = state.withLock { $0.values }
    let third = max(1, values.count / 3)
    let (second, last) = (values.dropFirst(third).prefix(third), values.suffix(third))
    guard let most = values.max(), !second.isEmpty else { fail("the transfer was too short") }
    return (most, Percentiles(last)[50] - Percentiles(second)[50])
  }

  private static let intervalMicroseconds: UInt32 = 20_000
}
