import EarshotCore

/// Numbers that are being added up.
struct MetricTally: Sendable {
  struct Key: Hashable {
    let metric: PeerMetrics.Metric
    let peer: PeerID?
    let reason: String?
  }
  private(set) var values: [Key: Int] = [:]

  /// Adds to a number; of times the greatest one stays.
  mutating func add(
    _ value: Int, to metric: PeerMetrics.Metric, of peer: PeerID? = nil, for reason: String? = nil
  ) {
    let key = Key(metric: metric, peer: peer, reason: reason)
    values[key] = values[key].map { metric.combine($0, value) } ?? value
  }

  mutating func add(_ other: MetricTally) {
    for (key, value) in other.values {
      add(value, to: key.metric, of: key.peer, for: key.reason)
    }
  }

  /// Has numbers of one peer be of none from now on.
  mutating func release(_ peer: PeerID) {
    for (key, value) in values where key.peer == peer {
      values[key] = nil
      add(value, to: key.metric, for: key.reason)
    }
  }

  /// The numbers in order, with a zero for what was not counted.
  var numbers: [PeerMetrics.Number] {
    var tally = self
    for metric in PeerMetrics.Metric.allCases where metric.isAlwaysKnown {
      tally.add(0, to: metric)
    }
    let order = PeerMetrics.Metric.allCases.enumerated().map { ($0.element, $0.offset) }
    let places = Dictionary(uniqueKeysWithValues: order)
    let sorted = tally.values.sorted { first, second in
      let (left, right) = (first.key, second.key)
      guard left.metric == right.metric else {
        return places[left.metric, default: 0] < places[right.metric, default: 0]
      }
      guard left.peer == right.peer else {
        guard let one = left.peer, let other = right.peer else { return left.peer == nil }
        return one < other
      }
      return (left.reason ?? "") < (right.reason ?? "")
    }
    return sorted.map { key, value in
      PeerMetrics.Number(metric: key.metric, peer: key.peer, reason: key.reason, value: value)
    }
  }
}
