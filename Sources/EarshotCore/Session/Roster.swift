/// The seats of one session: its members, and those who may become members.
///
/// A seat is held by an open invitation, by an introduction or by a membership, and counts once however many
/// of them hold it. An introduction is a permission to attach for as long as its introducer is a member, and a
/// minute beyond. A request that comes before its introduction waits a little. We ourselves take a seat, and
/// are never a member. Everything is ordered by PeerID.
package struct Roster: Hashable, Sendable {
  /// A peer, as members speak of it.
  package struct Entry: Hashable, Sendable {
    /// Who it is.
    package let peer: PeerID
    /// Its session.
    package let session: SessionID
    /// What it calls itself.
    package let displayName: String
    /// Where it may be dialled, the most promising first.
    package var endpoints: [Endpoint]

    /// A peer with its session.
    package init(peer: PeerID, session: SessionID, displayName: String, endpoints: [Endpoint]) {
      (self.peer, self.session) = (peer, session)
      (self.displayName, self.endpoints) = (displayName, endpoints)
    }
  }
  /// An INTRODUCE to send.
  package struct Introduction: Hashable, Sendable {
    /// The member that is told.
    package let reader: PeerID
    /// The member that it is told about.
    package let subject: Entry

    /// Tells a member about another.
    package init(reader: PeerID, subject: Entry) {
      (self.reader, self.subject) = (reader, subject)
    }
  }
  package enum Reservation: Hashable, Sendable { case reserved, alreadyMember, full, ourselves }
  package enum Welcome: Hashable, Sendable {
    case expected(waiting: LinkToken?)  // A membership may begin, with a request.
    case known  // A member or expected already, perhaps with better endpoints now.
    case full
    case ourselves
    case notPermitted  // Only members introduce.
  }
  package enum Admission: Hashable, Sendable {
    case permitted  // By a member, or one who is expected.
    case held(evicting: LinkToken?)  // Until it is introduced, or `expire` gives it up.
  }
  package enum Expiry: Hashable, Sendable {
    case held(LinkToken)  // To be closed with `notIntroduced`.
    case introduction(PeerID)  // Its membership, not yet joined, is to end.
  }
  private struct Permission: Hashable {
    let introducer: PeerID
    var expiry: Instant?  // None while the introducer is a member.
  }
  private struct Seat: Hashable {
    let peer: PeerID
    var entry: Entry?
    var permission: Permission?
    var isInvited = false
    var isMember = false

    var isHeld: Bool { isInvited || isMember || permission != nil }
  }
  private struct Waiting: Hashable {
    let peer: PeerID
    let session: SessionID
    let link: LinkToken
    let deadline: Instant
  }

  /// How many peers the session can have, ourselves included.
  package let capacity: Int
  private let local: PeerID
  private var seats: [Seat] = []  // By PeerID.
  private var waiting: [Waiting] = []  // The oldest first.

  /// A session of ours, without anybody else.
  ///
  /// - Precondition: `capacity >= 2`.
  package init(of local: PeerID, capacity: Int = 8) {
    precondition(capacity >= 2, "a session has a seat for somebody else")
    (self.local, self.capacity) = (local, capacity)
  }

  // MARK: Looking

  /// The members, by PeerID.
  package var members: [Entry] { seats.filter(\.isMember).compactMap(\.entry) }

  /// How many seats nobody holds.
  package var freeSeats: Int { capacity - 1 - seats.count }

  /// What is known of a peer that is a member or was introduced.
  package subscript(peer: PeerID) -> Entry? { index(of: peer).flatMap { seats[$0].entry } }

  /// Whether a peer is a member.
  package func isMember(_ peer: PeerID) -> Bool {
    index(of: peer).map { seats[$0].isMember } ?? false
  }

  /// When ``expire(at:)`` has something to say.
  package var nextDeadline: Instant? {
    (waiting.map(\.deadline) + seats.compactMap { $0.permission?.expiry }).min()
  }

  // MARK: Invitations

  /// Reserves a seat for a peer that we invite, or whose invitation we accept.
  package mutating func reserve(for peer: PeerID) -> Reservation {
    if peer == local { return .ourselves }
    if isMember(peer) { return .alreadyMember }
    guard let index = indexForSeating(peer) else { return .full }
    seats[index].isInvited = true
    return .reserved
  }

  /// Gives back what ``reserve(for:)`` reserved; an introduction keeps the seat.
  package mutating func cancelReservation(for peer: PeerID) {
    guard let index = index(of: peer) else { return }
    seats[index].isInvited = false
    if !seats[index].isHeld { seats.remove(at: index) }
  }

  // MARK: Introductions

  /// Takes in what a member says of another.
  package mutating func introduce(_ entry: Entry, by introducer: PeerID) -> Welcome {
    guard isMember(introducer) else { return .notPermitted }
    if entry.peer == local { return .ourselves }
    if let index = index(of: entry.peer), seats[index].isMember || seats[index].permission != nil {
      return renew(at: index, entry, by: introducer)
    }
    guard let index = indexForSeating(entry.peer) else { return .full }
    seats[index].entry = entry
    seats[index].permission = Permission(introducer: introducer)
    return .expected(waiting: takeWaiting(entry.peer, entry.session))
  }

  private mutating func renew(
    at index: Int, _ entry: Entry, by introducer: PeerID
  ) -> Welcome {
    guard seats[index].entry?.session == entry.session else { return .known }
    seats[index].entry?.endpoints = entry.endpoints
    if seats[index].permission?.expiry != nil {
      seats[index].permission = Permission(introducer: introducer)
    }
    return .known
  }

  /// Judges an ATTACH.
  ///
  /// - Parameters:
  ///   - peer: Who sent it.
  ///   - session: Its source session.
  ///   - link: Where it came.
  ///   - now: The time.
  /// - Returns: Whether its membership may have it. When it is held, a link that had to give way is to be
  ///   closed with `notIntroduced`.
  package mutating func attach(
    _ peer: PeerID, _ session: SessionID, over link: LinkToken, at now: Instant
  ) -> Admission {
    if let index = index(of: peer), seats[index].entry?.session == session { return .permitted }
    let isOverfull = waiting.count >= Self.waitingMax
    let evicted = isOverfull ? waiting.removeFirst().link : nil
    waiting.append(
      Waiting(peer: peer, session: session, link: link, deadline: now + Self.waitingTime))
    return .held(evicting: evicted)
  }

  /// Forgets a request that waits, since its link is gone.
  package mutating func linkEnded(_ link: LinkToken) { waiting.removeAll { $0.link == link } }

  private mutating func takeWaiting(_ peer: PeerID, _ session: SessionID) -> LinkToken? {
    let last = waiting.lastIndex { $0.peer == peer && $0.session == session }
    return last.map { waiting.remove(at: $0).link }
  }

  // MARK: Memberships

  /// Seats a member for good.
  ///
  /// - Parameter entry: The new member, which held a seat or takes a free one.
  /// - Returns: Whom to introduce to whom: the new one to all, all to the new one; `nil` when there is no
  ///   seat. Nobody, when it was a member already.
  package mutating func join(_ entry: Entry) -> [Introduction]? {
    precondition(entry.peer != local, "nobody is a member of its own session")
    if isMember(entry.peer) { return [] }
    guard let index = indexForSeating(entry.peer) else { return nil }
    let others = members
    seats[index].entry = entry
    (seats[index].isMember, seats[index].isInvited, seats[index].permission) = (true, false, nil)
    return others.flatMap { other in
      [
        Introduction(reader: other.peer, subject: entry),
        Introduction(reader: entry.peer, subject: other),
      ]
    }
  }

  /// Frees the seat of one whose membership ended, joined or not; those it introduced have a minute to join.
  package mutating func leave(_ peer: PeerID, at now: Instant) {
    guard let index = index(of: peer) else { return }
    (seats[index].isMember, seats[index].permission) = (false, nil)
    if seats[index].isInvited { seats[index].entry = nil } else { seats.remove(at: index) }
    for index in seats.indices where seats[index].permission?.introducer == peer {
      seats[index].permission?.expiry = now + Self.permissionTime
    }
  }

  /// Expects a former member again, which has proven to be the same and begins anew.
  ///
  /// - Returns: Whether there was a seat.
  package mutating func readmit(_ entry: Entry) -> Bool {
    guard let index = indexForSeating(entry.peer) else { return false }
    seats[index].entry = entry
    seats[index].permission = Permission(introducer: entry.peer)
    return true
  }

  /// What waited for too long, the oldest request first.
  package mutating func expire(at now: Instant) -> [Expiry] {
    let links = waiting.filter { $0.deadline <= now }.map { Expiry.held($0.link) }
    waiting.removeAll { $0.deadline <= now }
    var peers: [Expiry] = []
    for index in seats.indices {
      guard let expiry = seats[index].permission?.expiry, expiry <= now else { continue }
      (seats[index].permission, seats[index].entry) = (nil, nil)
      peers.append(.introduction(seats[index].peer))
    }
    seats.removeAll { !$0.isHeld }
    return links + peers
  }

  // MARK: Seats

  private func index(of peer: PeerID) -> Int? { seats.firstIndex { $0.peer == peer } }

  private mutating func indexForSeating(_ peer: PeerID) -> Int? {
    if let index = index(of: peer) { return index }
    guard freeSeats > 0 else { return nil }
    let index = seats.firstIndex { peer < $0.peer } ?? seats.endIndex
    seats.insert(Seat(peer: peer), at: index)
    return index
  }

  private static let waitingMax = 16
  private static let waitingTime = Duration.seconds(5)
  private static let permissionTime = Duration.seconds(60)
}
