/// The peers that were found: which instances claim to be which peer, and what was reported of it.
///
/// An instance only claims to be a peer, so all that claim it are candidates, and the link decides: a peer has the endpoints
/// of all of its instances, and is otherwise what the first one of them says that is complete, which is the one that has
/// claimed it for longest.
struct PeerTable: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var instances = NameList.many([])  // In the order of their coming.
    var reported: DiscoveredPeer?
  }
  private static let reportedMax = 4_096
  private static let instancesPerPeerMax = 64

  private var entries = ChainedTable<PeerID, Entry>()

  /// How many peers are reported as present.
  private(set) var reportedCount = 0

  /// The instances of a peer, in the order of their coming.
  func instances(of peer: PeerID) -> [DNSName] { entries[peer]?.instances.names ?? [] }

  /// An instance belongs to another peer than before, or to none.
  mutating func move(_ instance: DNSName, from old: PeerID?, to new: PeerID?) {
    if let old, old != new, let number = entries.number(of: old) {
      let others = entries[number].instances.names.filter { $0 != instance }
      entries[number].instances = NameList(others)
    }
    guard let new else { return }
    var instances = instances(of: new)
    guard !instances.contains(instance), instances.count < Self.instancesPerPeerMax else { return }
    instances.append(instance)
    let number = entries.number(of: new) ?? entries.add(Entry(), for: new)
    entries[number].instances = NameList(instances)
  }

  /// Looks at a peer again.
  ///
  /// - Parameters:
  ///   - peer: The peer.
  ///   - current: What it is by its instances now, or `nil` when none of them is complete.
  /// - Returns: What is to be reported, and what was reported last.
  mutating func review(
    _ peer: PeerID, as current: DiscoveredPeer?
  ) -> (event: BrowserEvent, before: DiscoveredPeer?)? {
    guard let number = entries.number(of: peer) else { return nil }
    let before = entries[number].reported
    defer {
      if entries[number].instances.names.isEmpty { entries.remove(number, leaving: Entry()) }
    }
    switch (before, current) {
    case (nil, let new?) where reportedCount < Self.reportedMax:
      reportedCount += 1
      entries[number].reported = new
      return (.found(new), nil)
    case (let old?, let new?) where old != new:
      entries[number].reported = new
      return (.updated(new), old)
    case (let old?, nil):
      reportedCount -= 1
      entries[number].reported = nil
      return (.lost(peer), old)
    case (nil, _), (_?, _?): return nil
    }
  }
}
