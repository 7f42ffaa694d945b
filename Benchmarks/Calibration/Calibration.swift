import BenchmarkKit
import EarshotSimulator
import Foundation

/// Asks how close the simulated TCP is to Linux's under the same rate, delay, loss and queue.
///
/// Linux's runs between two network namespaces over a link in user space (`Benchmarks/Baselines/transfer.c`). On
/// both sides the n-th packet of a direction is lost by the same seeded sequence, and medians are compared, since
/// the first packet that differs leads to other losses.
@main
enum Calibration {
  static func main() throws {
    var benchmark = Benchmark(
      "Calibration",
      options: [
        "--congestion NAME  the congestion control on both sides: cubic or reno (cubic)",
        "--keep FILE        write down what Linux did",
        "--against FILE     compare with what was written down, without root",
        "--segments SEED    print the segments of simulated transfers, and measure nothing",
      ])
    let congestionControl = benchmark.value(of: "--congestion") ?? "cubic"
    let simulated: CongestionControl = congestionControl == "reno" ? .reno : .cubic
    if let seed = benchmark.value(of: "--segments").flatMap(UInt64.init) {
      return cells(benchmark).forEach { printSegments(of: $0, seed, simulated) }
    }
    benchmark.note("congestion control", congestionControl)
    benchmark.note("load before", Machine.load)
    let cells = cells(benchmark)
    let counts = cells.map { transferCount(of: $0, benchmark.rounds) }
    guard let linux = try linux(benchmark, cells, counts, congestionControl) else {
      benchmark.note(
        "skipped",
        "everything: Linux's \(congestionControl) between network namespaces needs root's rights and /dev/net/tun"
      )
      return try benchmark.report()
    }
    let comparisons = zip(cells, counts).compactMap { cell, count in
      linux[cell.name].flatMap { linux in
        let transfers = (1...count).map {
          SimulatedTransfer(cell: cell, seed: UInt64($0), congestionControl: simulated).run()
        }
        return Comparison(cell, linux: linux, simulated: Outcome(transfers))
      }
    }
    for comparison in comparisons {
      for sample in comparison.samples { benchmark.add(sample) }
    }
    let closeCount = comparisons.count(where: \.isClose)
    benchmark.note(
      "cells with goodput within 10 %, completion within 15 %, sent twice within 5 points",
      "\(closeCount) of \(comparisons.count)")
    guard !benchmark.isJSON else { return try benchmark.report() }
    benchmark.printConditions()
    print(Comparison.header)
    for comparison in comparisons { print(comparison.line) }
  }

  private static func printSegments(
    of cell: Cell, _ seed: UInt64, _ congestionControl: CongestionControl
  ) {
    print(cell.name)
    _ = SimulatedTransfer(
      cell: cell, seed: seed, congestionControl: congestionControl, observe: { print($0) }
    ).run()
  }

  private static func cells(_ benchmark: Benchmark) -> [Cell] {
    let cells = Cell.all.filter { benchmark.isWished($0.name) }
    return benchmark.isQuick ? cells.filter { $0.rate == 256 && $0.roundTrip == 10 } : cells
  }

  /// Random losses make transfers differ, so of those with losses there are more.
  private static func transferCount(of cell: Cell, _ rounds: Int) -> Int {
    switch cell.lossPercent {
    case 0: max(1, rounds / 3)
    case ..<20: rounds * 3
    default: rounds * 10
    }
  }

  /// What Linux does, by the names of the cells: read from a file, or measured; `nil` where it cannot be.
  private static func linux(
    _ benchmark: Benchmark, _ cells: [Cell], _ counts: [Int], _ congestionControl: String
  ) throws -> [String: Outcome]? {
    if let path = benchmark.value(of: "--against") {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      return try JSONDecoder().decode([String: Outcome].self, from: data)
    }
    guard FileManager.default.fileExists(atPath: "/dev/net/tun"),
      let program = Baseline("transfer", linking: ["pthread"])
    else { return nil }
    defer { Baseline.removeAll() }
    let linux = LinuxTransfers(program, congestionControl: congestionControl)
    guard linux.arePossible else { return nil }
    let outcomes = measure(cells, counts, linux)
    if let path = benchmark.value(of: "--keep") {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(outcomes).write(to: URL(fileURLWithPath: path))
    }
    return outcomes
  }

  /// What is lost most takes longest and carries least: all of that at once.
  private static func measure(
    _ cells: [Cell], _ counts: [Int], _ linux: LinuxTransfers
  ) -> [String: Outcome] {
    let jobs = zip(cells, counts).sorted { $0.0.lossPercent > $1.0.lossPercent }
      .flatMap { cell, count in
        (1...count).map { LinuxTransfers.Job(cell: cell, seed: UInt64($0)) }
      }
    let measured = Dictionary(
      grouping: zip(jobs, linux.run(jobs)), by: { job, _ in job.cell.name })
    return measured.mapValues { Outcome($0.map(\.1)) }
  }
}
