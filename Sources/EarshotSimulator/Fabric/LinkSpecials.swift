/// What a link has that takes part in faults, has a bandwidth, or conditions of its own: most have not.
final class LinkSpecials {
  /// The conditions without the changes of faults.
  var base: LinkTerms
  /// What faults change, the latest last.
  var changes: [(id: Int, change: LinkChange)] = []
  /// Whether the conditions were set for this link.
  var isSet = false
  /// How many faults cut it.
  @exclusivity(unchecked) var cuts = 0
  /// How many faults hold its packets.
  @exclusivity(unchecked) var clogs = 0
  /// How many bytes are held on it.
  var heldBytes = 0
  @exclusivity(unchecked) var isBursting = false
  @exclusivity(unchecked) var queue = LinkQueue()
  /// The faults of the link that no packet has met yet.
  @exclusivity(unchecked) var strikes: [FaultStrike] = []

  init(_ base: LinkTerms) { self.base = base }

  /// The conditions with the changes of faults.
  var terms: LinkTerms {
    changes.isEmpty
      ? base : LinkTerms(changes.reduce(base.conditions) { $0.changed(by: $1.change) })
  }
}
