import EarshotCore
import TestKit
import Testing

@Suite("The roster of a session")
struct RosterTests {
  private static let peers: [PeerID] = {
    var random = RandomStream(seed: 7)
    return (0..<12).map { _ in PeerID(random: &random) }.sorted()
  }()
  private let ours = peers[0]
  private let now = Instant.zero

  private func entry(_ index: Int, session: UInt64? = nil) -> Roster.Entry {
    Roster.Entry(
      peer: Self.peers[index], session: SessionID(rawValue: session ?? UInt64(index)),
      displayName: "Peer \(index)", endpoints: [])
  }

  private func roster(of members: [Int] = [], capacity: Int = 8) -> Roster {
    var roster = Roster(of: ours, capacity: capacity)
    for member in members { #expect(roster.join(entry(member)) != nil) }
    return roster
  }

  @Test("A new member is introduced to all, and all to it")
  func introductions() {
    var roster = roster(of: [5, 3])
    let introductions = roster.join(entry(4))
    let pairs = introductions?.map { [$0.reader, $0.subject.peer] }
    let (third, fourth, fifth) = (Self.peers[3], Self.peers[4], Self.peers[5])
    #expect(pairs == [[third, fourth], [fourth, third], [fifth, fourth], [fourth, fifth]])
    #expect(roster.join(entry(4)) == [])
  }

  @Test("Members are listed by PeerID, in whatever order they came", arguments: Seed.some(50))
  func order(seed: Seed) {
    var random = seed.generator
    let indices = Array(1...7).shuffled(using: &random)
    #expect(roster(of: indices).members.map(\.peer) == Array(Self.peers[1...7]))
  }

  @Test("We ourselves take a seat and are never a member")
  func ourselves() {
    var roster = roster(of: [1], capacity: 3)
    #expect(roster.reserve(for: ours) == .ourselves)
    #expect(roster.introduce(entry(0), by: Self.peers[1]) == .ourselves)
    #expect(roster.freeSeats == 1)
  }

  @Test("Whoever holds a seat in several ways takes one seat")
  func seatsOnce() {
    var roster = roster(of: [1], capacity: 3)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    #expect(roster.introduce(entry(2), by: Self.peers[1]) == .expected(waiting: nil))
    #expect(roster.freeSeats == 0)
    roster.cancelReservation(for: Self.peers[2])
    #expect(roster.freeSeats == 0)
    #expect(roster.join(entry(2)) != nil)
    #expect(roster.freeSeats == 0)
    roster.leave(Self.peers[2], at: now)
    #expect(roster.freeSeats == 1)
  }

  @Test("A full session takes neither invited, nor introduced, nor new members")
  func full() {
    var roster = roster(of: [1, 2], capacity: 3)
    #expect(roster.reserve(for: Self.peers[3]) == .full)
    #expect(roster.introduce(entry(3), by: Self.peers[1]) == .full)
    #expect(roster.join(entry(3)) == nil)
    #expect(roster.reserve(for: Self.peers[1]) == .alreadyMember)
    #expect(roster.members.count == 2)
  }

  @Test("Only members introduce")
  func onlyMembers() {
    var roster = roster(of: [1])
    #expect(roster.introduce(entry(3), by: Self.peers[2]) == .notPermitted)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    #expect(roster.introduce(entry(3), by: Self.peers[2]) == .notPermitted)
    #expect(roster[Self.peers[3]] == nil)
  }

  @Test("A request that comes before its introduction waits for it")
  func heldRequest() {
    var roster = roster(of: [1])
    let link = LinkToken(rawValue: 9)
    let session = entry(2).session
    #expect(roster.attach(Self.peers[2], session, over: link, at: now) == .held(evicting: nil))
    #expect(roster.nextDeadline == now + .seconds(5))
    #expect(roster.introduce(entry(2), by: Self.peers[1]) == .expected(waiting: link))
    #expect(roster.nextDeadline == nil)
    #expect(roster.attach(Self.peers[2], session, over: link, at: now) == .permitted)
  }

  @Test("A request from another session than the introduced one is not permitted by it")
  func otherSession() {
    var roster = roster(of: [1])
    _ = roster.introduce(entry(2), by: Self.peers[1])
    let other = SessionID(rawValue: 99)
    let link = LinkToken(rawValue: 9)
    #expect(roster.attach(Self.peers[2], other, over: link, at: now) == .held(evicting: nil))
  }

  @Test(
    "A request that nobody introduces is given up after five seconds, at its time and not before")
  func heldTooLong() {
    var roster = roster()
    let link = LinkToken(rawValue: 9)
    _ = roster.attach(Self.peers[2], entry(2).session, over: link, at: now)
    #expect(roster.expire(at: now + .milliseconds(4_999)) == [])
    #expect(roster.expire(at: now + .seconds(5)) == [.held(link)])
    #expect(roster.expire(at: now + .seconds(6)) == [])
  }

  @Test("At most sixteen requests wait; the oldest gives way")
  func heldBound() {
    var roster = roster()
    let session = SessionID(rawValue: 50)
    let verdicts = (0..<20).map { index in
      roster.attach(
        Self.peers[2], session, over: LinkToken(rawValue: UInt64(index)), at: now)
    }
    #expect(verdicts.prefix(16).allSatisfy { $0 == .held(evicting: nil) })
    #expect(verdicts.dropFirst(16) == (0..<4).map { .held(evicting: LinkToken(rawValue: $0)) }[...])
    #expect(roster.expire(at: now + .seconds(5)).count == 16)
  }

  @Test("A request whose link is gone waits no longer")
  func heldLinkEnded() {
    var roster = roster(of: [1])
    let link = LinkToken(rawValue: 9)
    _ = roster.attach(Self.peers[2], entry(2).session, over: link, at: now)
    roster.linkEnded(link)
    #expect(roster.introduce(entry(2), by: Self.peers[1]) == .expected(waiting: nil))
  }

  @Test("An introduction outlives its introducer by a minute")
  func introducerLeft() {
    var roster = roster(of: [1])
    _ = roster.introduce(entry(2), by: Self.peers[1])
    #expect(roster.expire(at: now + .seconds(1_000)) == [])
    roster.leave(Self.peers[1], at: now)
    #expect(roster.expire(at: now + .seconds(59)) == [])
    #expect(roster.expire(at: now + .seconds(60)) == [.introduction(Self.peers[2])])
    #expect(roster.freeSeats == 7)
  }

  @Test("Another member renews the introduction of one that left")
  func introducedAgain() {
    var roster = roster(of: [1, 3])
    _ = roster.introduce(entry(2), by: Self.peers[1])
    roster.leave(Self.peers[1], at: now)
    #expect(roster.introduce(entry(2), by: Self.peers[3]) == .known)
    #expect(roster.expire(at: now + .seconds(60)) == [])
    #expect(roster.nextDeadline == nil)
  }

  @Test("Seats never exceed the capacity, and nobody is listed twice", arguments: Seed.some(200))
  func invariants(seed: Seed) {
    var random = seed.generator
    var roster = Roster(of: ours, capacity: 2 + Int(random.below(6)))
    var now = now
    for step in 0..<200 {
      now = now + random.duration(below: .seconds(10))
      let index = Int(random.below(UInt64(Self.peers.count - 1))) + 1
      let other = Self.peers[Int(random.below(UInt64(Self.peers.count)))]
      switch random.below(7) {
      case 0: _ = roster.reserve(for: Self.peers[index])
      case 1: roster.cancelReservation(for: Self.peers[index])
      case 2: _ = roster.introduce(entry(index), by: other)
      case 3: _ = roster.join(entry(index))
      case 4: roster.leave(Self.peers[index], at: now)
      case 5: _ = roster.expire(at: now)
      default:
        let link = LinkToken(rawValue: UInt64(step))
        _ = roster.attach(Self.peers[index], entry(index).session, over: link, at: now)
      }
      let members = roster.members.map(\.peer)
      #expect(roster.freeSeats >= 0)
      #expect(members.count + roster.freeSeats < roster.capacity)
      #expect(members == members.sorted() && Set(members).count == members.count)
      #expect(!members.contains(ours))
    }
  }
}
