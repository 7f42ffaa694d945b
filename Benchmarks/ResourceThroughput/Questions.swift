import BenchmarkKit
import Foundation
import LoopbackPeers

/// What is measured, in this order.
struct Questions {
  private let pairs: Pairs
  private let processes: Processes
  private let isQuick: Bool
  private let bytes: Int
  private let memoryBytes: Int
  private let holeBytes: Int
  private let source: ScratchFolder
  private let inbox: ScratchFolder
  private let disk: String

  init(_ benchmark: Benchmark, _ processes: Processes) {
    func bytes(_ option: String) -> Int? { benchmark.value(of: option).flatMap(Int.init) }
    (self.processes, isQuick) = (processes, benchmark.isQuick)
    pairs = Pairs(processes)
    self.bytes = bytes("--bytes") ?? (isQuick ? 64 << 20 : 1 << 30)
    memoryBytes = bytes("--memory-bytes") ?? (isQuick ? 256 << 20 : 2 << 30)
    holeBytes = isQuick ? 1 << 30 : 10 << 30
    source = ScratchFolder(in: ScratchFolder.memory, "source")
    inbox = ScratchFolder(in: ScratchFolder.memory, "inbox")
    disk = benchmark.value(of: "--folder") ?? FileManager.default.temporaryDirectory.path
  }

  /// How many bytes of a file are carried a second, and in how much CPU time.
  func rates(_ benchmark: inout Benchmark) {
    let names = ["a file, C over TLS", "a file, C in two threads", "a file, Earshot"]
    guard names.contains(where: benchmark.isWished) else { return }
    let path = source.makeFile("file", dataBytes: bytes)
    defer { source.clear() }
    let figures: [Benchmark.Figure] = [
      .init("", unit: "MiB/s"), .init("CPU of the sender", unit: "s/GiB"),
      .init("CPU of the receiver", unit: "s/GiB"), .init("CPU of both", unit: "s/GiB"),
    ]
    benchmark.compare(
      figures,
      [
        .init(names[0]) { pairs.copyByC(path, bytes, into: inbox, isThreaded: false) },
        .init(names[1]) { pairs.copyByC(path, bytes, into: inbox, isThreaded: true) },
        .init(names[2]) { pairs.copy(path, bytes, into: inbox) },
      ])
  }

  /// The same beside `scp`, without what it takes for a file of no bytes.
  func secureShell(_ benchmark: inout Benchmark) {
    let names = ["scp, a file", "Earshot beside scp, a file"]
    guard names.contains(where: benchmark.isWished) else { return }
    let folder = ScratchFolder(in: ScratchFolder.memory, "ssh")
    guard let shell = SecureShell(processes, in: folder) else {
      return benchmark.note("scp", "skipped, not installed (apt-get install openssh-server)")
    }
    let path = source.makeFile("file", dataBytes: bytes)
    let empty = source.makeFile("empty", dataBytes: 0)
    defer { source.clear() }
    _ = shell.copy(empty, to: "\(inbox.path)/copy")  // Waits until the server listens.
    benchmark.compare(
      [.init("", unit: "MiB/s")],
      [
        .init(names[0]) {
          defer { inbox.clear() }
          let resting = shell.copy(empty, to: "\(inbox.path)/empty")
          let seconds = shell.copy(path, to: "\(inbox.path)/copy") - resting
          return [Double(bytes) / 1_048_576 / seconds]
        },
        .init(names[1]) { [pairs.copy(path, bytes, into: inbox)[0]] },
      ])
  }

  /// How much memory a long file takes, and one that is nearly all holes.
  func memory(_ benchmark: inout Benchmark) {
    let files = [
      ("memory, \(Self.size(memoryBytes)) of data", memoryBytes, 0),
      ("memory, \(Self.size(holeBytes)) of holes", 1 << 20, holeBytes),
    ]
    for (name, dataBytes, holeBytes) in files where benchmark.isWished(name) {
      let source = ScratchFolder(in: disk, "source \(name)")
      let inbox = ScratchFolder(in: disk, "inbox \(name)")
      let path = source.makeFile("file", dataBytes: dataBytes, holeBytes: holeBytes)
      let rounds = (0..<min(benchmark.rounds, 3)).map { _ in pairs.memory(path, into: inbox) }
      source.clear()
      let figures = ["sender", "receiver", "sender's growth", "receiver's growth"]
      for (index, figure) in figures.enumerated() {
        benchmark.add(Sample("\(name), \(figure)", unit: "MiB", values: rounds.map { $0[index] }))
      }
    }
  }

  /// How long until the receiver has written the first bytes.
  func firstBytes(_ benchmark: inout Benchmark) {
    let count = isQuick ? 5 : 101
    let small = source.makeFile("small", dataBytes: 1 << 20)
    let large = source.makeFile("large", dataBytes: 1 << 20, holeBytes: holeBytes)
    defer { source.clear() }
    for (way, isLinked) in [("over a link", true), ("by ticket", false)] {
      let files = [("1 MiB", small), (Self.size(holeBytes), large)]
      benchmark.compare(
        [.init("median", unit: "ms"), .init("p99", unit: "ms")],
        files.map { size, path in
          .init("first byte \(way), \(size)") {
            let times = Percentiles(
              pairs.firstBytes(path, count, isLinked: isLinked, inbox))
            return [times[50], times[99]]
          }
        })
    }
  }

  /// What messages wait for beside a file, and what it gives up for them.
  func messages(_ benchmark: inout Benchmark) {
    let names = ["messages alone", "messages beside a file", "a file alone"]
    guard names.contains(where: benchmark.isWished) else { return }
    let path = source.makeFile("file", dataBytes: bytes)
    defer { source.clear() }
    let count = isQuick ? 200 : 4_000
    var (alone, beside, rates) = ([MessageTimes](), [MessageTimes](), [[Double]]())
    for _ in 0..<benchmark.rounds {
      alone.append(MessageTimes(pairs.mix(path, .messages, count, inbox).times))
      let rate = pairs.mix(path, .file, count, inbox).rate
      let both = pairs.mix(path, .both, count, inbox)
      beside.append(MessageTimes(both.times))
      rates.append([rate, both.rate])
    }
    let figures: [(String, (MessageTimes) -> Double)] = [
      ("p50", { $0.median }), ("p99", { $0.p99 }),
      ("p99 of \(MessageTimes.stretchCount)", { $0.stretchP99 }),
    ]
    for (name, times) in [(names[0], alone), (names[1], beside)] {
      for (figure, value) in figures {
        benchmark.add(Sample("\(name), \(figure)", unit: "ms", values: times.map(value)))
      }
    }
    let file = Sample(names[2], unit: "MiB/s", values: rates.map { $0[0] }, ratio: 1)
    var other = Sample("a file beside messages", unit: "MiB/s", values: rates.map { $0[1] })
    other.ratio = other.median / file.median
    for sample in [file, other] { benchmark.add(sample) }
  }

  /// What messages wait for beside a file over a slow link.
  func slowLink(_ benchmark: inout Benchmark) throws {
    let name = "slow link"
    guard benchmark.isWished(name) else { return }
    let link = SlowLink(count: isQuick ? 100 : 500)
    let rounds = try (0..<min(benchmark.rounds, 5)).map { try link.run(seed: UInt64($0) + 1) }
    let figures = [
      ("message alone, p99", "ms"), ("more beside a file, p99", "ms"), ("file", "MiB/s"),
    ]
    for (index, (figure, unit)) in figures.enumerated() {
      benchmark.add(Sample("\(name), \(figure)", unit: unit, values: rounds.map { $0[index] }))
    }
  }

  private static func size(_ bytes: Int) -> String {
    bytes % (1 << 30) == 0 ? "\(bytes >> 30) GiB" : "\(bytes >> 20) MiB"
  }
}
