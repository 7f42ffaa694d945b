import BenchmarkKit
import Foundation

/// The medians of one cell, through Linux's TCP and through the simulated one.
struct Comparison {
  let cell: Cell
  let linux: [Transfer]
  let simulated: [Transfer]
  /// How many were not over in time, on either side.
  let lateCount: Int

  /// The transfers of a cell; `nil` when either side has none.
  init?(_ cell: Cell, linux: [Transfer?], simulated: [Transfer?]) {
    self.cell = cell
    (self.linux, self.simulated) = (linux.compactMap { $0 }, simulated.compactMap { $0 })
    lateCount = linux.count + simulated.count - self.linux.count - self.simulated.count
    if self.linux.isEmpty || self.simulated.isEmpty { return nil }
  }

  /// By how much the simulated median differs from Linux's: the first two as a share, the last in points.
  private var goodput: Double { deviation { $0.goodput } }
  private var completion: Double { deviation { $0.completion } }
  private var resent: Double {
    Self.median(simulated, \.resentPercent) - Self.median(linux, \.resentPercent)
  }

  private func deviation(_ value: (Transfer) -> Double) -> Double {
    Self.median(simulated, value) / Self.median(linux, value) - 1
  }

  /// Whether goodput is within 10 %, completion within 15 % and what is sent twice within 5 points.
  var isClose: Bool { abs(goodput) <= 0.1 && abs(completion) <= 0.15 && abs(resent) <= 5 }

  /// A line of the table.
  var line: String {
    let figures = [
      row({ $0.goodput }, "%9.1f %9.1f") + String(format: " %+6.1f %%", 100 * goodput),
      row({ $0.completion }, "%7.2f %7.2f") + String(format: " %+6.1f %%", 100 * completion),
      row({ $0.resentPercent }, "%6.2f %6.2f") + String(format: " %+6.2f", resent),
    ].joined(separator: "  ")
    let late = lateCount == 0 ? "" : "  \(lateCount) late"
    return cell.name.padding(toLength: 24, withPad: " ", startingAt: 0)
      + String(format: "%9d %4d  ", cell.bytes, linux.count) + figures
      + (isClose ? "" : "  ✗") + late
  }

  static let header =
    "rate, round trip, loss       bytes runs    goodput, kbit/s              completion, s"
    + "              sent twice, %\n"
    + "                                            Linux simulated             Linux  sim."
    + "               Linux   sim."

  private func row(_ value: (Transfer) -> Double, _ format: String) -> String {
    String(format: format, Self.median(linux, value), Self.median(simulated, value))
  }

  /// The samples of the JSON report, each simulated one with its ratio to Linux's.
  var samples: [Sample] {
    let figures: [(String, String, (Transfer) -> Double)] = [
      ("goodput", "kbit/s", { $0.goodput }), ("completion", "s", { $0.completion }),
      ("sent twice", "%", { $0.resentPercent }),
    ]
    return figures.flatMap { name, unit, value in
      let linux = Sample("\(cell.name), \(name), Linux", unit: unit, values: linux.map(value))
      var simulated = Sample(
        "\(cell.name), \(name), simulated", unit: unit, values: simulated.map(value))
      if linux.median > 0 { simulated.ratio = simulated.median / linux.median }
      return [linux, simulated]
    }
  }

  private static func median(_ transfers: [Transfer], _ value: (Transfer) -> Double) -> Double {
    let values = transfers.map(value).sorted()
    return (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
  }
}
