import EarshotCore
import Testing

@Suite("Trust table")
struct TrustTableTests {
  private typealias Candidate = TrustTable.Candidate
  private static let ids = (0..<2_000).map { number -> PeerID in
    var random = RandomStream(seed: UInt64(number))
    return PeerID(random: &random)
  }
  private let ann = ids[0]
  private let bob = ids[1]
  private let eve = ids[2]
  private let start = Instant.zero

  private func new(_ peer: PeerID) -> Candidate { Candidate(peer, isKnown: false, namesakes: []) }

  private func answer(_ table: inout TrustTable, _ peer: PeerID, _ isTrusted: Bool) -> Bool {
    table.answer(peer, isTrusted)
  }

  @Test("Everybody is trusted, or those who are pinned, whatever is stored of them")
  func keys() {
    var all = TrustTable(.anyPeer)
    var some = TrustTable(.pinned([ann]))
    for isKnown in [false, true] {
      for namesakes in [[], [bob]] {
        func judge(_ peer: PeerID, _ table: inout TrustTable) -> TrustTable.Verdict {
          table.judge(
            Candidate(peer, isKnown: isKnown, namesakes: namesakes), at: start)
        }
        #expect(judge(eve, &all) == .trusted)
        #expect(judge(ann, &some) == .trusted)
        #expect(judge(eve, &some) == .refused)
      }
    }
    #expect(!all.refuses(eve) && !some.refuses(ann) && some.refuses(eve))
  }

  @Test("On first use a name belongs to the key that has it, also against one that is known")
  func firstUse() {
    var table = TrustTable(.firstUse)
    #expect(table.judge(new(ann), at: start) == .trusted)
    #expect(table.standing(of: ann, isKnown: false) == .undecided)
    #expect(table.standing(of: ann, isKnown: true) == .trusted)
    for isKnown in [false, true] {
      let eve = isKnown ? self.eve : bob
      let candidate = Candidate(eve, isKnown: isKnown, namesakes: [ann])
      #expect(table.judge(candidate, at: start) == .changed(isNews: true))
      #expect(table.judge(candidate, at: start) == .changed(isNews: false))
      table.decide(eve, true)
      #expect(table.judge(candidate, at: start) == .trusted)
    }
    #expect(table.nextDeadline == nil)
  }

  @Test("A question is open until it is answered, withdrawn or late; the answer stays")
  func questions() {
    var table = TrustTable(.approval(within: .seconds(30)))
    #expect(table.judge(Candidate(ann, isKnown: true, namesakes: []), at: start) == .trusted)
    #expect(table.judge(new(bob), at: start) == .toBeAsked)
    #expect(table.judge(new(bob), at: start + .seconds(1)) == .asked)
    #expect(table.nextDeadline == start + .seconds(30))
    #expect(answer(&table, bob, true) == true)
    #expect(answer(&table, bob, false) == false)  // A second one comes too late.
    #expect(table.judge(new(bob), at: start) == .trusted && table.nextDeadline == nil)

    #expect(table.judge(new(eve), at: start) == .toBeAsked)
    #expect(table.expire(at: start + .milliseconds(29_999)).isEmpty)
    #expect(table.expire(at: start + .seconds(30)) == [eve])
    #expect(answer(&table, eve, true) == false)  // Nobody waits for that any more.
    #expect(table.judge(new(eve), at: start) == .toBeAsked)
    table.withdraw(eve)
    #expect(answer(&table, eve, false) == false)
    #expect(table.judge(new(eve), at: start) == .toBeAsked)
    #expect(answer(&table, eve, false) == true)
    #expect(table.judge(new(eve), at: start) == .refused && table.refuses(eve))
  }

  @Test("Who is known and takes the name of another is asked about as if it were new")
  func namesake() {
    var table = TrustTable(.approval(within: .seconds(30)))
    let candidate = Candidate(ann, isKnown: true, namesakes: [bob])
    #expect(table.judge(candidate, at: start) == .toBeAsked)
    #expect(answer(&table, ann, true) == true && table.judge(candidate, at: start) == .trusted)
  }

  @Test("Sixteen questions are open at once at most, and one more is a no for now")
  func crowd() {
    var table = TrustTable(.approval(within: .seconds(30)))
    for id in Self.ids.prefix(16) { #expect(table.judge(new(id), at: start) == .toBeAsked) }
    #expect(table.judge(new(Self.ids[16]), at: start) == .crowded)
    #expect(table.judge(new(Self.ids[0]), at: start) == .asked)
    table.withdraw(Self.ids[0])
    #expect(table.judge(new(Self.ids[16]), at: start) == .toBeAsked)
  }

  @Test("What the program says counts more than the rule, and the last word counts")
  func decisions() {
    for rule in [
      TrustTable.Rule.anyPeer, .pinned([ann]), .firstUse, .approval(within: .seconds(1)),
    ] {
      var table = TrustTable(rule)
      table.decide(ann, false)
      #expect(table.refuses(ann) && table.judge(new(ann), at: start) == .refused)
      table.decide(ann, true)
      #expect(!table.refuses(ann) && table.judge(new(ann), at: start) == .trusted)
      table.decide(ann, false)
      #expect(table.standing(of: ann, isKnown: true) == .refused)
    }
  }

  @Test("A code that differs takes an approval back under every rule, until something else is said")
  func rejections() {
    for rule in [
      TrustTable.Rule.anyPeer, .pinned([ann]), .firstUse, .approval(within: .seconds(1)),
    ] {
      for isRemote in [false, true] {
        var table = TrustTable(rule)
        let before = table
        table.reject(ann, isRemote: isRemote)
        #expect(table.refuses(ann) && table.judge(new(ann), at: start) == .refused)
        #expect(table.standing(of: ann, isKnown: true) == .refused)
        table.verified(ann)
        #expect(table == before)
        table.decide(ann, true)
        table.reject(ann, isRemote: isRemote)
        #expect(table.refuses(ann))
        table.decide(ann, true)
        #expect(table.standing(of: ann, isKnown: false) == .trusted)
        // What the program refuses, no code lets in.
        table.decide(ann, false)
        table.verified(ann)
        #expect(table.refuses(ann))
      }
    }
    var asking = TrustTable(.approval(within: .seconds(1)))
    #expect(asking.judge(new(ann), at: start) == .toBeAsked)
    asking.reject(ann, isRemote: false)
    #expect(!asking.answer(ann, true) && asking.refuses(ann) && asking.nextDeadline == nil)
  }

  @Test("Those who say that their code differs crowd out none whom this side refuses")
  func crowdOfRejections() {
    var table = TrustTable(.firstUse)
    table.decide(ann, false)
    table.reject(bob, isRemote: false)
    table.reject(eve, isRemote: true)
    for id in Self.ids.dropFirst(3).prefix(1_024) { table.reject(id, isRemote: true) }
    #expect(table.refuses(ann) && table.refuses(bob) && !table.refuses(eve))
    #expect(table.refuses(Self.ids[3]) && table.refuses(Self.ids[1_026]))
  }

  @Test(
    "The last 1,024 answers of no are remembered, and always what the program has said or approved")
  func bounds() {
    var table = TrustTable(.approval(within: .seconds(1)))
    table.decide(Self.ids[1_999], true)
    table.decide(Self.ids[1_998], false)
    table.reject(Self.ids[1_997], isRemote: false)
    for id in Self.ids.prefix(1_025) {
      #expect(table.judge(new(id), at: start) == .toBeAsked)
      #expect(answer(&table, id, false))
    }
    #expect(!table.refuses(Self.ids[0]) && table.refuses(Self.ids[1]))
    #expect(table.refuses(Self.ids[1_024]))
    #expect(table.refuses(Self.ids[1_998]) && table.refuses(Self.ids[1_997]))
    #expect(table.standing(of: Self.ids[1_999], isKnown: false) == .trusted)
    for id in Self.ids.prefix(1_997) { table.decide(id, false) }
    for id in Self.ids.prefix(1_997) { table.reject(id, isRemote: false) }
    #expect(Self.ids.prefix(1_999).allSatisfy(table.refuses))
    #expect(table.judge(new(Self.ids[0]), at: start) == .refused)
  }
}
