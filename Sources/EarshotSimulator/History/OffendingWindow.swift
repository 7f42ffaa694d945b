/// Looks for the few operations that explain why a history has no order.
///
/// Three steps, each of which only weakens what is asked, so that what is left has no order either. What happens after
/// the return that the search could not pass is forgotten. A window to that return is made as short as possible, where
/// the state before it may be any that the search has visited, and what was under way at its beginning may happen or
/// not. In the window, as many operations as possible may happen or not (delta debugging).
///
/// Where there are too many states to try them all, they are those that the search has come to at that moment.
struct OffendingWindow {
  private let transitions: StateTransitions
  private let visitedMax: Int
  /// Where the search has been, once states are limited to those that it came to; `nil` while every
  /// state is tried.
  private var landmarks: [Linearization.Landmark]?
  /// The operations up to the return.
  private let operations: [OperationInterval]
  /// The number of states that the search has visited.
  private let stateCount: Int
  /// A state from which operations had an order: smaller windows may have one from there, too.
  private var witness = 0

  /// The search for the few operations.
  ///
  /// - Parameters:
  ///   - operations: The operations, in the order of their invocations.
  ///   - transitions: What the operations do to states, as far as the search has asked.
  ///   - position: Whose return the search could not pass.
  ///   - visitedMax: How many configurations one search through all operations may visit.
  init(
    _ operations: [OperationInterval], _ transitions: StateTransitions,
    blockedAt position: Int, visitedMax: Int
  ) {
    (self.transitions, self.visitedMax) = (transitions, visitedMax)
    stateCount = transitions.stateCount
    let last = operations[position].end ?? .max
    self.operations = operations.filter { $0.begin < last }.map { operation in
      (operation.end ?? .max) <= last ? operation : operation.optional
    }
  }

  /// The places in the history of the operations that have no order, in the order of their invocations.
  mutating func smallest() -> [Int] {
    var first = firstOfWindow()
    if first == nil, hasManyStates {
      landmarks = searchedLandmarks()
      if landmarks != nil { first = firstOfWindow() }
    }
    guard let first else { return needed(operations, from: [0]) }
    return needed(window(from: first), from: states(before: first))
  }

  /// How many operations and states may be tried to decide about one window, and about all parts of it.
  private static let (triesMax, allTriesMax) = (20_000_000, 400_000_000)

  private mutating func needed(_ window: [OperationInterval], from states: [Int]) -> [Int] {
    let required = window.indices.filter { window[$0].end != nil }
    let runsMax = min(400, max(20, Self.allTriesMax / (window.count * states.count)))
    let needed = required.minimized(runsMax: runsMax) { kept in
      let kept = Set(kept)
      return hasNoOrder(
        window.indices.map { kept.contains($0) ? window[$0] : window[$0].optional }, from: states)
    }
    return needed.map { window[$0].index }
  }

  /// Whether a long window may not be tried from every state.
  private var hasManyStates: Bool { stateCount > 10_000 }

  /// The operation with which the shortest window begins; `nil` if the window needs the initial state, or there is too
  /// much to try.
  private mutating func firstOfWindow() -> Int? {
    var (size, tooSmall) = (1, 0)
    while !hasNoOrder(inLast: size) {
      guard size < operations.count else { return nil }
      (size, tooSmall) = (min(2 * size, operations.count), size)
      if landmarks == nil, hasManyStates, size * stateCount > Self.triesMax { return nil }
    }
    while size - tooSmall > 1 {
      let middle = (size + tooSmall) / 2
      if hasNoOrder(inLast: middle) { size = middle } else { tooSmall = middle }
    }
    return operations.count - size
  }

  private mutating func hasNoOrder(inLast count: Int) -> Bool {
    let first = operations.count - count
    let states = states(before: first)
    return !states.isEmpty && hasNoOrder(window(from: first), from: states)
  }

  /// Where a search through all operations has been; `nil` if it visits too much.
  private func searchedLandmarks() -> [Linearization.Landmark]? {
    var search = Linearization(operations, transitions, notesLandmarks: true)
    guard case .impossible = search.search(from: 0, visitedMax: visitedMax) else { return nil }
    return search.landmarks
  }

  /// The states from which a window that begins with an operation is tried.
  ///
  /// These are all states, or those that the operations before it can have led to: all that
  /// returned before its invocation were performed, and none that was invoked later, which could
  /// have changed the state.
  private func states(before first: Int) -> [Int] {
    guard let landmarks else { return Array(0..<stateCount) }
    let begin = operations[first].begin
    let returnedCount = operations[..<first].count { ($0.end ?? .max) < begin }
    var states: Set<Int> = []
    for landmark in landmarks where landmark.returnedCount >= returnedCount && landmark.last < first
    {
      states.insert(landmark.state)
    }
    return states.sorted()
  }

  /// The operations from one on, and those that were under way at its invocation.
  private func window(from first: Int) -> [OperationInterval] {
    let begin = operations[first].begin
    let underWay = operations[..<first].filter { ($0.end ?? .max) > begin }
    return underWay.map(\.optional) + operations[first...]
  }

  private mutating func hasNoOrder(_ operations: [OperationInterval], from states: [Int]) -> Bool {
    var search = Linearization(operations, transitions)
    // The order matters for the time alone.
    for state in (states.contains(witness) ? [witness] : []) + states {
      let visitedMax = search.visitedCount + 20_000
      if case .impossible = search.search(from: state, visitedMax: visitedMax) { continue }
      witness = state
      return false
    }
    return true
  }
}
