/// What the operations of a history do to the states of a model, which have numbers.
///
/// A model is asked once for each operation and state; beyond that, checking is work on integers.
final class StateTransitions {
  private struct Transition: Hashable {
    let operation: Int
    let state: Int
  }

  private var known: [Transition: Int?] = [:]
  private let ask: (Int, Int) -> Int?
  private let count: () -> Int

  /// The operations of a history; the number of the initial state is 0.
  init<Model: SequentialModel>(
    _ operations: [RecordedOperation<Model.Operation, Model.Response>], _ model: Model
  ) {
    let table = StateTable(model.initialState)
    count = { table.count }
    ask = { index, state in
      let operation = operations[index]
      let next = model.state(
        after: operation.operation, returning: operation.response, from: table[state])
      return next.map { table.number(of: $0) }
    }
  }

  /// The number of states so far: all that an operation has led to.
  var stateCount: Int { count() }

  /// The state after an operation; `nil` if it does not return from that state what it has returned.
  func state(after operation: Int, from state: Int) -> Int? {
    let transition = Transition(operation: operation, state: state)
    if let next = known[transition] { return next }
    let next = ask(operation, state)
    known[transition] = .some(next)
    return next
  }
}

/// States, numbered in the order of their coming.
private final class StateTable<State: Hashable> {
  private var states: [State]
  private var numbers: [State: Int]

  init(_ initial: State) { (states, numbers) = ([initial], [initial: 0]) }

  var count: Int { states.count }

  subscript(number: Int) -> State { states[number] }

  func number(of state: State) -> Int {
    if let number = numbers[state] { return number }
    numbers[state] = states.count
    states.append(state)
    return states.count - 1
  }
}
