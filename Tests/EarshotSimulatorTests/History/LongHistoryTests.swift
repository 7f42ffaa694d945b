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

  @Test(
    "A stale read after thousands of operations is shown by few", .timeLimit(.minutes(30)),
    arguments: Seed.some(5).map { (1_000, $0.value) } + [(100_000, 1)])
  func stale(operationCount: Int, seed: UInt64) throws {
    let workload = RegisterWorkload(operations: operationCount, clients: 5, seed: seed)
    let verdict = workload.history(of: .lastReadIsStale).check(against: RegisterModel(initial: 0))
    let operations = try #require(verdict.violation).operations
    #expect(operations.count <= 3 && operations.last?.client == "late")
  }

  @Test(
    "A value that comes back after thousands of states is shown by few", arguments: Seed.some(5))
  func resurrected(seed: Seed) throws {
    // Each write is another state; the last read sees one of long ago.
    let history = RegisterModel<Int>.OperationHistory()
    let count = 20_000 + Int(seed.value % 1_000)
    for number in 1...count { history.perform(.write(number), .written) }
    history.perform(.read, .value(7))
    let violation = try #require(history.check(against: RegisterModel(initial: 0)).violation)
    #expect(violation.operations.map(\.operation) == ["write(\(count))", "read"])
  }

  @Test("Where a long window would need too many tries, the states are those at its beginning")
  func manyStates() throws {
    let history = CounterModel.OperationHistory()
    for _ in 0..<20_000 { history.perform(.add(1), .added) }
    history.perform(.read, .value(20_000))
    for _ in 0..<1_500 { history.perform(.add(1), .added) }
    history.perform(.read, .value(21_499))
    let violation = try #require(history.check(against: CounterModel()).violation)
    #expect(violation.operations.map(\.response) == ["value(21499)"])
  }
}

extension History {
  /// Adds an operation that nothing else is under way with.
  fileprivate func perform(_ operation: Operation, _ response: Response) {
    complete(invoke(operation, by: "ann", at: .zero), returning: response, at: .zero)
  }
}

extension HistoryVerdict {
  fileprivate var violation: HistoryViolation? {
    if case .violated(let violation) = self { violation } else { nil }
  }
}
