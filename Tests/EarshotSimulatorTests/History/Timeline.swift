import EarshotSimulator

/// Operations with their events in order, as a history takes them in and as a naive check judges them.
struct Timeline<Model: SequentialModel> {
  struct Call {
    let operation: Model.Operation
    var response: Model.Response?
    var begin: Int
    var end: Int?
  }
  var calls: [Call] = []

  /// The history, in which the client of each operation is its position.
  var history: Model.OperationHistory {
    let history = Model.OperationHistory()
    var invocations: [Int: Model.OperationHistory.Invocation] = [:]
    for time in 0..<2 * calls.count {
      let instant = Instant.zero + .seconds(time)
      for (position, call) in calls.enumerated() {
        if call.begin == time {
          invocations[position] = history.invoke(call.operation, by: "\(position)", at: instant)
        } else if call.end == time, let response = call.response,
          let invocation = invocations[position]
        {
          history.complete(invocation, returning: response, at: instant)
        }
      }
    }
    return history
  }

  /// Whether some order explains the calls: tries all orders.
  func hasOrder(in model: Model) -> Bool {
    hasOrder(of: Array(calls.indices), from: model.initialState, model)
  }

  private func hasOrder(of rest: [Int], from state: Model.State, _ model: Model) -> Bool {
    if rest.allSatisfy({ calls[$0].end == nil }) { return true }
    let firstEnd = rest.compactMap { calls[$0].end }.min() ?? .max
    return rest.contains { position in
      guard calls[position].begin < firstEnd else { return false }
      let call = calls[position]
      let next = model.state(after: call.operation, returning: call.response, from: state)
      guard let next else { return false }
      return hasOrder(of: rest.filter { $0 != position }, from: next, model)
    }
  }

  /// Whether some order explains the calls at some positions, whatever becomes of those that overlap with them, from
  /// all that the ones before can have led to.
  ///
  /// - Parameters:
  ///   - positions: The positions.
  ///   - model: The model.
  /// - Returns: Whether there is an order.
  func hasOrder(keeping positions: Set<Int>, in model: Model) -> Bool {
    let begin = positions.map { calls[$0].begin }.min() ?? 0
    let end = positions.compactMap { calls[$0].end }.max() ?? .max
    var window = self
    for position in calls.indices where !positions.contains(position) {
      window.calls[position].end = nil
    }
    let before = calls.indices.filter { calls[$0].begin < end }
    let present = before.filter { calls[$0].end ?? .max > begin }
    if !window.hasOrder(of: before, from: model.initialState, model) { return false }
    var states: Set<Model.State> = []
    addStates(of: before, from: model.initialState, model, to: &states)
    return states.contains { window.hasOrder(of: present, from: $0, model) }
  }

  private func addStates(
    of rest: [Int], from state: Model.State, _ model: Model, to states: inout Set<Model.State>
  ) {
    states.insert(state)
    let firstEnd = rest.compactMap { calls[$0].end }.min() ?? .max
    for position in rest where calls[position].begin < firstEnd {
      let call = calls[position]
      let next = model.state(after: call.operation, returning: call.response, from: state)
      guard let next else { continue }
      addStates(of: rest.filter { $0 != position }, from: next, model, to: &states)
    }
  }
}

extension Timeline {
  /// Calls of random operations, some of which never return; each event has a time of its own.
  ///
  /// Most responses are such that make sense when the calls are performed in the order of their ends.
  ///
  /// - Parameters:
  ///   - operations: The operations to choose from.
  ///   - model: The model.
  ///   - responses: What an operation may return at all.
  ///   - random: The source of all choices.
  /// - Returns: One to six calls.
  static func random(
    of operations: [Model.Operation], in model: Model,
    responses: (Model.Operation) -> [Model.Response], using random: inout RandomStream
  ) -> Self {
    let count = Int.random(in: 1...6, using: &random)
    let times = Array(0..<2 * count).shuffled(using: &random)
    var timeline = Timeline()
    for number in 0..<count {
      let (one, other) = (times[2 * number], times[2 * number + 1])
      timeline.calls.append(
        Call(
          operation: operations[Int.random(in: operations.indices, using: &random)],
          response: nil, begin: min(one, other),
          end: Int.random(in: 0..<6, using: &random) == 0 ? nil : max(one, other)))
    }
    timeline.respond(in: model, responses: responses, using: &random)
    return timeline
  }

  private mutating func respond(
    in model: Model, responses: (Model.Operation) -> [Model.Response],
    using random: inout RandomStream
  ) {
    var state = model.initialState
    let ends = calls.indices.compactMap { position in calls[position].end.map { ($0, position) } }
    for (_, position) in ends.sorted(by: { $0.0 < $1.0 }) {
      let operation = calls[position].operation
      let all = responses(operation)
      let sensible = all.filter {
        model.state(after: operation, returning: $0, from: state) != nil
      }
      let isSensible = Int.random(in: 0..<8, using: &random) > 0
      let choice = isSensible && !sensible.isEmpty ? sensible : all
      let response = choice[Int.random(in: choice.indices, using: &random)]
      calls[position].response = response
      state = model.state(after: operation, returning: response, from: state) ?? state
    }
  }
}
