/// What does not hold some time after all faults have ended.
public struct ConvergenceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The names of the conditions that do not hold, in the order in which they were given.
  public let missing: [String]
  /// How long the world has had.
  public let limit: Duration
  /// The time of the world.
  public let time: Instant
  /// The deadlock that the world is in, if nothing can happen any more.
  public let deadlock: Deadlock?

  /// A sentence that names the conditions.
  public var description: String {
    let names = missing.map { "\"\($0)\"" }.joined(separator: ", ")
    let stuck = deadlock.map { "; \($0)" } ?? ""
    return
      "at \(time), \(Quantity.time(limit)) after all faults ended, does not hold: \(names)\(stuck)"
  }
}

extension World {
  /// Ends all faults, and runs until some conditions hold at once.
  ///
  /// ```swift
  /// try world.expectConvergence(within: .seconds(30), [
  ///   "ann has bob": { bob.id.map { ann.members.contains($0) } ?? false },
  ///   "all lists are equal": { Set(nodes.map(\.list)).count == 1 },
  /// ])
  /// ```
  ///
  /// The time afterwards is that of the event after which they held. Faults end as ``endFaults()`` says.
  ///
  /// - Parameters:
  ///   - limit: How much virtual time the world has.
  ///   - conditions: What has to hold, each with its name; asked after every event, outside of all hosts.
  /// - Throws: ``ConvergenceFailure`` with the names of those that do not hold when the time is over, or where the world
  ///   stands still because of a violation.
  public func expectConvergence(
    within limit: Duration, _ conditions: KeyValuePairs<String, () -> Bool>
  ) throws(ConvergenceFailure) {
    endFaults()
    guard !run(until: { conditions.allSatisfy { $0.value() } }, within: limit) else { return }
    let missing = conditions.filter { !$0.value() }.map(\.key)
    throw ConvergenceFailure(missing: missing, limit: limit, time: now, deadlock: deadlock)
  }
}
