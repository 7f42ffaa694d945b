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
}
