/// The kinds of calls that the code of a host makes of its storage.
public enum StorageCall: Hashable, Sendable, CaseIterable {
  /// A call of ``Storage``.
  case openFile, openFolder
  /// A call of ``StorageFolder``.
  case isFound, freeBytes, names, createFile, rename, remove, removeAbandoned, synchronizeFolder
  /// A call of ``StorageFile``.
  case attributes, read, data, write, resize, set, synchronizeFile
}

/// The outcome of a call, in the place of that which it would have.
enum PlannedOutcome {
  case failure(StorageError.Code)
  /// The host crashes.
  case crash
}

/// The calls that will not have their ordinary outcome.
struct StoragePlan {
  private struct Rule {
    /// `nil` is any.
    let call: StorageCall?
    /// How many calls are left until it applies, that one included.
    var left: Int
    let outcome: PlannedOutcome
  }
  private var rules: [Rule] = []

  /// Gives an outcome to a call.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - call: What kind of call it is; `nil` for any.
  ///   - number: Its number among such calls from now on, from 1.
  mutating func add(_ outcome: PlannedOutcome, for call: StorageCall?, number: Int) {
    rules.append(Rule(call: call, left: max(1, number), outcome: outcome))
  }

  mutating func removeAll() { rules = [] }

  /// Takes a call in.
  ///
  /// - Returns: Its outcome, if it is not the ordinary one; of several the one that was given
  ///   first.
  mutating func outcome(of call: StorageCall) -> PlannedOutcome? {
    guard !rules.isEmpty else { return nil }
    for index in rules.indices where rules[index].call == nil || rules[index].call == call {
      rules[index].left -= 1
    }
    let outcome = rules.first { $0.left == 0 }?.outcome
    rules.removeAll { $0.left == 0 }
    return outcome
  }
}
