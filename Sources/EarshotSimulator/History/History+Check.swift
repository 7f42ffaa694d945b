extension History {
  /// Checks that the operations could have been performed one at a time, each between its invocation and its return.
  ///
  /// An operation that has not returned may be performed at any time after its invocation, or never. The time that
  /// this takes grows with the number of operations that are under way at once, above all of those that never return.
  ///
  /// - Parameters:
  ///   - model: The model of the object.
  ///   - configurationsMax: The number of configurations to visit (which operations were performed, and the state after
  ///     them) before the check gives up, at least 1; each takes some 200 bytes.
  /// - Returns: Whether the history is linearizable.
  public func check<Model>(
    against model: Model, configurationsMax: Int = 1_000_000
  ) -> HistoryVerdict where Model: SequentialModel<Operation, Response> {
    let configurationsMax = max(1, configurationsMax)
    let operations = operations
    let transitions = StateTransitions(operations, model)
    let parts = parts(operations, model)
    var undecided: HistoryVerdict?
    var visitedCount = 0
    for part in parts {
      var search = Linearization(part.operations, transitions)
      let outcome = search.search(from: 0, visitedMax: configurationsMax - visitedCount)
      visitedCount += search.visitedCount
      switch outcome {
      case .found: break
      case .undecided:
        undecided = .undecided(UndecidedHistory(configurationCount: visitedCount))
      case .impossible(let position):
        var window = OffendingWindow(
          part.operations, transitions, blockedAt: position, visitedMax: configurationsMax)
        return .violated(
          HistoryViolation(
            key: parts.count > 1 ? "\(part.key)" : nil,
            operations: window.smallest().map { HistoryViolation.Operation(operations[$0]) }))
      }
      if visitedCount >= configurationsMax { break }
    }
    return undecided ?? .linearizable
  }

  /// Throws unless the operations could have been performed one at a time.
  ///
  /// - Parameter model: The model of the object.
  /// - Throws: ``HistoryViolation``, or ``UndecidedHistory`` if the check gives up.
  public func requireLinearizable<Model>(as model: Model) throws
  where Model: SequentialModel<Operation, Response> {
    switch check(against: model) {
    case .linearizable: break
    case .violated(let violation): throw violation
    case .undecided(let undecided): throw undecided
    }
  }

  /// The operations on each part of the object, in the order of the first one.
  private func parts<Model>(
    _ operations: [RecordedOperation<Operation, Response>], _ model: Model
  ) -> [(key: Model.Key, operations: [OperationInterval])]
  where Model: SequentialModel<Operation, Response> {
    var parts: [(key: Model.Key, operations: [OperationInterval])] = []
    var numbers: [Model.Key: Int] = [:]
    for (index, operation) in operations.enumerated() {
      let interval = OperationInterval(
        index: index, begin: operation.invoked.number, end: operation.returned?.number,
        isReadOnly: model.isReadOnly(operation.operation))
      let key = model.key(of: operation.operation)
      if let number = numbers[key] {
        parts[number].operations.append(interval)
      } else {
        numbers[key] = parts.count
        parts.append((key, [interval]))
      }
    }
    return parts
  }
}
