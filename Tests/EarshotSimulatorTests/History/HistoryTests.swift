import EarshotSimulator
import Testing

@Suite("The check of histories")
struct HistoryTests {
  private typealias Registers = RegisterModel<Int>

  private func seconds(_ number: Int) -> Instant { .zero + .seconds(number) }

  /// Adds an operation that ends before the next one begins.
  private func add<Operation, Response>(
    _ operation: Operation, _ response: Response, by client: String, at second: Int,
    to history: History<Operation, Response>
  ) {
    let invocation = history.invoke(operation, by: client, at: seconds(second))
    history.complete(invocation, returning: response, at: seconds(second + 1))
  }

  private func violation(_ verdict: HistoryVerdict) throws -> HistoryViolation {
    guard case .violated(let violation) = verdict else {
      Issue.record("\(verdict)")
      throw CancellationError()
    }
    return violation
  }

  @Test("A stale read is named with what makes it stale, and no other operation")
  func stale() throws {
    let history = Registers.OperationHistory()
    for number in 1...100 { add(.write(number), .written, by: "ann", at: 10 * number, to: history) }
    add(.read, .value(100), by: "bob", at: 2_000, to: history)
    add(.read, .value(99), by: "bob", at: 2_010, to: history)
    add(.read, .value(100), by: "bob", at: 2_020, to: history)
    let violation = try violation(history.check(against: Registers(initial: 0)))
    #expect(
      violation.description == """
        These operations have no order in which they could be performed one at a time:
          bob  2000.000000 to 2001.000000  read → value(100)
          bob  2010.000000 to 2011.000000  read → value(99)
        """)
    #expect(violation.key == nil)
  }

  @Test("Operations between that make no difference are not named")
  func indifferent() throws {
    let history = CounterModel.OperationHistory()
    add(.add(4), .added, by: "ann", at: 0, to: history)
    add(.add(1), .added, by: "ann", at: 2, to: history)
    add(.read, .value(5), by: "bob", at: 10, to: history)
    for turn in 0..<5 { add(.add(0), .added, by: "cyd", at: 20 + 2 * turn, to: history) }
    add(.read, .value(4), by: "bob", at: 40, to: history)
    let violation = try violation(history.check(against: CounterModel()))
    #expect(violation.operations.map(\.response) == ["value(5)", "value(4)"])
  }

  @Test("A value that was never written is named alone")
  func invented() throws {
    let history = Registers.OperationHistory()
    add(.write(1), .written, by: "ann", at: 0, to: history)
    add(.read, .value(7), by: "bob", at: 2, to: history)
    let verdict = history.check(against: Registers(initial: 0))
    #expect(
      try violation(verdict).description == """
        This operation cannot have returned this:
          bob  2.000000 to 3.000000  read → value(7)
        """)
    let error = #expect(throws: HistoryViolation.self) {
      try history.requireLinearizable(as: Registers(initial: 0))
    }
    #expect(error == (try violation(verdict)))
  }

  @Test("An operation that has not returned may have happened, at any time since, or not")
  func pending() {
    for values in [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]] {
      let history = Registers.OperationHistory()
      _ = history.invoke(.write(1), by: "ann", at: .zero)
      for (index, value) in values.enumerated() {
        add(.read, .value(value), by: "bob", at: 10 * index, to: history)
      }
      #expect(history.check(against: Registers(initial: 0)) == .linearizable)
    }
    let history = Registers.OperationHistory()
    add(.read, .value(1), by: "bob", at: 0, to: history)
    _ = history.invoke(.write(1), by: "ann", at: seconds(5))
    #expect(history.check(against: Registers(initial: 0)) != .linearizable)
  }

  @Test("An operation that is discarded has not happened")
  func discarded() {
    let history = Registers.OperationHistory()
    let invocation = history.invoke(.write(1), by: "ann", at: .zero)
    history.discard(invocation)
    #expect(history.check(against: Registers(initial: 0)) == .linearizable)
    add(.read, .value(1), by: "bob", at: 1, to: history)
    #expect(history.check(against: Registers(initial: 0)) != .linearizable)
  }

  @Test("The order of the calls is the order of events, also at one instant")
  func oneInstant() {
    let history = Registers.OperationHistory()
    let write = history.invoke(.write(1), by: "ann", at: .zero)
    history.complete(write, returning: .written, at: .zero)
    let read = history.invoke(.read, by: "bob", at: .zero)
    history.complete(read, returning: .value(0), at: .zero)
    #expect(history.check(against: Registers(initial: 0)) != .linearizable)
  }

  @Test("The part of the object is named, and operations on others are not")
  func parts() throws {
    let history = MapModel<String, Int>.OperationHistory()
    add(.set("milk", 1), .written, by: "ann", at: 0, to: history)
    add(.set("bread", 2), .written, by: "ann", at: 2, to: history)
    add(.get("bread"), .value(2), by: "bob", at: 4, to: history)
    add(.get("milk"), .value(nil), by: "bob", at: 6, to: history)
    let violation = try violation(history.check(against: MapModel()))
    #expect(violation.key == "milk")
    let named = violation.operations.map(\.operation)
    #expect(named == [#"set("milk", Optional(1))"#, #"get("milk")"#])
    #expect(violation.description.contains("These operations on milk have no order"))
  }

  @Test("A lock that is free and held without a change between is shown by two operations")
  func mutex() throws {
    let history = MutexModel.OperationHistory()
    for turn in 0..<50 {
      add(.lock("ann"), .locked, by: "ann", at: 10 * turn, to: history)
      add(.unlock("ann"), .unlocked, by: "ann", at: 10 * turn + 3, to: history)
    }
    add(.lock("bob"), .locked, by: "bob", at: 1_000, to: history)
    for turn in 0..<50 { add(.tryLock("ann"), .busy, by: "ann", at: 2_000 + turn, to: history) }
    add(.tryLock("cyd"), .locked, by: "cyd", at: 3_000, to: history)
    let violation = try violation(history.check(against: MutexModel()))
    #expect(violation.operations.map(\.client) == ["ann", "cyd"])
    #expect(violation.operations.map(\.response) == ["busy", "locked"])
  }

  @Test("Too many operations that never return are undecided")
  func undecided() {
    let history = CounterModel.OperationHistory()
    for number in 0..<40 { _ = history.invoke(.add(1 << number), by: "\(number)", at: .zero) }
    add(.read, .value(-1), by: "bob", at: 1, to: history)
    let verdict = history.check(against: CounterModel(), configurationsMax: 5_000)
    guard case .undecided(let undecided) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect((5_000...5_001).contains(undecided.configurationCount))
    #expect(undecided.description.contains("given up after \(undecided.configurationCount)"))
  }

  @Test("Code on hosts records what it does; what throws is left open")
  func recording() throws {
    struct Lost: Error {}
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let history = Registers.OperationHistory()
    let read = bob.addTask("read") {
      try await bob.sleep(for: .seconds(1))
      return try await history.record(.read, by: "bob", on: bob) {
        try await bob.sleep(for: .seconds(2))
        return .value(4)
      }
    }
    let write = ann.addTask("write") {
      try await history.record(.write(5), by: "ann", on: ann) { throw Lost() }
    }
    world.run(for: .seconds(10))
    #expect(try read.value == .value(4))
    #expect(throws: Lost.self) { _ = try write.value }
    try history.requireLinearizable(as: Registers(initial: 4))
    let violation = try violation(history.check(against: Registers(initial: 3)))
    #expect(
      violation.operations.map(\.description) == [
        "1.000000 to 3.000000  read → value(4)"
      ])
  }

  @Test("A model may be one's own")
  func light() throws {
    let history = Light.OperationHistory()
    add(.turn(on: true), true, by: "ann", at: 0, to: history)
    add(.look, true, by: "bob", at: 2, to: history)
    try history.requireLinearizable(as: Light())
    add(.look, false, by: "bob", at: 4, to: history)
    #expect(throws: HistoryViolation.self) { try history.requireLinearizable(as: Light()) }
  }

  @Test("A history without operations is linearizable")
  func empty() throws {
    try QueueModel<Int>.OperationHistory().requireLinearizable(as: QueueModel())
  }

  @Test("An operation that ends twice is a trap")
  func twice() async {
    await #expect(processExitsWith: .failure) {
      let history = Registers.OperationHistory()
      let invocation = history.invoke(.read, by: "ann", at: .zero)
      history.complete(invocation, returning: .value(0), at: .zero)
      history.complete(invocation, returning: .value(0), at: .zero)
    }
  }
}

/// The example of ``SequentialModel``.
private struct Light: SequentialModel {
  enum Operation { case turn(on: Bool), look }
  let initialState = false

  func state(after operation: Operation, returning response: Bool?, from state: Bool) -> Bool? {
    switch operation {
    case .turn(let on): on
    case .look: response == nil || response == state ? state : nil
    }
  }
}
