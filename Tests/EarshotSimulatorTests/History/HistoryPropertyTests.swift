import EarshotSimulator
import TestKit
import Testing

@Suite("The check of histories against all orders")
struct HistoryPropertyTests {
  /// Checks random histories as the naive check does, and that what is named explains each violation by itself.
  private func compare<Model: SequentialModel>(
    _ model: Model, _ operations: [Model.Operation], seed: Seed,
    responses: (Model.Operation) -> [Model.Response],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var random = seed.generator
    for _ in 0..<40 {
      let timeline = Timeline.random(
        of: operations, in: model, responses: responses, using: &random)
      let hasOrder = timeline.hasOrder(in: model)
      switch timeline.history.check(against: model) {
      case .linearizable:
        #expect(hasOrder, "\(timeline.calls)", sourceLocation: sourceLocation)
      case .violated(let violation):
        #expect(!hasOrder, "\(timeline.calls)", sourceLocation: sourceLocation)
        let named = violation.operations.compactMap { Int($0.client) }
        #expect(
          !named.isEmpty && !timeline.hasOrder(keeping: Set(named), in: model),
          "\(violation) \(timeline.calls)", sourceLocation: sourceLocation)
      case .undecided: Issue.record("undecided", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("Registers", arguments: Seed.some(50))
  func register(seed: Seed) {
    compare(
      RegisterModel(initial: 0),
      [.read, .read, .write(1), .write(2), .exchange(expected: 1, desired: 2)], seed: seed
    ) { operation in
      switch operation {
      case .read: [.value(0), .value(1), .value(2)]
      case .write: [.written]
      case .exchange: [.written, .unequal]
      }
    }
  }

  @Test("Counters", arguments: Seed.some(50))
  func counter(seed: Seed) {
    compare(CounterModel(), [.read, .add(1), .add(2), .fetchAndAdd(1)], seed: seed) { operation in
      switch operation {
      case .read, .fetchAndAdd: (0...4).map { .value($0) }
      case .add: [.added]
      }
    }
  }

  @Test("Sets", arguments: Seed.some(50))
  func set(seed: Seed) {
    let operations: [SetModel<String>.Operation] = ["a", "b"].flatMap {
      [.insert($0), .remove($0), .contains($0)]
    }
    compare(OneSet(), operations, seed: seed) { operation in
      if case .contains = operation { [.absent, .present] } else { [.absent, .present, .done] }
    }
    compareParts(SetModel<String>(), OneSet(), operations, seed: seed) { operation in
      if case .contains = operation { [.absent, .present] } else { [.absent, .present, .done] }
    }
  }

  @Test("Maps", arguments: Seed.some(50))
  func map(seed: Seed) {
    let operations: [MapModel<String, Int>.Operation] = ["a", "b"].flatMap {
      [.get($0), .set($0, 1), .set($0, nil), .exchange($0, expected: 1, desired: 2)]
    }
    compareParts(MapModel<String, Int>(), OneMap(), operations, seed: seed) { operation in
      switch operation {
      case .get: [.value(nil), .value(1), .value(2)]
      case .set: [.written]
      case .exchange: [.written, .unequal]
      }
    }
  }

  @Test("Queues", arguments: Seed.some(50))
  func queue(seed: Seed) {
    compare(
      QueueModel<Int>(), [.enqueue(1), .enqueue(2), .dequeue, .dequeue], seed: seed
    ) { operation in
      if operation == .dequeue { [.element(nil), .element(1), .element(2)] } else { [.enqueued] }
    }
  }

  @Test("Locks", arguments: Seed.some(50))
  func mutex(seed: Seed) {
    compare(
      MutexModel(), [.lock("a"), .unlock("a"), .lock("b"), .unlock("b"), .tryLock("b")], seed: seed
    ) { operation in
      switch operation {
      case .lock: [.locked]
      case .tryLock: [.locked, .busy]
      case .unlock: [.unlocked]
      }
    }
  }

  /// Checks that the parts of an object, one by one, are judged as the object as a whole.
  private func compareParts<Parts: SequentialModel, Whole: SequentialModel>(
    _ parts: Parts, _ whole: Whole, _ operations: [Parts.Operation], seed: Seed,
    responses: (Parts.Operation) -> [Parts.Response]
  ) where Parts.Operation == Whole.Operation, Parts.Response == Whole.Response {
    var random = seed.generator
    for _ in 0..<40 {
      let timeline = Timeline.random(
        of: operations, in: whole, responses: responses, using: &random)
      let verdict = timeline.history.check(against: parts)
      #expect(
        (verdict == .linearizable) == timeline.hasOrder(in: whole), "\(timeline.calls) \(verdict)")
    }
  }
}

/// A set in one piece.
private struct OneSet: SequentialModel {
  let initialState: Set<String> = []

  func state(
    after operation: SetModel<String>.Operation, returning response: SetModel<String>.Response?,
    from state: Set<String>
  ) -> Set<String>? {
    let model = SetModel<String>()
    let element = model.key(of: operation)
    let after = model.state(
      after: operation, returning: response, from: state.contains(element))
    return after.map { $0 ? state.union([element]) : state.subtracting([element]) }
  }
}

/// A map in one piece.
private struct OneMap: SequentialModel {
  let initialState: [String: Int] = [:]

  func state(
    after operation: MapModel<String, Int>.Operation,
    returning response: MapModel<String, Int>.Response?, from state: [String: Int]
  ) -> [String: Int]? {
    let model = MapModel<String, Int>()
    let key = model.key(of: operation)
    return model.state(after: operation, returning: response, from: state[key]).map { value in
      var after = state
      after[key] = value
      return after
    }
  }
}
