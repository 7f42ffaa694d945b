/// Looks for the few operations that explain why a history has no order.
///
/// Three steps, each of which only weakens what is asked, so that what is left has no order either. What happens after
/// the return that the search could not pass is forgotten. A window to that return is made as short as possible, where
/// the state before it may be any that the search has visited, and what was under way at its beginning may happen or
/// not. In the window, as many operations as possible may happen or not (delta debugging).
struct OffendingWindow {
  private let transitions: StateTransitions
  /// The operations up to the return.
  private let operations: [OperationInterval]
  /// The number of states that the search has visited.
  private let stateCount: Int

  /// The search for the few operations.
  ///
  /// - Parameters:
  ///   - operations: The operations, in the order of their invocations.
  ///   - transitions: What the operations do to states, as far as the search has asked.
  ///   - position: Whose return the search could not pass.
  init(
    _ operations: [OperationInterval], _ transitions: StateTransitions, blockedAt position: Int
  ) {
    (self.transitions, stateCount) = (transitions, transitions.stateCount)
    let last = operations[position].end ?? .max
    self.operations = operations.filter { $0.begin < last }.map { operation in
      (operation.end ?? .max) <= last ? operation : operation.optional
    }
  }

  /// The places in the history of the operations that have no order, in the order of their invocations.
  var smallest: [Int] {
    let first = firstOfWindow
    let states = first == nil ? 0..<1 : 0..<stateCount
    let window = first.map(window(from:)) ?? operations
    let required = window.indices.filter { window[$0].end != nil }
    let needed = required.minimized(runsMax: 400) { kept in
      let kept = Set(kept)
      return hasNoOrder(
        window.indices.map { kept.contains($0) ? window[$0] : window[$0].optional }, from: states)
    }
    return needed.map { window[$0].index }
  }

  /// The operation with which the shortest window begins; `nil` if the window needs the initial state.
  private var firstOfWindow: Int? {
    guard stateCount <= 10_000 else { return nil }
    var (size, tooSmall) = (1, 0)
    while !hasNoOrder(window(from: operations.count - size), from: 0..<stateCount) {
      guard size < operations.count else { return nil }
      (size, tooSmall) = (min(2 * size, operations.count), size)
    }
    while size - tooSmall > 1 {
      let middle = (size + tooSmall) / 2
      if hasNoOrder(window(from: operations.count - middle), from: 0..<stateCount) {
        size = middle
      } else {
        tooSmall = middle
      }
    }
    return operations.count - size
  }

  /// The operations from one on, and those that were under way at its invocation.
  private func window(from first: Int) -> [OperationInterval] {
    let begin = operations[first].begin
    let underWay = operations[..<first].filter { ($0.end ?? .max) > begin }
    return underWay.map(\.optional) + operations[first...]
  }

  private func hasNoOrder(_ operations: [OperationInterval], from states: Range<Int>) -> Bool {
    var search = Linearization(operations, transitions)
    return states.allSatisfy { state in
      if case .impossible = search.search(from: state, visitedMax: 20_000) { true } else { false }
    }
  }
}
