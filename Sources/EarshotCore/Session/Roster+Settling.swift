extension Roster {
  // MARK: Agreeing

  /// What follows from all that is known now; afterwards nothing more does.
  ///
  /// The peers to abandon come first, then all else, in the order of PeerIDs.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - asked: The peers that were asked to attach, and may have agreed: they are not abandoned before they have answered.
  /// - Returns: What is to be done.
  package mutating func settle(at now: Instant, asked: [PeerID] = []) -> [Change] {
    var changes = waiting.filter { $0.deadline <= now }.map { Change.refuse($0.link) }
    waiting.removeAll { $0.deadline <= now }
    for index in known.indices {
      known[index].listings.removeAll { listing in listing.expiry.map { $0 <= now } ?? false }
    }
    abandon(into: &changes, asked) { $0.candidate(besides: $1)?.session != $0.entry?.session }
    let (holders, kept) = (allocation.holders, holdersAmongMembers)
    let localHasPlace = holders.contains(local)
    abandon(into: &changes, asked) { record, _ in
      !(localHasPlace && holders.contains(record.peer))
    }
    let mesh = localHasPlace ? [] : mesh  // Of no account then.
    let isWhole = localHasPlace || mesh.count == members.count + 1
    displacedSince = isWhole ? nil : displacedSince ?? now
    let isBetween = isDisplaced(since: displacedSince, at: now)
    for index in known.indices {
      let peer = known[index].peer
      var hasPlace = holders.contains(peer)
      if known[index].standing == .member {
        known[index].displacedSince = hasPlace ? nil : known[index].displacedSince ?? now
        hasPlace =
          kept.contains(peer) && !isDisplaced(since: known[index].displacedSince, at: now)
          && (!isBetween || mesh.contains(peer))
      }
      settle(at: index, hasPlace: hasPlace, mayBegin: localHasPlace, into: &changes)
    }
    tidy()
    return changes
  }

  private func isDisplaced(since start: Instant?, at now: Instant) -> Bool {
    start.map { now >= $0 + Self.displacementTime } ?? false
  }

  /// Gives up the peers that are sought and unwanted, unless they are invited or asked.
  mutating func abandon(
    into changes: inout [Change], _ asked: [PeerID], where isUnwanted: (KnownPeer, [Former]) -> Bool
  ) {
    for index in known.indices where known[index].standing == .sought {
      let record = known[index]
      let isHeld = record.reservations > 0 || asked.contains(record.peer)
      guard !isHeld, isUnwanted(record, former) else { continue }
      (known[index].standing, known[index].entry) = (nil, nil)
      changes.append(.abandon(record.peer))
    }
  }

  mutating func settle(
    at index: Int, hasPlace: Bool, mayBegin: Bool, into changes: inout [Change]
  ) {
    let record = known[index]
    let candidate = record.candidate(besides: former)
    switch record.standing {
    case .sought: break
    case .member:
      if candidate?.session != record.entry?.session {
        changes.append(.dismiss(record.peer, .restarted))
      } else if !hasPlace {
        changes.append(.dismiss(record.peer, .full))
      }
    case nil:
      guard let candidate, hasPlace, mayBegin else { break }
      (known[index].standing, known[index].entry) = (.sought, candidate)
      changes.append(.seek(candidate, waiting: takeWaiting(candidate.peer, candidate.session)))
    }
  }

  private var own: PlaceAllocation.Candidate {
    PlaceAllocation.Candidate(peer: local, seniority: seniority ?? .max, capacity: capacity)
  }

  private var memberCandidates: [PlaceAllocation.Candidate] {
    members.map { PlaceAllocation.Candidate($0) }
  }

  /// The places among all peers in sight, the local one included.
  var allocation: PlaceAllocation {
    let candidates = known.compactMap { record in
      (record.candidate(besides: former) ?? record.entry).map {
        record.isOnlyRemembered
          ? PlaceAllocation.Candidate(behindAll: $0) : PlaceAllocation.Candidate($0)
      }
    }
    return PlaceAllocation(candidates + [own])
  }

  /// The peers that keep their places of those who are members: none gives way to a peer that may never come.
  ///
  /// A local peer that has no place, since it is between two groups, stays with those who joined earlier.
  private var holdersAmongMembers: [PeerID] {
    let holders = PlaceAllocation(memberCandidates + [own]).holders
    return holders.contains(local)
      ? holders : PlaceAllocation(memberCandidates, first: own).holders
  }

  /// The local peer, and those who joined first of the members that know each other.
  private var mesh: [PeerID] {
    PlaceAllocation(
      memberCandidates, first: own,
      suits: { self.isKnown($0, to: $1) || self.isKnown($1, to: $0) }
    )
    .holders
  }

  private func isKnown(_ peer: PeerID, to introducer: PeerID) -> Bool {
    index(of: peer).map { known[$0].listings.contains { $0.introducer == introducer } } ?? false
  }

  /// How many more peers could be invited.
  var freePlaces: Int {
    let allocation = allocation
    let reserved = known.count {
      $0.reservations > 0 && !allocation.holders.contains($0.peer)
    }
    return min(capacity, allocation.capacity) - allocation.holders.count - reserved
  }
}
