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
}
