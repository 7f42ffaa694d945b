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
      Self.list(counts.map { "\($0.peer) has \($0.count.amount)" })
        + (counts.last?.count.largest == 1 ? " member" : " members") + " \(moment.phrase)"
    case .event(let pattern, let count, let window):
      "\(pattern.phrase) \(count.frequency) \(Self.phrase(window))"
    case .following(let pattern, let trigger, let count, let window):
      "\(pattern.phrase) \(count.frequency) \(trigger.phrase), \(Self.phrase(window))"
    case .order(let patterns, let window):
      "\(patterns.map(\.phrase).joined(separator: ", then ")) \(Self.phrase(window))"
    case .outcome(let pattern, let count, let window):
      "\(pattern.phrase) \(count.frequency) \(Self.phrase(window))"
    case .messages(let pattern, let window):
      "\(pattern.delivery?.phrase ?? "messages")\(pattern.manner) from \(Self.list(pattern.from)) to "
        + "\(Self.list(pattern.to)) \(Self.phrase(window))\(pattern.latency.map(\.phrase).joined())"
    case .streams(let pattern, let window):
      "\(pattern.phrase) from \(Self.list(pattern.from)) to \(Self.list(pattern.to)) "
        + "\(Self.phrase(window))\(pattern.end)"
    case .files(let pattern, let window):
      "\(pattern.phrase) from \(Self.list(pattern.from)) to \(Self.list(pattern.to)) "
        + "\(Self.phrase(window))\(pattern.end)"
    case .traffic(let pattern, let window):
      "\(pattern.count.size) \(pattern.count.largest == 1 ? "goes" : "go") over links "
        + (pattern.isMutual ? "between " : "from ") + Self.list(pattern.from)
        + (pattern.isMutual ? " and " : " to ") + "\(Self.list(pattern.to)) \(Self.phrase(window))"
    case .interrupted(let pairs, let limit, let window):
      "\(Self.list(pairs.names)) are without a connection for \(limit.phrase) \(Self.phrase(window))"
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

extension Trigger {
  fileprivate var phrase: String {
    let which = isFirst ? "the first time" : "each time"
    return "within \(Quantity.moment(within)) after \(which) that \(pattern.phrase)"
  }
}

extension MessagePattern {
  fileprivate var manner: String {
    isReliable.map { $0 ? " that are sent reliably" : " that are sent unreliably" } ?? ""
  }
}

extension MessagePattern.Delivery {
  fileprivate var phrase: String {
    switch self {
    case .all: "all messages"
    case .share(let share): "\(share) of the messages"
    case .count(let count):
      (count.atLeast == count.atMost ? "exactly " : "") + "\(count.amount) "
        + (count.largest == 1 ? "message" : "messages")
    }
  }

  /// The same of bytes.
  fileprivate var phraseOfBytes: String {
    switch self {
    case .all: "all bytes"
    case .share(let share): "\(share) of the bytes"
    case .count(let count): count.size
    }
  }
}

extension MessagePattern.LatencyLimit {
  fileprivate var phrase: String { ", \(percentile)% within \(Quantity.moment(limit))" }
}

extension StreamPattern {
  /// `all bytes of film`.
  fileprivate var phrase: String {
    let streams = name ?? "streams"
    return delivery.map { "\($0.phraseOfBytes) of \(streams)" } ?? streams
  }

  fileprivate var end: String { ending.map { ", ending as \($0.rawValue)" } ?? "" }
}

extension FilePattern {
  /// `all files film.bin are whole`.
  fileprivate var phrase: String {
    let named = name.map { " \($0)" } ?? ""
    return switch delivery {
    case .all: "all files\(named)"
    case .share(let share): "\(share) of the files\(named)"
    case .count(let count):
      (count.atLeast == count.atMost ? "exactly " : "") + "\(count.amount) "
        + (count.largest == 1 ? "file" : "files") + named
    case nil: "files\(named)"
    }
  }

  fileprivate var end: String {
    [
      ending.map { ", ending as \($0.rawValue)" },
      receiverEnding.map { ", ending for the receiver as \($0.rawValue)" },
      pause.map { ", standing still as \($0.rawValue)" },
    ].compactMap { $0 }.joined()
  }
}

extension OutageLimit {
  fileprivate var phrase: String {
    [
      total.map { "at most \(Quantity.moment($0)) in all" },
      longest.map { "at most \(Quantity.moment($0)) at a time" },
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension OutcomePattern {
  fileprivate var phrase: String {
    "\(inviter.text) inviting \(guest.text) ends as \(outcomes.joined(separator: " or "))"
  }
}

extension EventPattern {
  /// `ann sees bob left (lost)`.
  package var phrase: String {
    "\(observer.text) sees \(subject.text) \(kind)" + (reason.map { " (\($0))" } ?? "")
  }
}
