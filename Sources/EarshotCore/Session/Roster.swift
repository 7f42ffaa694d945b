/// The group of one session: its members, the peers that they speak of, and which of all these have a place.
///
/// Every member tells every other one of its members (INTRODUCE), and when one is a member no longer (RETRACT). A peer
/// that a member speaks of is sought until it is a member as well, or until no member speaks of it. So members that
/// missed each other find each other as soon as they can, and a peer that is gone is forgotten.
///
/// All members compute alike which peers have a place (``PlaceAllocation``). A peer without a place is not sought. A
/// member is dismissed as `full` when it has none among those who are members already: it does not give way to a peer
/// that may never come. A member that has none among all in sight for ten seconds is dismissed as well: it belongs to
/// another group, which does not fit into this one. Likewise a local peer that has none itself, and members that do not
/// know each other, stays with those who joined first. A peer has one place: a later session of the same lifetime
/// replaces a member, one of another lifetime only when the member is gone, since a member that is heard is alive.
///
/// Sessions that left, were removed or broke the protocol are not sought again until they are invited anew. What a
/// former member said of others counts for another minute. Requests to attach that come before the introduction
/// wait a little. The local peer has a place, and is never a member. Everything is ordered by PeerID.
package struct Roster: Hashable, Sendable {
  /// A peer, as members speak of it.
  package struct Entry: Hashable, Sendable {
    /// Its identifier.
    package let peer: PeerID
    /// Its session.
    package let session: SessionID
    /// How early the session joined its group.
    package var seniority: UInt64
    /// How many peers its session can have.
    package var capacity: Int
    /// What it calls itself.
    package var displayName: String
    /// Where it may be dialled, the most promising first.
    package var endpoints: [Endpoint]

    /// A peer with its session.
    package init(
      peer: PeerID, session: SessionID, seniority: UInt64, capacity: Int, displayName: String,
      endpoints: [Endpoint]
    ) {
      (self.peer, self.session) = (peer, session)
      (self.seniority, self.capacity) = (seniority, capacity)
      (self.displayName, self.endpoints) = (displayName, endpoints)
    }
  }
  package enum Reservation: Hashable, Sendable { case reserved, alreadyMember, full, local }
  package enum Admission: Hashable, Sendable {
    case permitted  // A membership with that session is there, or sought.
    case full
    case held(evicting: LinkToken?)  // Until it is introduced, or `settle` gives it up.
  }
  /// What follows from what is known.
  package enum Change: Hashable, Sendable {
    case seek(Entry, waiting: LinkToken?)  // A membership is to begin, perhaps with a held request.
    case abandon(PeerID)  // What was sought is sought no longer.
    case dismiss(PeerID, DepartureReason)  // A member has no place, or a later session.
    case refuse(LinkToken)  // A held request, with `notIntroduced`.
  }
  enum Standing: Hashable { case member, sought }
  struct Listing: Hashable {
    let introducer: PeerID
    var entry: Entry
    var expiry: Instant?  // None while the introducer is a member.
  }
  /// What is known of one peer.
  struct KnownPeer: Hashable {
    let peer: PeerID
    var standing: Standing?
    var entry: Entry?  // Of the member, or of the one that is sought.
    var listings: [Listing] = []
    var reservations = 0
    var displacedSince: Instant?  // A member that has no place among all in sight.

    /// Whether only former members spoke of the peer.
    var isOnlyRemembered: Bool {
      standing != .member && !listings.isEmpty && listings.allSatisfy { $0.expiry != nil }
    }

    /// Which session of the peer counts: a later one than the member's, or the one that was spoken of last.
    func candidate(besides former: [Former]) -> Entry? {
      let member = standing == .member ? entry : nil
      for index in listings.indices.reversed() {
        let session = listings[index].entry.session
        if let member, !session.isLater(than: member.session) { continue }
        if !former.contains(Former(peer: listings[index].entry.peer, session: session)) {
          return listings[index].entry
        }
      }
      return member
    }
  }
  struct Former: Hashable {
    let peer: PeerID
    let session: SessionID

    init(_ entry: Entry) { self.init(peer: entry.peer, session: entry.session) }

    init(peer: PeerID, session: SessionID) { (self.peer, self.session) = (peer, session) }
  }
  struct Waiting: Hashable {
    let peer: PeerID
    let session: SessionID
    let link: LinkToken
    let deadline: Instant
  }

  /// How many peers the session can have, its own included.
  package let capacity: Int
  /// How early this session joined its group; none while it is alone.
  package private(set) var seniority: UInt64?
  let local: PeerID
  var known: [KnownPeer] = []  // By PeerID.
  var waiting: [Waiting] = []  // The oldest first.
  var former: [Former] = []  // The oldest first.
  var displacedSince: Instant?  // The local peer, between members that do not know each other.

  /// A session without members.
  ///
  /// - Precondition: `capacity >= 2`.
  package init(of local: PeerID, capacity: Int = 8) {
    precondition(capacity >= 2, "a session has a place for another peer")
    (self.local, self.capacity) = (local, capacity)
  }

  // MARK: Looking

  /// The members, by PeerID.
  package var members: [Entry] {
    known.compactMap { $0.standing == .member ? $0.entry : nil }
  }

  /// What is known of a peer that is a member or sought.
  package subscript(peer: PeerID) -> Entry? { index(of: peer).flatMap { known[$0].entry } }

  /// Where members say that a peer listens, with whichever session; what was said last comes first.
  package func hearsay(of peer: PeerID) -> [Endpoint] {
    guard let index = index(of: peer) else { return [] }
    return known[index].listings.reversed().flatMap(\.entry.endpoints)
  }

  /// Who spoke of a peer last.
  package func introducer(of peer: PeerID) -> PeerID? {
    index(of: peer).flatMap { known[$0].listings.last?.introducer }
  }

  /// Whether a membership with a peer's session is to begin.
  package func isSought(_ entry: Entry) -> Bool {
    guard let index = index(of: entry.peer) else { return false }
    return known[index].standing == .sought && known[index].entry?.session == entry.session
  }

  /// Whether a peer's session left, was removed or broke the protocol, with no invitation since.
  package func isShunned(_ peer: PeerID, _ session: SessionID) -> Bool {
    former.contains(Former(peer: peer, session: session))
  }

  /// Whether a peer is a member.
  package func isMember(_ peer: PeerID) -> Bool {
    index(of: peer).map { known[$0].standing == .member } ?? false
  }

  /// The seniority that one more member of the group would have; 0 while the session is alone.
  package var nextSeniority: UInt64 {
    guard let seniority else { return 0 }
    let greatest = known.reduce(seniority) { max($0, $1.entry?.seniority ?? 0) }
    return min(greatest + 1, SessionTerms.seniorityMax)
  }

  /// When ``settle(at:)`` has something to say at the latest.
  package var nextDeadline: Instant? {
    // All that wait do so equally long.
    var next = waiting.first?.deadline
    func note(_ deadline: Instant?) {
      if let deadline { next = min(next ?? deadline, deadline) }
    }
    note(displacedSince.map { $0 + Self.displacementTime })
    for index in known.indices {
      note(known[index].displacedSince.map { $0 + Self.displacementTime })
      for other in known[index].listings.indices { note(known[index].listings[other].expiry) }
    }
    return next
  }

  // MARK: Invitations

  /// Reserves a place for a peer that is invited, or whose invitation is accepted; each reservation counts.
  package mutating func reserve(
    for peer: PeerID, evenIfMember keepsPlace: Bool = false
  ) -> Reservation {
    if peer == local { return .local }
    if isMember(peer) {
      if keepsPlace { known[indexOrNew(peer)].reservations += 1 }
      return .alreadyMember
    }
    let isHeld = index(of: peer).map { known[$0].reservations > 0 } ?? false
    guard isHeld || freePlaces > 0 || allocation.holders.contains(peer) else { return .full }
    known[indexOrNew(peer)].reservations += 1
    return .reserved
  }

  /// Gives back what one ``reserve(for:)`` reserved.
  package mutating func cancelReservation(for peer: PeerID) {
    guard let index = index(of: peer), known[index].reservations > 0 else { return }
    known[index].reservations -= 1
    tidy()
  }

  /// Reserves a place for a peer by what one ``reserve(for:)`` reserved for another one.
  ///
  /// - Parameters:
  ///   - peer: Who needs a place; a member may need one for a later session.
  ///   - other: Who gives it up, unless that makes no room.
  /// - Returns: As ``reserve(for:evenIfMember:)``. When it is full, nothing has changed.
  package mutating func reserve(for peer: PeerID, inPlaceOf other: PeerID) -> Reservation {
    var changed = self
    changed.cancelReservation(for: other)
    let reservation = changed.reserve(for: peer, evenIfMember: true)
    if reservation != .full { self = changed }
    return reservation
  }

  /// Takes a seniority for the session, unless it has one; it keeps it until it is alone again.
  package mutating func takeSeniority(_ taken: UInt64) {
    if seniority == nil { seniority = taken }
  }

  // MARK: Introductions

  /// Takes in what a member says of another, or of itself; reports nothing of it until ``settle(at:)``.
  package mutating func introduce(_ entry: Entry, by introducer: PeerID) {
    guard isMember(introducer), entry.peer != local else { return }
    if entry.peer == introducer {
      update(entry)
      return
    }
    let index = indexOrNew(entry.peer)
    known[index].listings.removeAll {
      $0.introducer == introducer || $0.expiry != nil && $0.entry.session == entry.session
    }
    if known.count(where: { $0.listings.contains { $0.introducer == introducer } })
      < capacity + Self.listingsBeyondMax
    {
      known[index].listings.append(Listing(introducer: introducer, entry: entry))
    }
    if known[index].standing == .sought, known[index].entry?.session == entry.session {
      known[index].entry?.endpoints = entry.endpoints
    }
    tidy()
  }

  /// Takes in that a member speaks of another no longer.
  package mutating func retract(_ peer: PeerID, _ session: SessionID, by introducer: PeerID) {
    guard let index = index(of: peer) else { return }
    known[index].listings.removeAll {
      $0.introducer == introducer && $0.entry.session == session
    }
    tidy()
  }

  /// Learns anew what a member says of itself; answers whether that was news for others.
  @discardableResult
  package mutating func update(_ entry: Entry) -> Bool {
    guard let index = index(of: entry.peer), known[index].standing == .member,
      known[index].entry?.session == entry.session, known[index].entry != entry
    else { return false }
    known[index].entry = entry
    return true
  }

  // MARK: Attaching

  /// Judges a proposal to begin a membership.
  ///
  /// - Parameters:
  ///   - peer: The peer that proposes it.
  ///   - session: Its session.
  ///   - link: Where it came.
  ///   - now: The time.
  /// - Returns: Whether its membership may have it. When it is held, a link that had to give way is to be
  ///   closed with `notIntroduced`.
  package mutating func admit(
    _ peer: PeerID, _ session: SessionID, over link: LinkToken, at now: Instant
  ) -> Admission {
    if let index = index(of: peer) {
      if known[index].standing != nil, known[index].entry?.session == session {
        return .permitted
      }
      let isListed = known[index].listings.contains { $0.entry.session == session }
      if isListed, !allocation.holders.contains(peer) { return .full }
    }
    let isOverfull = waiting.count >= Self.waitingMax
    let evicted = isOverfull ? waiting.removeFirst().link : nil
    waiting.append(
      Waiting(peer: peer, session: session, link: link, deadline: now + Self.waitingTime))
    return .held(evicting: evicted)
  }

  /// Forgets a request that waits, since its link is gone.
  package mutating func linkEnded(_ link: LinkToken) { waiting.removeAll { $0.link == link } }

  mutating func takeWaiting(_ peer: PeerID, _ session: SessionID) -> LinkToken? {
    let last = waiting.lastIndex { $0.peer == peer && $0.session == session }
    return last.map { waiting.remove(at: $0).link }
  }

  // MARK: Memberships

  /// Whether a peer that comes by an invitation has a place.
  package func hasPlace(for entry: Entry) -> Bool {
    var roster = self
    roster.former.removeAll { $0 == Former(entry) }
    let index = roster.indexOrNew(entry.peer)
    (roster.known[index].standing, roster.known[index].entry) = (.member, entry)
    roster.known[index].reservations = 0
    return roster.allocation.holders.contains(entry.peer)
  }

  /// Seeks a peer that has accepted, or whose invitation was, until it attaches.
  package mutating func expect(_ entry: Entry) {
    former.removeAll { $0 == Former(entry) }
    let index = indexOrNew(entry.peer)
    (known[index].standing, known[index].entry) = (.sought, entry)
  }

  /// Takes a member in, which was sought or comes by an invitation.
  ///
  /// - Returns: The other members, who are to be told of it, and it of them.
  package mutating func join(_ entry: Entry) -> [Entry] {
    precondition(entry.peer != local, "no peer is a member of its own session")
    let others = members.filter { $0.peer != entry.peer }
    former.removeAll { $0 == Former(entry) }
    let index = indexOrNew(entry.peer)
    (known[index].standing, known[index].entry) = (.member, entry)
    if seniority == nil { seniority = 0 }
    return others
  }

  /// Takes a member out, or one that was sought.
  ///
  /// Those it introduced have a minute to join, unless it left for want of a place: then they are of another group.
  ///
  /// - Parameters:
  ///   - peer: The member.
  ///   - session: The session that it was a member with, or sought.
  ///   - departure: Why; it says whether the session is to be sought again.
  ///   - code: What is said to those who ask: a session that took an acceptance back is one that members may still
  ///     speak of.
  ///   - now: The time.
  /// - Returns: The members that are to be told, if it was one.
  package mutating func leave(
    _ peer: PeerID, _ session: SessionID, _ departure: DepartureReason, _ code: CloseCode? = nil,
    at now: Instant
  ) -> [Entry] {
    guard let index = index(of: peer), let entry = known[index].entry, entry.session == session
    else { return [] }
    let wasMember = known[index].standing == .member
    (known[index].standing, known[index].entry) = (nil, nil)
    known[index].displacedSince = nil
    if departure.isFinal, code != .takenBack { shun(Former(entry)) }
    let expiry = departure == .full ? now : now + Self.listingTime
    for index in known.indices {
      for other in known[index].listings.indices
      where known[index].listings[other].introducer == peer {
        known[index].listings[other].expiry = expiry
      }
    }
    tidy()
    return wasMember ? members : []
  }

  private mutating func shun(_ session: Former) {
    former.removeAll { $0 == session }
    if former.count >= Self.formerMax { former.removeFirst() }
    former.append(session)
  }

  // MARK: Known peers

  func index(of peer: PeerID) -> Int? { known.firstIndex { $0.peer == peer } }

  private mutating func indexOrNew(_ peer: PeerID) -> Int {
    if let index = index(of: peer) { return index }
    let index = known.firstIndex { peer < $0.peer } ?? known.endIndex
    known.insert(KnownPeer(peer: peer), at: index)
    return index
  }

  /// Forgets peers of which nothing is known, and the seniority of a session that is alone.
  mutating func tidy() {
    known.removeAll { $0.standing == nil && $0.listings.isEmpty && $0.reservations == 0 }
    if !known.contains(where: { $0.standing == .member || $0.reservations > 0 }) {
      seniority = nil
    }
  }

  private static let waitingMax = 16
  private static let waitingTime = Duration.seconds(5)
  private static let listingTime = Duration.seconds(60)
  private static let listingsBeyondMax = 64
  static let displacementTime = Duration.seconds(10)
  private static let formerMax = 1_024
}

extension DepartureReason {
  /// Whether the session of a member that is gone for this reason will not come back.
  package var isFinal: Bool {
    switch self {
    case .left, .restarted, .removed, .violation, .unreachable: true
    case .lost, .full, .disconnected: false
    }
  }
}
