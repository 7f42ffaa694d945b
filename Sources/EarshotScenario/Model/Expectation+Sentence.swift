import EarshotCore
import EarshotSimulator

extension Expectation.Kind {
  /// What must hold, in words; the name of an expectation that has none.
  package var sentence: String {
    switch self {
    case .connected(let pairs, let moment):
      "\(Self.list(pairs.names)) are connected \(moment.phrase)"
    case .disconnected(let pairs, let moment):
      "\(Self.list(pairs.names)) are not connected \(moment.phrase)"
    case .members(let counts, let moment):
      Self.list(counts.map { "\($0.peer) has \($0.count)" })
        + (counts.last?.count == 1 ? " member" : " members") + " \(moment.phrase)"
    case .event(let pattern, let occurrences, let window):
      "\(pattern.phrase) \(occurrences.phrase) \(Self.phrase(window))"
    case .outcome(let from, let to, let outcomes, let occurrences, let window):
      "\(from) inviting \(to) ends as \(outcomes.joined(separator: " or ")) \(occurrences.phrase) "
        + Self.phrase(window)
    case .messages(let from, let to, let delivery, let window):
      "\(delivery.phrase) from \(Self.list(from)) to \(Self.list(to)) \(Self.phrase(window))"
    }
  }

  private static func list(_ names: [String]) -> String {
    guard names.count > 3 else { return names.joined(separator: ", ") }
    return "\(names[0]), \(names[1]) and \(names.count - 2) more"
  }

  private static func phrase(_ window: Window) -> String {
    let start = window.lowerBound == .zero ? "" : "from \(Quantity.moment(window.lowerBound)) "
    return "\(start)by \(Quantity.moment(window.upperBound))"
  }
}

extension Moment {
  fileprivate var phrase: String {
    switch self {
    case .at(let time): "at \(Quantity.moment(time))"
    case .by(let time): "by \(Quantity.moment(time))"
    case .throughout(let range):
      "from \(Quantity.moment(range.lowerBound)) to \(Quantity.moment(range.upperBound))"
    }
  }
}

extension Occurrences {
  fileprivate var phrase: String {
    switch self {
    case .exactly(0): "never"
    case .exactly(1): "once"
    case .exactly(let count): "\(count) times"
    case .atLeast(1): "at least once"
    case .atLeast(let count): "at least \(count) times"
    }
  }
}

extension MessageCount {
  fileprivate var phrase: String {
    switch self {
    case .all: "all messages"
    case .atLeast(let count): "at least \(count) \(count == 1 ? "message" : "messages")"
    case .exactly(let count): "exactly \(count) \(count == 1 ? "message" : "messages")"
    }
  }
}

extension EventPattern {
  /// `ann sees bob left (lost)`.
  package var phrase: String {
    "\(observer ?? "anyone") sees \(subject ?? "anyone") \(kind)"
      + (reason.map { " (\($0))" } ?? "")
  }
}
