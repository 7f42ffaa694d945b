import EarshotSimulator

extension ScenarioReader {
  func messages(_ object: ObjectReader) -> Expectation.Kind? {
    guard let messages = object.object("messages") else { return nil }
    defer { messages.finish() }
    var pattern = MessagePattern(
      from: messages.value("from", peers, default: scenario.peerNames),
      to: messages.value("to", peers, default: scenario.peerNames))
    let count = count(messages, upTo: 1_000_000_000, withNever: false)
    pattern.isReliable = messages.value("reliable", .flag)
    pattern.latency = latency(messages)
    pattern.delivery = delivery(messages, count, isOptional: !pattern.latency.isEmpty)
    return .messages(pattern, window(object))
  }

  /// How many have to arrive.
  ///
  /// - Parameters:
  ///   - object: What an expectation says.
  ///   - count: The number that it says, if it says one.
  ///   - isOptional: Whether it asks for something else as well, so that it need not say.
  /// - Returns: The number, else what `delivered` says, else all, or `nil` if it need not say.
  func delivery(
    _ object: ObjectReader, _ count: AllowedCount?, isOptional: Bool
  ) -> MessagePattern.Delivery? {
    let delivered = object.value("delivered", Self.delivery)
    if count != nil, delivered != nil {
      object.note("either \"delivered\" or a number, not both", at: "delivered")
    }
    return count.map { .count($0) } ?? delivered ?? (isOptional ? nil : .all)
  }

  private static var delivery: ValueRule<MessagePattern.Delivery> {
    ValueRule("\"all\", or the least share, 0 to 1 or \"0%\" to \"100%\"") { node in
      if case .string("all") = node.value { return .all }
      return ValueRule<Ratio>.ratio.silent(node).map { .share($0) }
    }
  }

  /// The shares of messages that have a limit of time.
  private func latency(_ object: ObjectReader) -> [MessagePattern.LatencyLimit] {
    guard let latency = object.object("latency") else { return [] }
    defer { latency.finish() }
    let limits = Self.percentiles.compactMap { key, percentile in
      latency.value(key, Self.span).map {
        MessagePattern.LatencyLimit(percentile: percentile, limit: $0)
      }
    }
    if !Self.percentiles.contains(where: { latency.has($0.key) }) {
      latency.note("a latency has at least one of p50, p90, p95, p99, max")
    }
    for (smaller, larger) in zip(limits, limits.dropFirst()) where larger.limit < smaller.limit {
      let key = Self.percentiles.first { $0.percentile == larger.percentile }?.key
      latency.note("less than that of a smaller share of the messages", at: key)
    }
    return limits
  }

  private static var percentiles: [(key: String, percentile: Int)] {
    [("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99), ("max", 100)]
  }
}
