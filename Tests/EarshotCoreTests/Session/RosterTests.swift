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

  @Test("A place is taken over from another peer if that makes room, and nothing changes if not")
  func takenOver() {
    var roster = Roster(of: Self.peers[0], capacity: 2)
    #expect(roster.reserve(for: Self.peers[1]) == .reserved)
    #expect(roster.reserve(for: Self.peers[2], inPlaceOf: Self.peers[1]) == .reserved)
    #expect(roster.reserve(for: Self.peers[1]) == .full)
    #expect(roster.reserve(for: Self.peers[2]) == .reserved)
    let before = roster
    #expect(roster.reserve(for: Self.peers[3], inPlaceOf: Self.peers[2]) == .full)
    #expect(roster == before)
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
  func local() {
    var roster = Self.roster(with: [1])
    #expect(roster.reserve(for: Self.peers[0]) == .local)
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

  @Test("A session that took an acceptance back is sought if others speak of it")
  func tookBack() {
    var roster = Self.roster(with: [1, 2])
    _ = roster.leave(Self.peers[2], Self.session(2), .left, .takenBack, at: .zero)
    #expect(roster.settle(at: .zero) == [])
    roster.introduce(Self.entry(2), by: Self.peers[1])
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
    #expect(!roster.hasPlace(for: Self.entry(3, capacity: 3)))
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

  @Test("Whom only former members spoke of has a seat behind all others, however early it joined")
  func remembered() {
    var roster = Self.roster(with: [1, 2], capacity: 3)
    roster.introduce(Self.entry(3, seniority: 4), by: Self.peers[2])
    #expect(roster.settle(at: .zero) == [])
    _ = roster.leave(Self.peers[2], Self.session(2), .left, at: .zero)
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(3, seniority: 4), waiting: nil)])
    roster.introduce(Self.entry(4, seniority: 9), by: Self.peers[1])
    #expect(
      roster.settle(at: .zero) == [
        .abandon(Self.peers[3]), .seek(Self.entry(4, seniority: 9), waiting: nil),
      ])
  }

  @Test("One that was given up keeps its seat until no member waits for it any longer")
  func absent() {
    var roster = Self.roster(with: [1, 2], capacity: 3)
    roster.introduce(Self.entry(2), by: Self.peers[1])
    _ = roster.leave(Self.peers[2], Self.session(2), .lost, at: .zero)
    #expect(roster.settle(at: .zero) == [.seek(Self.entry(2), waiting: nil)])
    #expect(roster.reserve(for: Self.peers[3]) == .full)
    #expect(!roster.hasPlace(for: Self.entry(3, capacity: 3)))
    roster.retract(Self.peers[2], Self.session(2), by: Self.peers[1])
    #expect(roster.settle(at: .zero) == [.abandon(Self.peers[2])])
    #expect(roster.hasPlace(for: Self.entry(3, capacity: 3)))
    #expect(roster.reserve(for: Self.peers[3]) == .reserved)
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

  @Test(
    "Whoever is linked at first, and whatever is heard first, full meshes remain",
    arguments: Seed.some(300) + [Seed(1_037), Seed(1_050)])
  func meshes(seed: Seed) {
    var random = seed.generator
    let capacity = 2 + Int(random.below(7))
    var group = Group.any(using: &random) { _ in capacity }
    let isCalm = group.settle(using: &random)
    #expect(isCalm)
    group.expectMeshes()
  }

  @Test(
    "So they do whatever each one's capacity",
    arguments: Seed.some(300) + [117, 160, 1_843, 2_758, 10_137].map { Seed($0) })
  func unequalCapacities(seed: Seed) {
    var random = seed.generator
    _ = random.below(7)
    var group = Group.any(using: &random) { 2 + Int($0.below(7)) }
    let isCalm = group.settle(using: &random)
    #expect(isCalm)
    group.expectMeshes()
  }

  /// Several rosters that hear of each other at once, and do what follows.
  struct Group {
    let entries: [Roster.Entry]
    private var rosters: [Roster]

    init(_ entries: [Roster.Entry]) {
      self.entries = entries
      rosters = entries.map { entry in
        var roster = Roster(of: entry.peer, capacity: entry.capacity)
        roster.takeSeniority(entry.seniority)
        return roster
      }
    }

    /// Up to ten peers, of whom any may be linked.
    static func any(
      using random: inout RandomStream, capacity: (inout RandomStream) -> Int
    ) -> Group {
      let count = 3 + Int(random.below(8))
      let entries = (0..<count).map { number in
        RosterTests.entry(
          number, seniority: random.below(4), capacity: capacity(&random))
      }
      var group = Group(entries)
      let density = random.below(100)
      for (own, other) in group.pairs where random.below(100) < density {
        group.link(own, other)
      }
      return group
    }

    func members(of own: Int) -> Set<Int> {
      let peers = rosters[own].members.map(\.peer)
      return Set(entries.indices.filter { peers.contains(entries[$0].peer) })
    }

    /// All who are linked are linked with each other, and not more than fit.
    func expectMeshes() {
      for own in entries.indices {
        let mesh = members(of: own).union([own])
        #expect(mesh.count <= entries[own].capacity)
        for other in mesh {
          #expect(members(of: other).union([other]) == mesh, "\(own) and \(other)")
        }
      }
    }

    mutating func link(_ first: Int, _ second: Int) {
      for (own, other) in [(first, second), (second, first)] {
        rosters[own].takeSeniority(entries[own].seniority)
        for reader in rosters[own].join(entries[other]).compactMap({ index(of: $0) }) {
          rosters[reader].introduce(entries[other], by: entries[own].peer)
        }
      }
      for (own, other) in [(first, second), (second, first)] {
        for known in members(of: own) where known != other {
          rosters[other].introduce(entries[known], by: entries[own].peer)
        }
      }
    }

    mutating func part(_ first: Int, _ second: Int, at now: Instant) {
      for (own, other) in [(first, second), (second, first)] {
        let (peer, session) = (entries[other].peer, entries[other].session)
        let readers = rosters[own].leave(peer, session, .full, at: now)
        for reader in readers.compactMap({ index(of: $0) }) {
          rosters[reader].retract(peer, session, by: entries[own].peer)
        }
      }
    }

    /// Lets everybody do what follows, in any order; answers whether that comes to an end.
    mutating func settle(using random: inout RandomStream) -> Bool {
      var now = Instant.zero
      for _ in 0..<400 {
        var isCalm = true
        for own in entries.indices.shuffled(using: &random) {
          let changes = rosters[own].settle(at: now)
          let further = rosters[own].settle(at: now).filter { !$0.isDismissal }
          #expect(further.isEmpty, "after \(changes)")
          for change in changes {
            if case .dismiss(let peer, _) = change, let other = index(of: peer) {
              part(own, other, at: now)
              isCalm = false
            }
          }
        }
        for (own, other) in pairs.shuffled(using: &random) where doSeek(own, other) {
          link(own, other)
          isCalm = false
        }
        guard isCalm else { continue }
        guard let next = rosters.compactMap(\.nextDeadline).min() else { return true }
        now = next
      }
      return false
    }

    private var pairs: [(Int, Int)] {
      entries.indices.flatMap { own in entries.indices.map { (own, $0) }.filter { $0 < $1 } }
    }

    /// Whether both look for each other, so that who asks is answered.
    private func doSeek(_ own: Int, _ other: Int) -> Bool {
      !members(of: own).contains(other) && rosters[own][entries[other].peer] != nil
        && rosters[other][entries[own].peer] != nil
    }

    private func index(of entry: Roster.Entry) -> Int? { index(of: entry.peer) }

    private func index(of peer: PeerID) -> Int? { entries.firstIndex { $0.peer == peer } }
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

  fileprivate static func entry(
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

extension Roster.Change {
  fileprivate var isDismissal: Bool { if case .dismiss = self { true } else { false } }
}
