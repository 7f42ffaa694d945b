/// The peers that were found: which instances claim to be which peer, and what was reported of it.
///
/// An instance only claims to be a peer, so all that claim it are candidates, and the link decides: a peer has the endpoints
/// of all of its instances, and is otherwise what the first one of them says that is complete: the one that is where the
/// peer has been for longest, and else the one that has claimed it for longest. Who takes an instance's name thus takes
/// nothing from the peer, which goes on by another name.
struct PeerTable: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var instances = NameList.many([])  // In the order of their coming.
    var reported: DiscoveredPeer?
  }
  private static let reportedMax = 4_096
  private static let instancesPerPeerMax = 64

  private var entries = ChainedTable<PeerID, Entry>()
  private var former = FormerPlaces()

  /// How many peers are reported as present.
  private(set) var reportedCount = 0

  /// The instances of a peer, in the order of their coming.
  func instances(of peer: PeerID) -> [DNSName] { entries[peer]?.instances.names ?? [] }

  /// The instances that claim a peer, the one to believe first.
  func ordered(_ claimants: [DiscoveredPeer], of peer: PeerID) -> [DiscoveredPeer] {
    guard claimants.count > 1 else { return claimants }
    for place in places(of: peer) {
      guard let index = claimants.firstIndex(where: { $0.endpoints.contains(place) }) else {
        continue
      }
      var ordered = claimants
      ordered.insert(ordered.remove(at: index), at: 0)
      return ordered
    }
    return claimants
  }

  /// Where a peer was, the earliest first, and where it is.
  private func places(of peer: PeerID) -> [Endpoint] {
    former[peer] + (entries[peer]?.reported?.endpoints.prefix(1) ?? [])
  }

  /// An instance belongs to a peer no more.
  mutating func remove(_ instance: DNSName, from old: PeerID) {
    guard let number = entries.number(of: old) else { return }
    let others = entries[number].instances.names.filter { $0 != instance }
    entries[number].instances = NameList(others)
  }

  /// An instance belongs to a peer, too.
  ///
  /// - Parameters:
  ///   - instance: The instance.
  ///   - new: The peer. When it has too many, only one that is where the peer was finds room.
  ///   - endpoints: Where the instance is.
  mutating func add(_ instance: DNSName, to new: PeerID, at endpoints: [Endpoint]) {
    var instances = instances(of: new)
    guard !instances.contains(instance) else { return }
    if instances.count == Self.instancesPerPeerMax {
      guard places(of: new).contains(where: endpoints.contains) else { return }
      instances.removeLast()
    }
    instances.append(instance)
    let number = entries.number(of: new) ?? entries.add(Entry(), for: new)
    entries[number].instances = NameList(instances)
  }

  /// Looks at a peer again.
  ///
  /// - Parameters:
  ///   - peer: The peer.
  ///   - current: What it is by its instances now, or `nil` when none of them is complete.
  /// - Returns: What is to be reported.
  mutating func review(_ peer: PeerID, as current: DiscoveredPeer?) -> BrowserEvent? {
    guard let number = entries.number(of: peer) else { return nil }
    let before = entries[number].reported
    defer {
      if entries[number].instances.names.isEmpty { entries.remove(number, leaving: Entry()) }
    }
    switch (before, current) {
    case (nil, let new?) where reportedCount < Self.reportedMax:
      reportedCount += 1
      entries[number].reported = new
      return .found(new)
    case (let old?, let new?) where old != new:
      if let place = old.endpoints.first, !new.endpoints.contains(place) {
        former.note(place, of: peer)
      }
      entries[number].reported = new
      return .updated(new)
    case (let old?, nil):
      reportedCount -= 1
      entries[number].reported = nil
      return .lost(old)
    case (nil, _), (_?, _?): return nil
    }
  }
}
