import EarshotCore
import TestKit
import Testing

@Suite("Roster")
struct RosterTests {
  typealias Change = Roster.Change

  // MARK: Reservations

  @Test("A full roster has no seat, and a seat given back is free again")
  func capacity() {
    var roster = Roster(of: Self.peers[0], capacity: 3)
    #expect(roster.reserve(for: Self.peers[1]) == .reserved)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    #expect(roster.reserve(for: Self.peers[3]) == .full)
    roster.cancelReservation(for: Self.peers[1])
    #expect(roster.reserve(for: Self.peers[3]) == .reserved)
  }

  @Test("Two who reserve a seat for one peer hold it until both gave it back")
  func reservationsCount() {
    var roster = Roster(of: Self.peers[0], capacity: 2)
    #expect(roster.reserve(for: Self.peers[1]) == .reserved)
    #expect(roster.reserve(for: Self.peers[1]) == .reserved)
    roster.cancelReservation(for: Self.peers[1])
    #expect(roster.reserve(for: Self.peers[2]) == .full)
    roster.cancelReservation(for: Self.peers[1])
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
  }

  @Test("A peer that is invited and introduced takes one seat")
  func oneSeat() {
    var roster = Self.roster(with: [1], capacity: 3)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    roster.introduce(Self.entry(2), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(2), waiting: nil)])
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    #expect(roster.reserve(for: Self.peers[3]) == .full)
  }

  @Test("The local peer is never a member")
  func ourselves() {
    var roster = Self.roster(with: [1])
    #expect(roster.reserve(for: Self.peers[0]) == .ourselves)
    roster.introduce(Self.entry(0), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
  }

  // MARK: Introductions

  @Test("Only members introduce")
  func strangers() {
    var roster = Self.roster(with: [1])
    roster.introduce(Self.entry(2), by: Self.peers[3])
    #expect(roster.settle(at: .zero) == [])
    #expect(
      roster.admit(Self.peers[2], Self.session(2), over: Self.link(1), at: .zero)
        == .held(evicting: nil))
  }

  @Test("A new member is introduced to all others")
  func introductions() {
    var roster = Self.roster(with: [3, 1])
    #expect(roster.join(Self.entry(2)).map(\.peer) == [Self.peers[1], Self.peers[3]])
    #expect(roster.members.map(\.peer) == [Self.peers[1], Self.peers[2], Self.peers[3]])
  }

  @Test("Whoever is introduced is sought until nobody speaks of it")
  func sought() {
    var roster = Self.roster(with: [1, 2])
    roster.introduce(Self.entry(3), by: Self.peers[1])
    roster.introduce(Self.entry(3), by: Self.peers[2])
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(3), waiting: nil)])
    #expect(roster.settle(at: .zero + .seconds(3_600)) == [])
    roster.retract(Self.peers[3], Self.session(3), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
    roster.retract(Self.peers[3], Self.session(3), by: Self.peers[2])
    #expect(roster.settle(at: .zero) == [.abandon(Self.peers[3])])
  }

  @Test("Whoever was asked is kept until it has answered, known or not, with a seat or without")
  func asked() {
    var roster = Self.roster(with: [1], capacity: 3)
    roster.introduce(Self.entry(2), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(2), waiting: nil)])
    roster.retract(Self.peers[2], Self.session(2), by: Self.peers[1])
    #expect(roster.settle(at: .zero, asked: [Self.peers[2]]) == [])
    _ = roster.join(Self.entry(3, seniority: 1))
    #expect(roster.settle(at: .zero, asked: [Self.peers[2]]) == [])
    #expect(roster.settle(at: .zero) == [.abandon(Self.peers[2])])
  }

  @Test("A member that was lost is sought again while others know it")
  func lostAndSought() {
    var roster = Self.roster(with: [1, 2])
    roster.introduce(Self.entry(2), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
    let told = roster.leave(Self.peers[2], Self.session(2), .lost, at: .zero)
    #expect(told.map(\.peer) == [Self.peers[1]])
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(2), waiting: nil)])
  }

  @Test("A session that left is not sought again, whatever others say, until it is invited")
  func leftForGood() {
    var roster = Self.roster(with: [1, 2])
    roster.introduce(Self.entry(2), by: Self.peers[1])
    _ = roster.leave(Self.peers[2], Self.session(2), .left, at: .zero)
    #expect(roster.settle(at: .zero) == [])
    _ = roster.join(Self.entry(2))
    _ = roster.leave(Self.peers[2], Self.session(2), .lost, at: .zero)
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(2), waiting: nil)])
  }

  @Test("What a former member said counts for another minute")
  func formerIntroducer() {
    var roster = Self.roster(with: [1])
    roster.introduce(Self.entry(2), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(2), waiting: nil)])
    _ = roster.leave(Self.peers[1], Self.session(1), .left, at: .zero)
    #expect(roster.nextDeadline == .zero + .seconds(60))
    #expect(roster.settle(at: .zero + .seconds(59)) == [])
    #expect(roster.settle(at: .zero + .seconds(60)) == [.abandon(Self.peers[2])])
  }

  @Test("What a member said that left for want of a seat counts no longer")
  func otherGroup() {
    var roster = Self.roster(with: [1, 2])
    roster.introduce(Self.entry(3), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(3), waiting: nil)])
    _ = roster.leave(Self.peers[1], Self.session(1), .full, at: .zero)
    #expect(roster.settle(at: .zero) == [.abandon(Self.peers[3])])
  }

  @Test("A later session of a member takes its place, an earlier one does not")
  func laterSession() {
    var roster = Self.roster(with: [1, 2])
    roster.introduce(Self.entry(2, session: 1), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
    let later = Self.entry(2, session: 12)
    roster.introduce(later, by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.dismiss(Self.peers[2], .restarted)])
    _ = roster.leave(Self.peers[2], Self.session(2), .left, at: .zero)
    #expect(roster.settle(at: .zero) == [.seek(later, waiting: nil)])
  }

  @Test("What is said of another lifetime of a member waits until the member is gone")
  func otherLifetime() {
    var roster = Self.roster(with: [1, 2])
    let other = Self.entry(2, session: 1 << 30)
    roster.introduce(other, by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
    _ = roster.leave(Self.peers[2], Self.session(2), .left, at: .zero)
    #expect(roster.settle(at: .zero) == [.seek(other, waiting: nil)])
  }

  @Test("One member cannot fill the memory of another")
  func introductionsAreBounded() {
    var roster = Self.roster(with: [1], capacity: 400)
    var random = RandomStream(seed: 5)
    for _ in 0..<1_000 {
      let peer = PeerID(random: &random)
      roster.introduce(
        Roster.Entry(
          peer: peer, session: Self.session(1), seniority: 9, capacity: 400, displayName: "x",
          endpoints: []), by: Self.peers[1])
    }
    #expect(roster.settle(at: .zero).count <= 400)
  }

  // MARK: Requests

  @Test("A request waits for its introduction, and goes with it")
  func heldRequest() {
    var roster = Self.roster(with: [1])
    let admission = roster.admit(Self.peers[2], Self.session(2), over: Self.link(7), at: .zero)
    #expect(admission == .held(evicting: nil))
    roster.introduce(Self.entry(2), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(2), waiting: Self.link(7))])
    #expect(
      roster.admit(Self.peers[2], Self.session(2), over: Self.link(8), at: .zero) == .permitted)
  }

  @Test("A request that is never introduced is refused after five seconds")
  func neverIntroduced() {
    var roster = Self.roster(with: [1])
    _ = roster.admit(Self.peers[2], Self.session(2), over: Self.link(7), at: .zero)
    #expect(roster.nextDeadline == .zero + .seconds(5))
    #expect(roster.settle(at: .zero + .seconds(4)) == [])
    #expect(roster.settle(at: .zero + .seconds(5)) == [.refuse(Self.link(7))])
    #expect(roster.nextDeadline == nil)
  }

  @Test("Sixteen requests wait; one more takes the place of the oldest")
  func waitingIsBounded() {
    var roster = Self.roster(with: [1])
    for number in 0..<16 {
      let admission = roster.admit(
        Self.peers[2], Self.session(2), over: Self.link(number), at: .zero)
      #expect(admission == .held(evicting: nil))
    }
    roster.linkEnded(Self.link(0))
    _ = roster.admit(Self.peers[2], Self.session(2), over: Self.link(16), at: .zero)
    #expect(
      roster.admit(Self.peers[2], Self.session(2), over: Self.link(17), at: .zero)
        == .held(evicting: Self.link(1)))
  }

  // MARK: Seats

  @Test("Whoever joined last has no seat when more have joined than fit")
  func tooMany() {
    var roster = Self.roster(with: [1, 2], capacity: 3)
    #expect(!roster.hasSeat(for: Self.entry(3, capacity: 3)))
    _ = roster.join(Self.entry(3, capacity: 3))
    #expect(roster.settle(at: .zero) == [.dismiss(Self.peers[3], .full)])
    _ = roster.leave(Self.peers[3], Self.session(3), .lost, at: .zero)
    roster.introduce(Self.entry(3, capacity: 3), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
    #expect(
      roster.admit(Self.peers[3], Self.session(3), over: Self.link(1), at: .zero) == .full)
  }

  @Test("A member gives its seat to one with an earlier claim, once that one has come")
  func seniority() {
    var roster = Self.roster(with: [1], capacity: 3)
    _ = roster.join(Self.entry(3, seniority: 7))
    #expect(roster.settle(at: .zero) == [])
    let earlier = Self.entry(2, seniority: 6)
    roster.introduce(earlier, by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.seek(earlier, waiting: nil)])
    #expect(roster.settle(at: .zero) == [])
    _ = roster.join(earlier)
    #expect(roster.settle(at: .zero) == [.dismiss(Self.peers[3], .full)])
  }

  @Test("The smallest capacity among the seated bounds the group")
  func smallestCapacity() {
    var roster = Self.roster(with: [1], capacity: 8)
    _ = roster.join(Self.entry(2, capacity: 3))
    roster.introduce(Self.entry(3), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
    #expect(roster.reserve(for: Self.peers[5]) == .full)
    _ = roster.join(Self.entry(4, seniority: 1, capacity: 3))
    #expect(roster.settle(at: .zero) == [.dismiss(Self.peers[2], .full)])
  }

  @Test("A peer without a seat seeks nobody")
  func noSeatOfOurs() {
    var roster = Roster(of: Self.peers[0], capacity: 2)
    roster.takeSeniority(9)
    _ = roster.join(Self.entry(1, seniority: 0, capacity: 2))
    roster.introduce(Self.entry(2, seniority: 1, capacity: 2), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [])
  }

  @Test("All members seat the same peers, whatever they heard first", arguments: Seed.some(200))
  func seatsAgree(seed: Seed) {
    var random = seed.generator
    let count = 4 + Int(random.below(5))
    let entries = (0..<count).map { number in
      Self.entry(
        number, seniority: random.below(4), capacity: 2 + Int(random.below(7)))
    }
    var views: [[PeerID]] = []
    for own in entries.indices {
      var roster = Roster(of: entries[own].peer, capacity: entries[own].capacity)
      roster.takeSeniority(entries[own].seniority)
      var others = entries.indices.filter { $0 != own }
      others.shuffle(using: &random)
      for other in others { _ = roster.join(entries[other]) }
      var seated = Set(others.map { entries[$0].peer })
      for change in roster.settle(at: .zero) {
        if case .dismiss(let peer, _) = change { seated.remove(peer) }
      }
      views.append(seated.sorted())
    }
    let seats = entries.indices.filter { own in
      entries.indices.allSatisfy { $0 == own || views[$0].contains(entries[own].peer) }
    }
    #expect(seats.count >= 2)
    for own in seats {
      let expected = seats.filter { $0 != own }.map { entries[$0].peer }.sorted()
      #expect(views[own] == expected)
    }
  }

  @Test("Seniority counts from the group that is joined, and ends with it")
  func ownSeniority() {
    var roster = Roster(of: Self.peers[0])
    #expect(roster.nextSeniority == 0)
    _ = roster.reserve(for: Self.peers[1])
    roster.takeSeniority(5)
    roster.takeSeniority(2)
    #expect(roster.seniority == 5)
    _ = roster.join(Self.entry(1, seniority: 8))
    roster.cancelReservation(for: Self.peers[1])
    #expect(roster.nextSeniority == 9)
    _ = roster.leave(Self.peers[1], Self.session(1), .left, at: .zero)
    #expect(roster.seniority == nil)
  }

  @Test("What a member says of itself is news once")
  func updates() {
    var roster = Self.roster(with: [1])
    var entry = Self.entry(1)
    let isNews = roster.update(entry)
    #expect(!isNews)
    entry.endpoints = [Endpoint(.v4(0x7F00_0001), port: 9)]
    let isNewsNow = roster.update(entry)
    #expect(isNewsNow)
    #expect(roster[Self.peers[1]]?.endpoints == entry.endpoints)
    entry.seniority = 3
    roster.introduce(entry, by: Self.peers[1])
    #expect(roster[Self.peers[1]]?.seniority == 3)
  }

  // MARK: Material

  private static let peers: [PeerID] = {
    var random = RandomStream(seed: 1)
    return (0..<12).map { _ in PeerID(random: &random) }.sorted()
  }()

  private static func entry(
    _ number: Int, session: Int? = nil, seniority: UInt64? = nil, capacity: Int = 8
  ) -> Roster.Entry {
    Roster.Entry(
      peer: peers[number], session: Self.session(session ?? number),
      seniority: seniority ?? UInt64(number), capacity: capacity, displayName: "peer \(number)",
      endpoints: [])
  }

  private static func session(_ number: Int) -> SessionID {
    SessionID(rawValue: UInt64(100 + number))
  }

  private static func link(_ number: Int) -> LinkToken { LinkToken(rawValue: UInt64(number)) }

  private static func roster(with members: [Int], capacity: Int = 8) -> Roster {
    var roster = Roster(of: peers[0], capacity: capacity)
    roster.takeSeniority(0)
    for member in members { _ = roster.join(entry(member)) }
    return roster
  }
}
