extension Roster {
  // MARK: Agreeing

  /// What follows from all that is known now; afterwards nothing more does.
  ///
  /// Whom to abandon comes first, then all else, in the order of PeerIDs.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - asked: Who was asked to attach, and may have agreed: it is not abandoned before it has answered.
  /// - Returns: What is to be done.
  package mutating func settle(at now: Instant, asked: [PeerID] = []) -> [Change] {
    var changes = waiting.filter { $0.deadline <= now }.map { Change.refuse($0.link) }
    waiting.removeAll { $0.deadline <= now }
    for index in places.indices {
      places[index].listings.removeAll { listing in listing.expiry.map { $0 <= now } ?? false }
    }
    abandon(into: &changes, asked) { $0.candidate(besides: $1)?.session != $0.entry?.session }
    let (seats, taken) = (seats, seatsAmongMembers)
    let isSeated = seats.contains(local)
    abandon(into: &changes, asked) { place, _ in !(isSeated && seats.contains(place.peer)) }
    let mesh = mesh
    let isWhole = isSeated || mesh.count == members.count + 1
    unseatedSince = isWhole ? nil : unseatedSince ?? now
    let isBetween = isClaimed(unseatedSince, at: now)
    for index in places.indices {
      let peer = places[index].peer
      var hasSeat = seats.contains(peer)
      if places[index].standing == .member {
        places[index].unseatedSince = hasSeat ? nil : places[index].unseatedSince ?? now
        hasSeat =
          taken.contains(peer) && !isClaimed(places[index].unseatedSince, at: now)
          && (!isBetween || mesh.contains(peer))
      }
      settle(at: index, isSeated: hasSeat, mayBegin: isSeated, into: &changes)
    }
    tidy()
    return changes
  }

  private func isClaimed(_ unseatedSince: Instant?, at now: Instant) -> Bool {
    unseatedSince.map { now >= $0 + Self.claimTime } ?? false
  }

  /// Lets go of those who are sought and unwanted, unless they are invited or asked.
  mutating func abandon(
    into changes: inout [Change], _ asked: [PeerID], where isUnwanted: (Place, [Former]) -> Bool
  ) {
    for index in places.indices where isUnwanted(places[index], former) {
      let place = places[index]
      let isHeld = place.reservations > 0 || asked.contains(place.peer)
      guard place.standing == .sought, !isHeld else { continue }
      (places[index].standing, places[index].entry) = (nil, nil)
      changes.append(.abandon(place.peer))
    }
  }

  mutating func settle(
    at index: Int, isSeated: Bool, mayBegin: Bool, into changes: inout [Change]
  ) {
    let place = places[index]
    let candidate = place.candidate(besides: former)
    switch place.standing {
    case .sought: break
    case .member:
      if candidate?.session != place.entry?.session {
        changes.append(.dismiss(place.peer, .restarted))
      } else if !isSeated {
        changes.append(.dismiss(place.peer, .full))
      }
    case nil:
      guard let candidate, isSeated, mayBegin else { break }
      (places[index].standing, places[index].entry) = (.sought, candidate)
      changes.append(.seek(candidate, waiting: takeWaiting(candidate.peer, candidate.session)))
    }
  }

  var own: SeatRow.Stand {
    SeatRow.Stand(peer: local, seniority: seniority ?? .max, capacity: capacity)
  }

  private var standingMembers: [SeatRow.Stand] { members.map { SeatRow.Stand($0) } }

  /// The row of all in sight, the local peer included.
  var row: SeatRow {
    let stands = places.compactMap { place in
      (place.candidate(besides: former) ?? place.entry).map {
        place.isOnlyRemembered ? SeatRow.Stand(behindAll: $0) : SeatRow.Stand($0)
      }
    }
    return SeatRow(stands + [own])
  }

  var seats: [PeerID] { row.seats }

  /// Who keeps its seat of those who are linked: nobody gives way to one who may never come.
  ///
  /// A local peer that has none, since it is between two groups, stays with those who joined earlier.
  private var seatsAmongMembers: [PeerID] {
    let seats = SeatRow(standingMembers + [own]).seats
    return seats.contains(local) ? seats : SeatRow(standingMembers, first: own).seats
  }

  /// The local peer, and those who joined first of the members that know each other.
  private var mesh: [PeerID] {
    SeatRow(
      standingMembers, first: own, suits: { self.isKnown($0, to: $1) || self.isKnown($1, to: $0) }
    )
    .seats
  }

  private func isKnown(_ peer: PeerID, to introducer: PeerID) -> Bool {
    index(of: peer).map { places[$0].listings.contains { $0.introducer == introducer } } ?? false
  }

  /// How many more peers could be invited.
  var freeSeats: Int {
    let row = row
    let reserved = places.count { $0.reservations > 0 && !row.seats.contains($0.peer) }
    return min(capacity, row.room) - row.seats.count - reserved
  }
}
