import BenchmarkKit
import Foundation

/// What one kind of TCP did in a cell: a value of each figure a transfer.
struct Outcome: Codable {
  var goodput: [Double] = []
  var completion: [Double] = []
  var resentPercent: [Double] = []
  /// How many transfers were not over in time.
  var lateCount = 0

  init(_ transfers: [Transfer?]) {
    let finished = transfers.compactMap { $0 }
    goodput = finished.map(\.goodput)
    completion = finished.map(\.completion)
    resentPercent = finished.map(\.resentPercent)
    lateCount = transfers.count - finished.count
  }
}

/// The medians of one cell, through Linux's TCP and through the simulated one.
struct Comparison {
  let cell: Cell
  let linux: Outcome
  let simulated: Outcome

  /// The outcomes of a cell; `nil` when no transfer of either was over in time.
  init?(_ cell: Cell, linux: Outcome, simulated: Outcome) {
    if linux.goodput.isEmpty || simulated.goodput.isEmpty { return nil }
    (self.cell, self.linux, self.simulated) = (cell, linux, simulated)
  }

  private var lateCount: Int { linux.lateCount + simulated.lateCount }

  /// By how much the simulated median differs from Linux's: the first two as a share, the last in points.
  private var goodput: Double { deviation(\.goodput) }
  private var completion: Double { deviation(\.completion) }
  private var resent: Double {
    Self.median(simulated, \.resentPercent) - Self.median(linux, \.resentPercent)
  }

  private func deviation(_ value: KeyPath<Outcome, [Double]>) -> Double {
    Self.median(simulated, value) / Self.median(linux, value) - 1
  }

  /// Whether goodput is within 10 %, completion within 15 % and what is sent twice within 5 points.
  var isClose: Bool { abs(goodput) <= 0.1 && abs(completion) <= 0.15 && abs(resent) <= 5 }

  /// A line of the table.
  var line: String {
    let figures = [
      row(\.goodput, "%9.1f %9.1f") + String(format: " %+6.1f %%", 100 * goodput),
      row(\.completion, "%7.2f %7.2f") + String(format: " %+6.1f %%", 100 * completion),
      row(\.resentPercent, "%6.2f %6.2f") + String(format: " %+6.2f", resent),
    ].joined(separator: "  ")
    let late = lateCount == 0 ? "" : "  \(lateCount) late"
    return cell.name.padding(toLength: 24, withPad: " ", startingAt: 0)
      + String(format: "%9d %4d  ", cell.bytes, linux.goodput.count) + figures
      + (isClose ? "" : "  ✗") + late
  }

  static let header =
    "rate, round trip, loss       bytes runs    goodput, kbit/s              completion, s"
    + "              sent twice, %\n"
    + "                                            Linux simulated             Linux  sim."
    + "               Linux   sim."

  private func row(_ value: KeyPath<Outcome, [Double]>, _ format: String) -> String {
    String(format: format, Self.median(linux, value), Self.median(simulated, value))
  }

  /// The samples of the JSON report, each simulated one with its ratio to Linux's.
  var samples: [Sample] {
    let figures: [(String, String, KeyPath<Outcome, [Double]>)] = [
      ("goodput", "kbit/s", \.goodput), ("completion", "s", \.completion),
      ("sent twice", "%", \.resentPercent),
    ]
    return figures.flatMap { name, unit, value in
      let linux = Sample("\(cell.name), \(name), Linux", unit: unit, values: linux[keyPath: value])
      var simulated = Sample(
        "\(cell.name), \(name), simulated", unit: unit, values: simulated[keyPath: value])
      if linux.median > 0 { simulated.ratio = simulated.median / linux.median }
      return [linux, simulated]
    }
  }

  private static func median(_ outcome: Outcome, _ value: KeyPath<Outcome, [Double]>) -> Double {
    let values = outcome[keyPath: value].sorted()
    return (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
  }
}
