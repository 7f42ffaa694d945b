package import EarshotCore

/// What the links of a scenario are like.
package struct LinkPlan: Hashable, Sendable {
  /// What holds for all links.
  package var defaults = LinkChange()
  /// What differs, later ones over earlier ones.
  package var exceptions: [LinkException] = []

  /// What a direction is like, as long as no fault changes it.
  package func change(for pair: LinkDirection) -> LinkChange {
    exceptions.filter { $0.ends.contains(pair) }.reduce(defaults) { $0.overlaid(with: $1.change) }
  }
}

/// Properties of a link that a scenario sets; those it leaves alone are `nil`.
package struct LinkChange: Hashable, Sendable {
  package var latency: Duration?
  package var jitter: Duration?
  package var loss: Ratio?
  package var duplication: Ratio?
  package var reordering: Ratio?
  /// Bits a second.
  package var bandwidth: Int?
  /// Bytes that may wait for the bandwidth before packets are dropped.
  package var queue: Int?
  /// The largest packet in bytes.
  package var mtu: Int?

  /// Whether nothing is set.
  package var isEmpty: Bool { self == LinkChange() }

  /// This change, and then another one over it.
  package func overlaid(with other: LinkChange) -> LinkChange {
    LinkChange(
      latency: other.latency ?? latency, jitter: other.jitter ?? jitter, loss: other.loss ?? loss,
      duplication: other.duplication ?? duplication, reordering: other.reordering ?? reordering,
      bandwidth: other.bandwidth ?? bandwidth, queue: other.queue ?? queue, mtu: other.mtu ?? mtu)
  }
}

/// Links that differ from the others.
package struct LinkException: Hashable, Sendable {
  package var ends: LinkEnds
  package var change: LinkChange
}

/// Some directed links: from each of some peers to each of some others.
package struct LinkEnds: Hashable, Sendable {
  package var sources: [String]
  package var destinations: [String]
  /// Whether the way back is meant too.
  package var isMutual: Bool

  /// The links between two sides.
  package init(sources: [String], destinations: [String], isMutual: Bool) {
    (self.sources, self.destinations, self.isMutual) = (sources, destinations, isMutual)
  }

  /// Every pair of source and destination, in order, each once.
  package var pairs: [LinkDirection] {
    var pairs: [LinkDirection] = []
    for source in sources {
      for destination in destinations where source != destination {
        pairs.append(LinkDirection(from: source, to: destination))
        if isMutual { pairs.append(LinkDirection(from: destination, to: source)) }
      }
    }
    var seen: Set<LinkDirection> = []
    return pairs.filter { seen.insert($0).inserted }
  }
}

/// One direction of the link between two peers.
package struct LinkDirection: Hashable, Sendable {
  package var from: String
  package var to: String
}
