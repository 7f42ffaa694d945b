import EarshotCore
import Testing

@Suite("Ended memberships")
struct EndedMembershipsTests {
  typealias Verdict = EndedMemberships.Verdict

  struct Case: CustomTestStringConvertible, Sendable {
    let law: String
    var ended: (MembershipID, CloseCode)?
    var current: EndedMemberships.Current?
    let asked: UInt64
    var isProposal = false
    var knowsEnded: UInt64 = 0
    let verdict: Verdict

    var testDescription: String { law }
  }

  static let cases: [Case] = [
    Case(
      law: "The membership that is there goes on", current: joined(5), asked: 5, verdict: .current),
    Case(
      law: "One that ended is refused with its reason", ended: (id(5), .removed), asked: 5,
      verdict: .refuse(.removed)),
    Case(
      law: "One that ended before another did is over", ended: (id(7), .removed), asked: 5,
      verdict: .refuse(.givenUp)),
    Case(
      law: "One that nothing is known of is unknown", current: joined(5), asked: 7,
      verdict: .refuse(.unknownMembership)),
    Case(law: "A proposal begins one", asked: 5, isProposal: true, verdict: .begin),
    Case(
      law: "A proposal beside another is compared with it", current: proposed(4), asked: 5,
      isProposal: true, verdict: .current),
    Case(
      law: "A proposal that does not know of the membership gives way", current: joined(4),
      asked: 5, isProposal: true, knowsEnded: 2, verdict: .refuse(.duplicate)),
    Case(
      law: "A proposal that knows the membership to have ended says so", current: joined(4),
      asked: 7, isProposal: true, knowsEnded: 4, verdict: .supersede),
    Case(
      law: "A proposal of the past is over, and another one has to be made",
      ended: (id(6), .removed), asked: 5, isProposal: true, verdict: .refuse(.givenUp)),
  ]

  @Test("An ATTACH is judged by who it is for", arguments: cases)
  func verdicts(_ example: Case) {
    var memory = EndedMemberships()
    if let (membership, code) = example.ended {
      memory.remember(membership, of: Self.pair(0), code)
    }
    let attach = Attach(
      source: SessionID(rawValue: 2), destination: SessionID(rawValue: 1),
      membership: Self.id(example.asked), isProposal: example.isProposal,
      ended: Self.id(example.knowsEnded), epoch: 1, received: 0, window: 0,
      terms: SessionTerms(seniority: 0, capacity: 8, messageBytesMax: 0))
    let verdict = memory.verdict(on: attach, of: Self.pair(0), current: example.current)
    #expect(verdict == example.verdict)
  }

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

  @Test("Two sides never propose the same, and each proposes more than it has seen")
  func proposals() {
    var (smaller, larger) = (MembershipID.none, MembershipID.none)
    for _ in 0..<10 {
      let seen = max(smaller, larger)
      (smaller, larger) = (seen.next(bySmaller: true), seen.next(bySmaller: false))
      #expect(smaller != larger && smaller > seen && larger > seen)
    }
  }

  private static let peer: PeerID = {
    var random = RandomStream(seed: 1)
    return PeerID(random: &random)
  }()

  private static func id(_ number: UInt64) -> MembershipID { MembershipID(rawValue: number) }

  private static func joined(_ number: UInt64) -> EndedMemberships.Current {
    .init(membership: id(number), hasJoined: true)
  }

  private static func proposed(_ number: UInt64) -> EndedMemberships.Current {
    .init(membership: id(number), hasJoined: false)
  }

  private static func pair(_ number: UInt64) -> EndedMemberships.Pair {
    .init(
      local: SessionID(rawValue: 1), peer: peer, remote: SessionID(rawValue: 2 + number))
  }
}
