import BenchmarkKit
import EarshotSimulator
import TestKit

/// Asks how many operations of a history a second are checked for linearizability.
///
/// The baseline records the operations and checks nothing. The clients work without a pause, each with one operation
/// under way; a quarter of the operations are writes.
@main
enum HistoryCheck {
  private static let operations = 10_000

  static func main() throws {
    var benchmark = Benchmark("HistoryCheck")
    for clients in [5, 20] { measure(clients, in: &benchmark) }
    try benchmark.report()
  }

  private static func measure(_ clients: Int, in benchmark: inout Benchmark) {
    let workload = RegisterWorkload(operations: operations, clients: clients, seed: 1)
    let timely = workload.history(of: .timely)
    let stale = workload.history(of: .lastReadIsStale)
    let partly = workload.history(of: .oneInAHundredNeverReturns)
    benchmark.compare(
      unit: "operations/s",
      [
        .init("record, \(clients) clients", operations: operations) {
          _ = workload.history(of: .timely)
        },
        .init("check, \(clients) clients", operations: operations) {
          require(
            timely.check(against: RegisterModel(initial: 0)) == .linearizable,
            "a timely history is not linearizable")
        },
        .init("check, \(clients) clients, last read is stale", operations: operations) {
          let verdict = stale.check(against: RegisterModel(initial: 0))
          guard case .violated(let violation) = verdict else { fail("\(verdict)") }
          require(violation.operations.count < 10, "the window is large")
        },
        .init("check, \(clients) clients, 1 % never return", operations: operations) {
          require(
            partly.check(against: RegisterModel(initial: 0)) == .linearizable,
            "a partial history is not linearizable")
        },
      ])
  }
}
