/// Looks for an order in which a model could have performed operations one at a time.
///
/// Depth first: of the operations that were invoked before any other one has returned, each in turn is performed first.
/// A configuration, which operations were performed and the state after them, is visited once. A read-only operation
/// that is legal is performed at once, without another try: wherever it stands in an order, it could stand here as well.
///
/// - SeeAlso: Wing, Gong: "Testing and verifying concurrent objects" (JPDC 17, 1993); Lowe: "Testing for
///   linearizability" (Concurrency and Computation 29(4), 2017), for the configurations; Athalye: "Porcupine" (2017),
///   for both over a list of events.
struct Linearization {
  enum Outcome {
    /// An order exists.
    case found
    /// No order exists, even of the operations that have returned before that at this position, and that one.
    case impossible(Int)
    /// The bound of configurations was reached.
    case undecided
  }

  private struct Configuration: Hashable {
    var performed = PositionSet()
    var pendingPerformed = PositionSet()
    var state: Int
  }

  /// Where the search has been: what it has come to at a moment of the history.
  struct Landmark {
    /// How many operations were performed of those that return first.
    let returnedCount: Int
    /// The last operation, in the order of invocations, that was performed and may change the state; -1 for none.
    let last: Int
    let state: Int
  }

  private struct Step {
    let position: Int
    let state: Int
    /// The last operation that was performed before.
    let last: Int
    /// Where to go on with the search for another operation; `nil` if this one was the only choice.
    let place: Int?
  }

  private let operations: [OperationInterval]
  private let transitions: StateTransitions
  /// Where the operations' events lie in the list.
  private var places: [(invocation: Int, end: Int?)]
  /// The number of each operation among those that have returned, or among those that have not, in this order.
  private var numbers: [Int]
  private var events = EventList()
  private var configuration: Configuration
  private var visited: Set<Configuration> = []
  private var steps: [Step] = []
  private let notesLandmarks: Bool
  /// Where the search has been, if it notes that: once for each configuration that was visited,
  /// after the reads that follow.
  private(set) var landmarks: [Landmark] = []
  private var last = -1
  private var openCount = 0
  /// The operations that have returned, in this order.
  private var returned: [Int] = []
  /// The number of the last return that was reached.
  private var furthest = 0

  /// The configurations that were visited.
  var visitedCount: Int { visited.count }

  /// A search.
  ///
  /// - Parameters:
  ///   - operations: The operations, in the order of their invocations.
  ///   - transitions: What operations do to states.
  ///   - notesLandmarks: Whether the search notes where it has been.
  init(
    _ operations: [OperationInterval], _ transitions: StateTransitions, notesLandmarks: Bool = false
  ) {
    (self.operations, self.transitions) = (operations, transitions)
    self.notesLandmarks = notesLandmarks
    configuration = Configuration(state: 0)
    places = operations.map { _ in (0, nil) }
    numbers = operations.map { _ in 0 }
    addEvents()
  }

  private mutating func addEvents() {
    returned = operations.indices.filter { operations[$0].end != nil }
      .sorted { end(of: $0) < end(of: $1) }
    for (number, position) in returned.enumerated() { numbers[position] = number }
    var (pendingCount, ended) = (0, 0)
    for position in operations.indices {
      while ended < returned.count, end(of: returned[ended]) < operations[position].begin {
        places[returned[ended]].end = events.append(.end(returned[ended]))
        ended += 1
      }
      places[position].invocation = events.append(.invocation(position))
      guard operations[position].end == nil else { continue }
      numbers[position] = pendingCount
      pendingCount += 1
    }
    for position in returned[ended...] { places[position].end = events.append(.end(position)) }
    openCount = returned.count
  }

  private func end(of position: Int) -> Int { operations[position].end ?? .max }
}

// MARK: Searching

extension Linearization {
  /// Searches from an initial state.
  ///
  /// - Parameters:
  ///   - state: The state before all operations.
  ///   - visitedMax: The number of configurations to visit, those of earlier searches included.
  /// - Returns: Whether an order exists.
  mutating func search(from state: Int, visitedMax: Int) -> Outcome {
    configuration = Configuration(state: state)
    performReads()
    noteLandmark()
    var place = events.place(after: EventList.start)
    while openCount > 0 {
      guard case .invocation(let position) = events[place] else {
        noteBlocked(at: place)
        guard let next = stepBack() else { return .impossible(returned[furthest]) }
        place = next
        continue
      }
      if branch(to: position, at: place) {
        if visited.count > visitedMax { return .undecided }
        performReads()
        noteLandmark()
        place = events.place(after: EventList.start)
      } else {
        place = events.place(after: place)
      }
    }
    return .found
  }

  private func state(after position: Int) -> Int? {
    transitions.state(after: operations[position].index, from: configuration.state)
  }

  /// Performs an operation if that is legal and leads to where the search has not been.
  private mutating func branch(to position: Int, at place: Int) -> Bool {
    guard let state = state(after: position) else { return false }
    // What has not returned and would change nothing may as well never happen.
    guard operations[position].end != nil || state != configuration.state else { return false }
    let before = configuration
    mark(position, isPerformed: true)
    configuration.state = state
    guard visited.insert(configuration).inserted else {
      configuration = before
      return false
    }
    steps.append(Step(position: position, state: before.state, last: last, place: place))
    last = max(last, position)
    lift(position)
    return true
  }

  /// Performs all read-only operations that are legal and have returned.
  private mutating func performReads() {
    var place = events.place(after: EventList.start)
    while case .invocation(let position) = events[place] {
      let next = events.place(after: place)
      if operations[position].isRead, state(after: position) != nil {
        mark(position, isPerformed: true)
        steps.append(Step(position: position, state: configuration.state, last: last, place: nil))
        lift(position)
        // What it held up may come now.
        place = events.place(after: EventList.start)
      } else {
        place = next
      }
    }
  }

  /// Takes back the last operation that was not the only choice, and all after it.
  ///
  /// - Returns: Where to go on; `nil` if there is none.
  private mutating func stepBack() -> Int? {
    while let step = steps.popLast() {
      putBack(step.position)
      mark(step.position, isPerformed: false)
      (configuration.state, last) = (step.state, step.last)
      if let place = step.place { return events.place(after: place) }
    }
    return nil
  }

  private mutating func noteLandmark() {
    guard notesLandmarks else { return }
    landmarks.append(
      Landmark(
        returnedCount: configuration.performed.firstMissing, last: last, state: configuration.state)
    )
  }

  private mutating func mark(_ position: Int, isPerformed: Bool) {
    switch (operations[position].end != nil, isPerformed) {
    case (true, true): configuration.performed.insert(numbers[position])
    case (true, false): configuration.performed.remove(numbers[position])
    case (false, true): configuration.pendingPerformed.insert(numbers[position])
    case (false, false): configuration.pendingPerformed.remove(numbers[position])
    }
  }

  private mutating func lift(_ position: Int) {
    events.lift(places[position].invocation)
    guard let end = places[position].end else { return }
    events.lift(end)
    openCount -= 1
  }

  private mutating func putBack(_ position: Int) {
    if let end = places[position].end {
      events.putBack(end)
      openCount += 1
    }
    events.putBack(places[position].invocation)
  }

  private mutating func noteBlocked(at place: Int) {
    guard case .end(let position) = events[place] else { return }
    furthest = max(furthest, numbers[position])
  }
}
