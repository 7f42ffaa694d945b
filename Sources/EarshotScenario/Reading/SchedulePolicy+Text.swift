import EarshotSimulator

extension SchedulePolicy {
  /// The schedule of a scenario: a policy by its text, or the choices of one; `nil` for what is neither.
  init?(_ node: JSON5Node) {
    switch node.value {
    case .string(let text): self.init(text: text)
    case .array(let elements):
      let numbers = elements.compactMap { element -> UInt32? in
        if case .number(let text) = element.value { UInt32(text) } else { nil }
      }
      guard numbers.count == elements.count, let record = ScheduleRecord(numbers: numbers) else {
        return nil
      }
      self = .replay(record)
    case .null, .bool, .number, .object: return nil
    }
  }

  /// The value of a scenario for it; `nil` for the order in which things become ready, and for what has no text.
  var node: JSON5Node? {
    switch self {
    case .fifo: nil
    case .replay(let record):
      record.choices.isEmpty
        ? nil : JSON5Node(.array(record.numbers.map { JSON5Node(.number("\($0)")) }))
    case .random, .pct, .uniformRandomWalk, .seeded: text.map { .text($0) }
    }
  }

  /// The policy of a text such as `random`, or `random#7` for one with a seed of its own; `nil` for other texts.
  init?(text: String) {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    guard let name = parts.first, let policy = Self.named[String(name)], parts.count <= 2 else {
      return nil
    }
    guard parts.count == 2 else {
      self = policy
      return
    }
    guard policy != .fifo, let seed = UInt64(parts[1]), "\(seed)" == parts[1] else { return nil }
    self = .seeded(seed, policy)
  }

  /// The text of the policy; `nil` for one that a scenario cannot name.
  var text: String? {
    if case .seeded(let seed, let policy) = self { return policy.text.map { "\($0)#\(seed)" } }
    return Self.named.first { $0.value == self }?.key
  }

  private static let named: [String: SchedulePolicy] = [
    "fifo": .fifo, "random": .random, "pct": .pct(depth: 3), "urw": .uniformRandomWalk,
  ]
}
