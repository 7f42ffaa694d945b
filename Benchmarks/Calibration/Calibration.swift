import BenchmarkKit
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
        "--congestion NAME  Linux's congestion control (reno)",
        "--segments SEED    print the segments of simulated transfers, and measure nothing",
      ])
    if let seed = benchmark.value(of: "--segments").flatMap(UInt64.init) {
      return cells(benchmark).forEach { printSegments(of: $0, seed: seed) }
    }
    let congestionControl = benchmark.value(of: "--congestion") ?? "reno"
    benchmark.note("congestion control", congestionControl)
    benchmark.note("load before", Machine.load)
    guard geteuid() == 0, FileManager.default.fileExists(atPath: "/dev/net/tun") else {
      benchmark.note(
        "skipped", "everything: network namespaces and /dev/net/tun need root on Linux")
      return try benchmark.report()
    }
    guard let program = Baseline("transfer", linking: ["pthread"]) else { return }
    defer { Baseline.removeAll() }
    let linux = LinuxTransfers(program, congestionControl: congestionControl)
    let comparisons = compare(cells(benchmark), benchmark.rounds, linux)
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

  private static func printSegments(of cell: Cell, seed: UInt64) {
    print(cell.name)
    _ = SimulatedTransfer(cell: cell, seed: seed, observe: { print($0) }).run()
  }

  private static func cells(_ benchmark: Benchmark) -> [Cell] {
    let cells = Cell.all.filter { benchmark.isWished($0.name) }
    return benchmark.isQuick ? cells.filter { $0.rate == 256 && $0.roundTrip == 10 } : cells
  }

  /// Random losses make transfers differ, so of those with losses there are more.
  private static func compare(
    _ cells: [Cell], _ rounds: Int, _ linux: LinuxTransfers
  ) -> [Comparison] {
    let counts = cells.map { $0.lossPercent == 0 ? max(1, rounds / 3) : rounds * 3 }
    // What is lost most takes longest and carries least: all of that at once.
    let jobs = zip(cells.indices, counts).sorted {
      cells[$0.0].lossPercent > cells[$1.0].lossPercent
    }
    .flatMap { index, count in
      (1...count).map { LinuxTransfers.Job(cell: cells[index], index: index, seed: UInt64($0)) }
    }
    let measured = zip(jobs, linux.run(jobs))
    return zip(cells.indices, counts).compactMap { index, count in
      let linux = measured.filter { $0.0.index == index }.map(\.1)
      let simulated = (1...count).map {
        SimulatedTransfer(cell: cells[index], seed: UInt64($0)).run()
      }
      return Comparison(cells[index], linux: linux, simulated: simulated)
    }
  }
}
