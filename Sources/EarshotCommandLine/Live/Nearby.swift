package import Earshot

/// The peers that are there, and how a person tells which one is meant.
package struct Nearby: Hashable, Sendable {
  /// The peers that a word means.
  package enum Selection: Hashable, Sendable {
    case none
    case peer(DiscoveredPeer)
    /// Several have that name, or names that begin so.
    case several([DiscoveredPeer])
  }

  private var found: [PeerID: DiscoveredPeer] = [:]

  /// The peers that a browser knows.
  package init(_ peers: [DiscoveredPeer] = []) {
    for peer in peers { found[peer.id] = peer }
  }

  /// The peers, ordered by name; those of one name by identifier.
  package var peers: [DiscoveredPeer] {
    found.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// A peer, if it is there.
  package subscript(id: PeerID) -> DiscoveredPeer? { found[id] }

  /// Learns what a browser reports.
  package mutating func handle(_ event: BrowserEvent) {
    switch event {
    case .found(let peer), .updated(let peer): found[peer.id] = peer
    case .lost(let peer): found[peer.id] = nil
    case .unavailable, .available: break
    }
  }

  /// The peers that a word means: a number in the order of ``peers``, the beginning of an identifier, a name, or the
  /// beginning of one.
  package func select(_ word: String) -> Selection {
    let selection = selectExactly(word)
    return selection == .none ? selectByPrefix(word) : selection
  }

  /// As ``select(_:)``, without beginnings of names.
  package func selectExactly(_ word: String) -> Selection {
    let peers = peers
    return selectExactly(word) { $0 > 0 ? peers.dropFirst($0 - 1).first : nil }
  }

  /// The peers that a word means, if numbers are given out in another way.
  func select(_ word: String, numbered: (Int) -> DiscoveredPeer?) -> Selection {
    let selection = selectExactly(word, numbered: numbered)
    return selection == .none ? selectByPrefix(word) : selection
  }

  /// Numbers come first and identifiers second, so that no peer gets in between by calling itself `1`.
  private func selectExactly(_ word: String, numbered: (Int) -> DiscoveredPeer?) -> Selection {
    if let number = Int(word) { return numbered(number).map { .peer($0) } ?? .none }
    let (peers, lower) = (peers, word.lowercased())
    if word.count >= Self.identifierLengthMin {
      let matches = peers.filter { $0.id.description.hasPrefix(lower) }
      if !matches.isEmpty { return Selection(matches) }
    }
    let exact = peers.filter { $0.name == word }
    return Selection(exact.isEmpty ? peers.filter { $0.name.lowercased() == lower } : exact)
  }

  /// The peers whose names begin with a word, in the case in which it is typed if there are any such.
  private func selectByPrefix(_ word: String) -> Selection {
    guard !word.isEmpty, Int(word) == nil else { return .none }
    let (peers, lower) = (peers, word.lowercased())
    let exact = peers.filter { $0.name.hasPrefix(word) }
    return Selection(exact.isEmpty ? peers.filter { $0.name.lowercased().hasPrefix(lower) } : exact)
  }

  /// The peers whose identifiers begin almost like a word, which was mistyped then: one or two characters differ.
  ///
  /// None for a word that is shorter than ``PeerID/short``.
  package func resembling(_ word: String) -> [DiscoveredPeer] {
    let typed = Array(word.lowercased().utf8)
    guard typed.count >= Self.identifierLengthMin else { return [] }
    return peers.filter { peer in
      let identifier = Array(peer.id.description.utf8)
      guard typed.count <= identifier.count else { return false }
      return (1...Self.mistypedMax).contains(zip(typed, identifier).count { $0 != $1 })
    }
  }

  private static let mistypedMax = 2  // As when two of them change places.
  /// The length of ``PeerID/short``.
  private static let identifierLengthMin = 8
}

extension Nearby.Selection {
  fileprivate init(_ matches: [DiscoveredPeer]) {
    switch matches.count {
    case 0: self = .none
    case 1: self = .peer(matches[0])
    default: self = .several(matches)
    }
  }
}
