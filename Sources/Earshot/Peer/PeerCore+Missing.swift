import EarshotCore

/// The members that cannot be reached where they were, and what discovery finds of them.
///
/// A member may have another address or port now, which no link can tell. While there are such members, their peer
/// browses for the services that it advertises, and those for which it found them, also when its program does not.
struct MissingMembers {
  /// A member of one session.
  struct Key: Hashable {
    let member: PeerID
    let session: SessionID
  }
  /// A search for one service.
  struct Search {
    let serviceType: String
    let browsing: MulticastDNS.BrowsingID
  }

  var keys: Set<Key> = []
  var searches: [Search] = []
  /// The peers that are found, as seen last.
  var found: [PeerID: DiscoveredPeer] = [:]

  static let searchesMax = 8
}

extension PeerCore {
  /// Has discovery look for a member that could not be reached, until ``endSearch(for:in:)`` is called or all stops.
  func beginSearch(for member: PeerID, in session: SessionID) {
    guard phase == .running else { return }
    missing.keys.insert(MissingMembers.Key(member: member, session: session))
    for type in serviceTypes(of: member) where missing.searches.count < MissingMembers.searchesMax {
      search(for: type)
    }
  }

  /// Looks no longer for a member, which was reached, or is none any more.
  func endSearch(for member: PeerID, in session: SessionID) {
    guard missing.keys.remove(MissingMembers.Key(member: member, session: session)) != nil,
      missing.keys.isEmpty
    else { return }
    let searches = missing.searches
    missing = MissingMembers()
    discovery.assumeIsolated { discovery in
      for search in searches { discovery.stopBrowsing(search.browsing) }
    }
  }

  /// The services under which a member may be found, without those for which there is a browser.
  private func serviceTypes(of member: PeerID) -> [String] {
    let advertised = finding.advertisers.compactMap { $0.advertiser?.serviceType }
    let remembered = finding.remembered.last { $0.peer.id == member }.map { [$0.serviceType] } ?? []
    let browsed = finding.browsers.compactMap { $0.browser?.serviceType }
    return (advertised + remembered).filter { !browsed.contains($0) }
  }

  private func search(for type: String) {
    guard !missing.searches.contains(where: { $0.serviceType == type }),
      let service = try? Checked.service(type)
    else { return }
    let browsing = discovery.assumeIsolated { discovery in
      discovery.browse(service) { [weak self] event in
        self?.assumeIsolated { core in
          core.note(event, of: type)
          core.follow(event)
        }
      }
    }
    missing.searches.append(MissingMembers.Search(serviceType: type, browsing: browsing))
  }

  private func follow(_ event: BrowserEvent) {
    switch event {
    case .found(let peer), .updated(let peer): missing.found[peer.id] = peer
    case .lost(let peer): missing.found[peer.id] = nil
    case .unavailable, .available: break
    }
  }
}
