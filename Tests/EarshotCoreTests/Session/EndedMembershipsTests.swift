import EarshotCore
import Testing

@Suite("Ended memberships")
struct EndedMembershipsTests {
  @Test("The last membership of a pair is remembered, and no earlier one takes its place")
  func last() {
    var memory = EndedMemberships()
    memory.remember(Self.id(4), of: Self.pair(0), .done)
    memory.remember(Self.id(2), of: Self.pair(0), .removed)
    #expect(memory[Self.pair(0)]?.code == .done)
    memory.remember(Self.id(9), of: Self.pair(1), .full)
  }

  @Test("The last memberships of a session are told by the other peer's sessions, the latest eight")
  func told() {
    var memory = EndedMemberships()
    for number: UInt64 in 0..<10 { memory.remember(Self.id(3), of: Self.pair(number), .done) }
    memory.remember(Self.id(9), of: Self.pair(4), .full)
    memory.remember(Self.id(11), of: Self.pair(2), .full)
    memory.remember(Self.id(1), of: Self.pair(7), .full)
    let told = memory.last(of: SessionID(rawValue: 1), with: Self.peer)
    #expect(told.map(\.session) == [3, 5, 6, 7, 8, 9, 4, 2].map { Self.pair($0).remote })
    #expect(told.map(\.membership) == [3, 3, 3, 3, 3, 3, 9, 11].map { Self.id($0) })
    #expect(memory.last(of: SessionID(rawValue: 77), with: Self.peer).isEmpty)
  }

  @Test("The pairs that ended longest ago are forgotten first")
  func bounded() {
    var memory = EndedMemberships(countMax: 2)
    memory.remember(Self.id(1), of: Self.pair(0), .done)
    memory.remember(Self.id(1), of: Self.pair(1), .done)
    memory.remember(Self.id(3), of: Self.pair(0), .done)
    memory.remember(Self.id(1), of: Self.pair(2), .done)
    #expect(memory[Self.pair(0)] != nil)
    #expect(memory[Self.pair(1)] == nil)
    #expect(memory[Self.pair(2)] != nil)
  }

  private static let peer: PeerID = {
    var random = RandomStream(seed: 1)
    return PeerID(random: &random)
  }()

  private static func id(_ number: UInt64) -> MembershipID { MembershipID(rawValue: number) }

  private static func pair(_ number: UInt64) -> SessionPair {
    SessionPair(
      local: SessionID(rawValue: 1), peer: peer, remote: SessionID(rawValue: 2 + number))
  }
}
