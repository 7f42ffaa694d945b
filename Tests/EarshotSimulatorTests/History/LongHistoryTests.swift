import EarshotSimulator
import TestKit
import Testing

@Suite("Long histories")
struct LongHistoryTests {
  @Test("Ten thousand operations of ten clients have an order")
  func timely() throws {
    let workload = RegisterWorkload(operations: 10_000, clients: 10, seed: 1)
    try workload.history(of: .timely).requireLinearizable(as: RegisterModel(initial: 0))
  }

  @Test("Operations that never return leave an order", arguments: Seed.some(5))
  func unreturned(seed: Seed) throws {
    let workload = RegisterWorkload(operations: 1_000, clients: 5, seed: seed.value)
    try workload.history(of: .oneInAHundredNeverReturns)
      .requireLinearizable(as: RegisterModel(initial: 0))
  }

  @Test("A stale read after a thousand operations is shown by few", arguments: Seed.some(5))
  func stale(seed: Seed) {
    let workload = RegisterWorkload(operations: 1_000, clients: 5, seed: seed.value)
    let verdict = workload.history(of: .lastReadIsStale).check(against: RegisterModel(initial: 0))
    guard case .violated(let violation) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(violation.operations.count <= 3 && violation.operations.last?.client == "late")
  }

  @Test(
    "A stale read after a hundred thousand operations is shown by few, too",
    .timeLimit(.minutes(30)))
  func veryLong() {
    let workload = RegisterWorkload(operations: 100_000, clients: 5, seed: 1)
    let verdict = workload.history(of: .lastReadIsStale).check(against: RegisterModel(initial: 0))
    guard case .violated(let violation) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(violation.operations.count <= 3 && violation.operations.last?.client == "late")
  }

  @Test(
    "A value that comes back after thousands of states is shown by few", arguments: Seed.some(5))
  func resurrected(seed: Seed) throws {
    // Each write is another state; the last reads see one of long ago, then the present one again.
    let history = RegisterModel<Int>.OperationHistory()
    func perform(
      _ operation: RegisterModel<Int>.Operation, _ response: RegisterModel<Int>.Response,
      at number: Int
    ) {
      let invocation = history.invoke(operation, by: "ann", at: .zero + .seconds(number))
      history.complete(
        invocation, returning: response, at: .zero + .seconds(number) + .milliseconds(500))
    }
    let count = 20_000 + Int(seed.value % 1_000)
    for number in 1...count { perform(.write(number), .written, at: number) }
    perform(.read, .value(7), at: count + 1)
    guard case .violated(let violation) = history.check(against: RegisterModel(initial: 0)) else {
      Issue.record("no violation")
      return
    }
    #expect(violation.operations.map(\.operation) == ["write(\(count))", "read"])
  }

  @Test("Where a long window would need too many tries, the states are those at its beginning")
  func manyStates() {
    let history = CounterModel.OperationHistory()
    var number = 0
    func perform(_ operation: CounterModel.Operation, _ response: CounterModel.Response) {
      number += 1
      let invocation = history.invoke(operation, by: "ann", at: .zero + .seconds(number))
      history.complete(
        invocation, returning: response, at: .zero + .seconds(number) + .milliseconds(500))
    }
    for _ in 0..<20_000 { perform(.add(1), .added) }
    perform(.read, .value(20_000))
    for _ in 0..<1_500 { perform(.add(1), .added) }
    perform(.read, .value(21_499))
    guard case .violated(let violation) = history.check(against: CounterModel()) else {
      Issue.record("no violation")
      return
    }
    #expect(violation.operations.map(\.response) == ["value(21499)"])
  }
}
