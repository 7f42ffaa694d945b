package import EarshotSimulator

/// What the links of a scenario are like.
package struct LinkPlan: Hashable, Sendable {
  /// What holds for all links.
  package var defaults = LinkChange()
  /// What differs, later ones over earlier ones.
  package var exceptions: [LinkException] = []

  /// What a direction is like, as long as no fault changes it.
  package func change(for pair: Direction) -> LinkChange {
    if exceptions.isEmpty { return defaults }
    return exceptions.filter { $0.ends.contains(pair) }.reduce(defaults) {
      $0.overlaid(with: $1.change)
    }
  }
}

/// Links that differ from the others.
package struct LinkException: Hashable, Sendable {
  package var ends: LinkEnds
  package var change: LinkChange
}
