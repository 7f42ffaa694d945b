import EarshotCore
import TestKit
import Testing

@Suite("Roster")
struct RosterTests {
  @Test("A full roster has no seat, and a seat given back is free again")
  func capacity() {
    var roster = Roster(of: Self.peers[0], capacity: 3)
    #expect(roster.reserve(for: Self.peers[1]) == .reserved)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    #expect(roster.reserve(for: Self.peers[3]) == .full)
    #expect(roster.join(Self.entry(3)) == nil)
    roster.cancelReservation(for: Self.peers[1])
    #expect(roster.reserve(for: Self.peers[3]) == .reserved)
  }

  @Test("A peer that is invited and introduced takes one seat")
  func oneSeat() {
    var roster = Self.roster(with: [1], capacity: 3)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    #expect(roster.introduce(Self.entry(2), by: Self.peers[1]) == .expected(waiting: nil))
    #expect(roster.freeSeats == 0)
    roster.cancelReservation(for: Self.peers[2])
    #expect(roster.freeSeats == 0)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    #expect(roster.join(Self.entry(2)) != nil)
    #expect(roster.members.map(\.peer) == [Self.peers[1], Self.peers[2]])
  }

  @Test("We ourselves are never a member")
  func ourselves() {
    var roster = Self.roster(with: [1])
    #expect(roster.reserve(for: Self.peers[0]) == .ourselves)
    #expect(roster.introduce(Self.entry(0), by: Self.peers[1]) == .ourselves)
  }

  @Test("Only members introduce")
  func strangers() {
    var roster = Self.roster(with: [1])
    #expect(roster.introduce(Self.entry(2), by: Self.peers[3]) == .notPermitted)
    #expect(
      roster.attach(Self.peers[2], Self.session(2), over: Self.link(1), at: .zero)
        == .held(evicting: nil))
  }

  @Test("A new member is introduced to all others, and all others to it")
  func introductions() {
    var roster = Self.roster(with: [3, 1])
    let introductions = roster.join(Self.entry(2)) ?? []
    #expect(
      introductions == [
        Roster.Introduction(reader: Self.peers[1], subject: Self.entry(2)),
        Roster.Introduction(reader: Self.peers[2], subject: Self.entry(1)),
        Roster.Introduction(reader: Self.peers[3], subject: Self.entry(2)),
        Roster.Introduction(reader: Self.peers[2], subject: Self.entry(3)),
      ])
    #expect(roster.join(Self.entry(2)) == [])
  }

  @Test("A request that comes before its introduction waits for it")
  func early() {
    var roster = Self.roster(with: [1])
    let link = Self.link(7)
    #expect(
      roster.attach(Self.peers[2], Self.session(2), over: link, at: .zero) == .held(evicting: nil))
    #expect(roster.nextDeadline == .zero + .seconds(5))
    #expect(roster.introduce(Self.entry(2), by: Self.peers[1]) == .expected(waiting: link))
    #expect(roster.nextDeadline == nil)
    #expect(roster.attach(Self.peers[2], Self.session(2), over: link, at: .zero) == .permitted)
  }

  @Test("A request that nobody introduces is given up after five seconds")
  func neverIntroduced() {
    var roster = Self.roster(with: [1])
    let link = Self.link(7)
    _ = roster.attach(Self.peers[2], Self.session(2), over: link, at: .zero)
    #expect(roster.expire(at: .zero + .seconds(4)) == [])
    #expect(roster.expire(at: .zero + .seconds(5)) == [.held(link)])
    #expect(roster.expire(at: .zero + .seconds(6)) == [])
  }

  @Test("Of more than sixteen waiting requests the oldest gives way")
  func bounded() {
    var roster = Self.roster(with: [1])
    let evicted = (0..<20).compactMap { index -> LinkToken? in
      let admission = roster.attach(
        Self.peers[2], Self.session(9), over: Self.link(index), at: .zero)
      if case .held(let evicted) = admission { return evicted }
      return nil
    }
    #expect(evicted == (0..<4).map { Self.link($0) })
  }

  @Test("A permission outlives its introducer by a minute")
  func permission() {
    var roster = Self.roster(with: [1])
    _ = roster.introduce(Self.entry(2), by: Self.peers[1])
    roster.leave(Self.peers[1], at: .zero)
    #expect(
      roster.attach(Self.peers[2], Self.session(2), over: Self.link(1), at: .zero) == .permitted)
    #expect(roster.nextDeadline == .zero + .seconds(60))
    #expect(roster.expire(at: .zero + .seconds(60)) == [.introduction(Self.peers[2])])
    #expect(roster.freeSeats == 7)
  }

  @Test("A member stays when the one who introduced it leaves")
  func memberStays() {
    var roster = Self.roster(with: [1])
    _ = roster.introduce(Self.entry(2), by: Self.peers[1])
    _ = roster.join(Self.entry(2))
    roster.leave(Self.peers[1], at: .zero)
    #expect(roster.nextDeadline == nil)
    #expect(roster.members == [Self.entry(2)])
  }

  @Test("A member's other session is not a member")
  func otherSession() {
    var roster = Self.roster(with: [1])
    #expect(
      roster.attach(Self.peers[1], Self.session(5), over: Self.link(1), at: .zero)
        == .held(evicting: nil))
  }

  @Test("Whatever happens, seats are counted, ordered and bounded", arguments: Seed.some(100))
  func anything(seed: Seed) {
    var random = seed.generator
    var roster = Roster(of: Self.peers[0], capacity: 4)
    var now = Instant.zero
    for step in 0..<200 {
      let index = Int(random.below(8))
      now = now + .seconds(Int64(random.below(20)))
      switch random.below(7) {
      case 0: _ = roster.reserve(for: Self.peers[index])
      case 1: roster.cancelReservation(for: Self.peers[index])
      case 2: _ = roster.introduce(Self.entry(index), by: Self.peers[Int(random.below(8))])
      case 3 where index > 0: _ = roster.join(Self.entry(index))
      case 4: roster.leave(Self.peers[index], at: now)
      case 5:
        _ = roster.attach(Self.peers[index], Self.session(index), over: Self.link(step), at: now)
      default: _ = roster.expire(at: now)
      }
      #expect((0...3).contains(roster.freeSeats))
      #expect(roster.members.count <= 3 - roster.freeSeats)
      #expect(roster.members.map(\.peer) == roster.members.map(\.peer).sorted())
      #expect(!roster.isMember(Self.peers[0]))
    }
  }

  private static let peers: [PeerID] = {
    var random = RandomStream(seed: 11)
    return (0..<8).map { _ in PeerID(random: &random) }.sorted()
  }()

  private static func session(_ index: Int) -> SessionID { SessionID(rawValue: UInt64(index)) }

  private static func link(_ index: Int) -> LinkToken { LinkToken(rawValue: UInt64(index)) }

  private static func entry(_ index: Int) -> Roster.Entry {
    Roster.Entry(
      peer: peers[index], session: session(index), displayName: "peer \(index)", endpoints: [])
  }

  private static func roster(with members: [Int], capacity: Int = 8) -> Roster {
    var roster = Roster(of: peers[0], capacity: capacity)
    for member in members { _ = roster.join(entry(member)) }
    return roster
  }
}
