/// Links between hosts: from each of some hosts to each of some others.
public struct LinkEnds: Hashable, Sendable {
  /// The names of the hosts that send.
  public var sources: [String]
  /// The names of the hosts that receive.
  public var destinations: [String]
  /// Whether the opposite directions belong to it.
  public var isMutual: Bool

  /// The links from some hosts to some others.
  ///
  /// - Parameters:
  ///   - sources: The names of the hosts that send.
  ///   - destinations: The names of the hosts that receive.
  ///   - isMutual: Whether the opposite directions belong to it.
  public init(sources: [String], destinations: [String], isMutual: Bool) {
    (self.sources, self.destinations, self.isMutual) = (sources, destinations, isMutual)
  }

  /// The direction from one host to another.
  public static func from(_ source: String, to destination: String) -> LinkEnds {
    LinkEnds(sources: [source], destinations: [destination], isMutual: false)
  }

  /// Both directions between two hosts.
  public static func between(_ one: String, and other: String) -> LinkEnds {
    LinkEnds(sources: [one], destinations: [other], isMutual: true)
  }

  /// Every pair of source and destination, in order, each once.
  package var pairs: [Direction] {
    var pairs: [Direction] = []
    for source in sources {
      for destination in destinations where source != destination {
        pairs.append(Direction(source, destination))
        if isMutual { pairs.append(Direction(destination, source)) }
      }
    }
    var seen: Set<Direction> = []
    return pairs.filter { seen.insert($0).inserted }
  }

  /// Whether a direction is one of these links.
  package func contains(_ pair: Direction) -> Bool {
    let isForward = sources.contains(pair.from) && destinations.contains(pair.to)
    return isForward
      || isMutual && sources.contains(pair.to) && destinations.contains(pair.from)
  }
}

extension LinkEnds: CustomStringConvertible {
  /// The hosts of both sides with an arrow between them: `ann → bob cy`.
  public var description: String {
    "\(sources.joined(separator: " ")) \(isMutual ? "↔" : "→") \(destinations.joined(separator: " "))"
  }
}
