/// The peers that were found: which instances claim to be which peer, and what was reported of it.
///
/// A peer is reported by the first of its instances, in the order of their names, that is complete.
struct PeerTable: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var instances: [DNSName] = []  // In ascending order.
    var reported: DiscoveredPeer?
  }
  private static let reportedMax = 4_096
  private static let instancesPerPeerMax = 64

  private var entries: [PeerID: Entry] = [:]

  /// How many peers are reported as present.
  private(set) var reportedCount = 0

  /// The instances of a peer, in ascending order.
  func instances(of peer: PeerID) -> [DNSName] { entries[peer]?.instances ?? [] }

  /// An instance belongs to another peer than before, or to none.
  mutating func move(_ instance: DNSName, from old: PeerID?, to new: PeerID?) {
    if let old, old != new { entries[old]?.instances.removeAll { $0 == instance } }
    guard let new else { return }
    var entry = entries[new, default: Entry()]
    guard !entry.instances.contains(instance), entry.instances.count < Self.instancesPerPeerMax
    else { return }
    let place = entry.instances.firstIndex { instance < $0 } ?? entry.instances.endIndex
    entry.instances.insert(instance, at: place)
    entries[new] = entry
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
    guard var entry = entries[peer] else { return nil }
    let before = entry.reported
    defer { entries[peer] = entry.instances.isEmpty ? nil : entry }
    switch (before, current) {
    case (nil, let new?) where reportedCount < Self.reportedMax:
      reportedCount += 1
      entry.reported = new
      return (.found(new), nil)
    case (let old?, let new?) where old != new:
      entry.reported = new
      return (.updated(new), old)
    case (let old?, nil):
      reportedCount -= 1
      entry.reported = nil
      return (.lost(peer), old)
    case (nil, _), (_?, _?): return nil
    }
  }
}
