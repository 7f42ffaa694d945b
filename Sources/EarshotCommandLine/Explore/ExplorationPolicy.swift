import EarshotScenario
package import EarshotSimulator

/// A policy of the schedule, as the command line names it.
package enum ExplorationPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  case fifo, random, pct, urw

  /// The policy of a name.
  static func named(_ text: String) throws(UsageError) -> ExplorationPolicy {
    guard let policy = ExplorationPolicy(rawValue: text) else {
      let names = allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("\"\(text.escapedForTerminals)\" is not a policy; use one of \(names)")
    }
    return policy
  }

  /// The policy of a simulated world.
  package var schedule: SchedulePolicy {
    switch self {
    case .fifo: .fifo
    case .random: .random
    case .pct: .pct(depth: 3)
    case .urw: .uniformRandomWalk
    }
  }
}
