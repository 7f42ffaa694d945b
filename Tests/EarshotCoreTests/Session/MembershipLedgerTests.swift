import EarshotCore
import Testing

/// The laws of the ledger, a row each: what there is, what comes, what follows.
@Suite("Membership ledger")
struct MembershipLedgerTests {
  typealias Ledger = MembershipLedger
  typealias Standing = MembershipLedger.Standing

  /// What a row begins with.
  struct State: Sendable {
    var standing: Standing?
    var ended: (UInt64, CloseCode)?
    var accepted: UInt64?  // An acceptance of this side has named it; odd.

    static let nothing = State()
    static func there(_ standing: Standing) -> State { State(standing: standing) }
    static func over(_ number: UInt64, _ code: CloseCode) -> State { State(ended: (number, code)) }
    static func accepted(_ number: UInt64) -> State { State(accepted: number) }

    var ledger: Ledger {
      var ledger = Ledger(of: local)
      if let accepted {
        for _ in stride(from: 3, to: accepted, by: 2) { _ = ledger.propose(to: pair) }
        _ = ledger.name(for: first, of: ledger.inviter(remote, invite()), by: ours)
      }
      if let (number, code) = ended { ledger.end(id(number), of: pair, code) }
      if let standing { ledger.note(standing, of: pair) }
      return ledger
    }
  }

  // MARK: ACCEPT

  struct Accepted: CustomTestStringConvertible, Sendable {
    let law: String
    let state: State
    let named: UInt64
    let verdict: Ledger.AcceptVerdict

    init(_ law: String, _ state: State, _ named: UInt64, _ verdict: Ledger.AcceptVerdict) {
      (self.law, self.state, self.named, self.verdict) = (law, state, named, verdict)
    }

    var testDescription: String { law }
  }

  // The local peer is the smaller: odd numbers are its own.
  static let acceptances: [Accepted] = [
    Accepted("A first membership is confirmed", .nothing, 2, .confirm),
    Accepted(
      "What this side has proposed and knows nothing of has come to nothing", .nothing, 3,
      .refuse(.givenUp)),
    Accepted(
      "What this side has given up stays given up", .over(3, .givenUp), 3, .refuse(.givenUp)),
    Accepted(
      "While the same membership is looked for, attaching decides", .there(sought(2)), 2, .wait),
    Accepted("Another one takes the place of what is looked for", .there(sought(3)), 4, .confirm),
    Accepted(
      "While another one is asked for, the answer decides", .there(sought(3, isAsking: true)), 4,
      .wait),
    Accepted("The membership that is there is the one", .there(member(2)), 2, .fulfilled),
    Accepted("So is one that this side had proposed", .there(member(3)), 3, .fulfilled),
    Accepted(
      "While it is asked to go on, the answer decides", .there(member(2, isAsking: true)), 2, .wait),
    Accepted("A later one takes its place", .there(member(2)), 4, .confirm),
    Accepted(
      "One that is being left is a member until then", .there(.leaving(id(2), isAsking: false)), 2,
      .fulfilled),
    Accepted("What this side has accepted is about to be confirmed", .accepted(3), 3, .wait),
    Accepted("Beside what this side has accepted, another is confirmed", .accepted(3), 4, .confirm),
  ]

  @Test("An ACCEPT is judged by the membership that it names", arguments: acceptances)
  func accepts(_ row: Accepted) {
    var ledger = row.state.ledger
    let own = row.state.accepted == nil ? nil : first
    #expect(ledger.verdict(onAccept: id(row.named), of: pair, beside: own) == row.verdict)
    guard row.verdict == .refuse(.givenUp) else { return }
    #expect(ledger.verdict(onAttach: attach(row.named), of: pair) == .refuse(.givenUp))
  }

  // MARK: ATTACH

  struct Asked: CustomTestStringConvertible, Sendable {
    let law: String
    let state: State
    let attach: Attach
    var isShunned = false
    let verdict: Ledger.AttachVerdict

    init(
      _ law: String, _ state: State, _ attach: Attach, isShunned: Bool = false,
      _ verdict: Ledger.AttachVerdict
    ) {
      (self.law, self.state, self.attach) = (law, state, attach)
      (self.isShunned, self.verdict) = (isShunned, verdict)
    }

    var testDescription: String { law }
  }

  static let requests: [Asked] = [
    Asked("The membership that is there goes on", .there(member(5)), attach(5), .current),
    Asked(
      "So does one that is being left", .there(.leaving(id(5), isAsking: false)), attach(5),
      .current),
    Asked(
      "One that ended is refused with its reason", .over(5, .removed), attach(5), .refuse(.removed)),
    Asked(
      "One that ended before another did is over", .over(7, .removed), attach(5), .refuse(.givenUp)),
    Asked(
      "One that nothing is known of is unknown", .there(member(5)), attach(7),
      .refuse(.unknownMembership)),
    Asked("A proposal begins one", .nothing, proposal(5), .begin),
    Asked(
      "A proposal beside another is compared with it", .there(sought(4)), proposal(5), .current),
    Asked(
      "A proposal that does not know of the membership gives way", .there(member(4)),
      proposal(5, ended: 2), .refuse(.duplicate)),
    Asked(
      "A proposal that knows the membership to have ended says so", .there(member(4)),
      proposal(7, ended: 4), .supersede),
    Asked(
      "A proposal of the past is over, and another one has to be made", .over(6, .removed),
      proposal(5), .refuse(.givenUp)),
    Asked(
      "A session that was removed is told so again", .over(4, .removed), proposal(5, ended: 4),
      isShunned: true, .refuse(.removed)),
    Asked(
      "Once it was invited again it may begin", .over(4, .removed), proposal(5, ended: 4), .begin),
    Asked(
      "A session that left by itself may come back", .over(4, .done), proposal(5, ended: 4),
      isShunned: true, .begin),
  ]

  @Test("An ATTACH is judged by the membership that it is for", arguments: requests)
  func attaches(_ row: Asked) {
    let ledger = row.state.ledger
    #expect(
      ledger.verdict(onAttach: row.attach, of: pair, isShunned: row.isShunned) == row.verdict)
  }

  @Test("An ATTACH confirms an acceptance by its number, or proposes unless that one is there")
  func confirmations() {
    var ledger = State.accepted(3).ledger
    #expect(ledger.confirms(attach(3), first))
    #expect(!ledger.confirms(attach(4), first))
    #expect(ledger.confirms(proposal(4), first))
    ledger.note(Self.member(3), of: pair)
    #expect(ledger.confirms(attach(3), first))
    #expect(!ledger.confirms(proposal(4), first))
    ledger.note(Self.member(4), of: pair)
    #expect(ledger.confirms(proposal(6), first), "another one is there")
    #expect(ledger.confirms(proposal(2), second), "nothing was named yet")
    #expect(!ledger.confirms(attach(2), second))
  }

  // MARK: Naming

  @Test(
    "An acceptance names a new membership, later than all before, and the same when it goes out again"
  )
  func naming() {
    var ledger = State.over(8, .done).ledger
    let inviter = ledger.inviter(remote, invite())
    let name = ledger.name(for: first, of: inviter, by: ours)
    #expect(name == .new(id(11), replacing: nil))
    #expect(ledger.named(by: first) == id(11))
    #expect(ledger.name(for: first, of: inviter, by: ours) == .known(id(11)))
    #expect(ledger.name(for: second, of: inviter, by: ours) == .new(id(13), replacing: nil))
    #expect(ledger.propose(to: pair) == id(15))
    #expect(ledger.propose(to: SessionPair(local: other, peer: remote, remote: theirs)) == id(3))
  }

  @Test("An acceptance names the membership that is there, unless the inviter has given it up")
  func namingAgain() {
    let standings = [Self.member(4), .leaving(id(4), isAsking: false)]
    for standing in standings {
      var ledger = State.there(standing).ledger
      let inviter = ledger.inviter(remote, invite(ended: 3))
      #expect(ledger.name(for: first, of: inviter, by: ours) == .known(id(4)))
      let givenUp = ledger.inviter(remote, invite(ended: 4))
      var again = ledger
      let renaming = again.name(for: first, of: givenUp, by: ours)
      #expect(renaming == .new(id(7), replacing: .givenUp))
      #expect(again.named(by: first) == id(7))
      let naming = ledger.name(for: second, of: givenUp, by: ours)
      #expect(naming == .new(id(7), replacing: .givenUp))
    }
    var ledger = State.there(Self.sought(4)).ledger
    let inviter = ledger.inviter(remote, invite())
    #expect(ledger.name(for: first, of: inviter, by: ours) == .new(id(3), replacing: nil))
  }

  @Test("An acceptance that led to nothing has expired, but not the membership that it named")
  func closing() {
    var ledger = State.accepted(3).ledger
    #expect(ledger.isAccepting)
    ledger.close(first, isFulfilled: false)
    #expect(!ledger.isAccepting)
    #expect(ledger.verdict(onAttach: attach(3), of: pair) == .refuse(.expired))
    ledger = State.accepted(3).ledger
    ledger.close(first, isFulfilled: true)
    #expect(ledger.ending(of: pair) == nil)
    ledger = State.accepted(3).ledger
    ledger.note(Self.member(3), of: pair)
    ledger.close(first, isFulfilled: false)
    #expect(ledger.ending(of: pair) == nil)
    #expect(ledger[pair] == Self.member(3))
  }

  // MARK: Beginning

  @Test("A confirmed membership begins, unless it or a later one has; what there was gives way")
  func beginnings() {
    let rows: [(Standing?, UInt64, Ledger.Beginning)] = [
      (nil, 4, .begins(replacing: nil)), (Self.sought(4), 4, .begins(replacing: .givenUp)),
      (Self.sought(6), 4, .begins(replacing: .givenUp)), (Self.member(4), 4, .goesOn),
      (Self.member(6), 4, .goesOn), (Self.member(2), 4, .begins(replacing: .givenUp)),
      (.leaving(id(4), isAsking: false), 4, .goesOn),
      (.leaving(id(2), isAsking: false), 4, .begins(replacing: .givenUp)),
    ]
    for (standing, number, beginning) in rows {
      let ledger = State(standing: standing).ledger
      #expect(ledger.beginning(id(number), of: pair) == beginning, "\(number) in \(rows)")
    }
  }

  @Test("Who attaches is in by what was accepted; two proposals are compared")
  func attaching() {
    let rows: [(Standing?, UInt64, Ledger.Beginning)] = [
      (nil, 5, .begins(replacing: nil)), (Self.sought(5), 5, .goesOn),
      (Self.sought(6), 5, .begins(replacing: .givenUp)), (Self.sought(6), 8, .goesOn),
      (Self.member(5), 5, .goesOn), (Self.member(6), 5, .goesOn),
      (Self.member(2), 5, .begins(replacing: .givenUp)),
    ]
    for (standing, number, beginning) in rows {
      let ledger = State(standing: standing, accepted: 5).ledger
      #expect(
        ledger.beginning(attaching: id(number), of: pair, by: first) == beginning,
        "\(number) in \(String(describing: standing))")
    }
  }

  @Test("A peer that comes with another session was restarted")
  func restarted() {
    #expect(Ledger.Replacement.restarted.departure == .restarted)
    #expect(Ledger.Replacement.restarted.code == .superseded)
    #expect(Ledger.Replacement.givenUp.departure == .lost)
    #expect(Ledger.Replacement.givenUp.code == .givenUp)
    let ledger = State.there(Self.member(4)).ledger
    let later = SessionPair(local: ours, peer: remote, remote: other)
    #expect(ledger.beginning(id(2), of: later) == .begins(replacing: .restarted))
    #expect(
      ledger.beginning(attaching: id(2), of: later, by: first) == .begins(replacing: .restarted))
    let ofAnother = SessionPair(local: other, peer: remote, remote: theirs)
    #expect(ledger.beginning(id(2), of: ofAnother) == .begins(replacing: nil))
  }

  // MARK: Who is a member

  @Test("An inviter is a member by what it has not given up, or by what came since")
  func members() {
    var ledger = State.there(Self.member(4)).ledger
    let before = ledger.inviter(remote, invite())
    #expect(ledger.isMember(before, of: ours) && ledger.hasJoined(before, ours))
    #expect(!ledger.isMember(before, of: other) && !ledger.hasJoined(before, other))
    let givenUp = ledger.inviter(remote, invite(ended: 4))
    #expect(!ledger.isMember(givenUp, of: ours) && !ledger.hasJoined(givenUp, ours))
    ledger.note(Self.sought(6), of: pair)
    #expect(!ledger.isMember(before, of: ours))
    ledger.note(Self.member(6), of: pair)
    #expect(ledger.isMember(givenUp, of: ours) && ledger.hasJoined(givenUp, ours))
  }

  @Test("An inviter has joined with another session only since it invited")
  func otherSession() {
    var ledger = State.there(Self.member(4)).ledger
    var invite = invite()
    invite.session = other
    let inviter = ledger.inviter(remote, invite)
    #expect(!ledger.isMember(inviter, of: ours) && !ledger.hasJoined(inviter, ours))
    ledger.end(id(4), of: pair, .givenUp)
    ledger.note(Self.member(6), of: pair)
    #expect(!ledger.isMember(inviter, of: ours) && ledger.hasJoined(inviter, ours))
  }

  @Test("The sessions with a member, and the peers that are asked, are those of their pair")
  func looking() {
    var ledger = State.there(Self.member(4, isAsking: true)).ledger
    #expect(ledger.sessions(with: remote, theirs) == [ours])
    #expect(ledger.sessions(with: remote, other).isEmpty)
    #expect(ledger.asked(by: ours) == [remote] && ledger.asked(by: other).isEmpty)
    ledger.note(Self.sought(4), of: pair)
    #expect(ledger.sessions(with: remote, theirs).isEmpty && ledger.asked(by: ours).isEmpty)
  }

  // MARK: Ending

  @Test("An end is for the membership and all before it, and a late one does not end the next")
  func ending() {
    var ledger = State.there(Self.member(4)).ledger
    ledger.end(id(4), of: pair, .removed)
    #expect(ledger[pair] == nil)
    #expect(ledger.ending(of: pair)?.code == .removed && ledger.lastEnded(of: pair) == id(4))
    ledger.note(Self.member(6), of: pair)
    ledger.end(id(2), of: pair, .done)
    ledger.end(id(4), of: pair, .done)
    #expect(ledger[pair] == Self.member(6))
    #expect(ledger.ending(of: pair)?.code == .removed)
  }

  @Test("An INVITE says which memberships have ended, but not of the one that is there")
  func told() {
    var ledger = State.over(8, .done).ledger
    #expect(ledger.ended(of: ours, with: remote).map(\.membership) == [id(8)])
    ledger.note(Self.member(6), of: pair)
    #expect(ledger.ended(of: ours, with: remote).map(\.membership) == [id(5)])
    #expect(ledger.ended(of: ours, with: remote).map(\.session) == [theirs])
    #expect(ledger.ended(of: other, with: remote).isEmpty)
  }

  @Test("A session that is over is forgotten, but not how its memberships ended")
  func forgetting() {
    var ledger = State(standing: Self.member(6), ended: (4, .removed), accepted: 7).ledger
    ledger.forget(other)
    #expect(ledger[pair] != nil && ledger.isAccepting)
    ledger.forget(ours)
    #expect(ledger[pair] == nil && !ledger.isAccepting)
    #expect(ledger.ending(of: pair)?.code == .removed)
  }

  // MARK: All orders

  @Test("Numbers grow, and no membership gives way to an earlier one, in all orders of six events")
  func orders() {
    var seen: Set<Ledger> = []
    var ahead = [(ledger: State.nothing.ledger, last: MembershipID.none, depth: 0)]
    while let (ledger, last, depth) = ahead.popLast() {
      guard seen.insert(ledger).inserted, depth < 6 else { continue }
      for number in 1...6 as ClosedRange<UInt64> {
        let current = ledger[pair]
        if case .begins = ledger.beginning(id(number), of: pair), current?.hasJoined == true {
          #expect(current.map { $0.membership < id(number) } == true)
        }
        var next = ledger
        let verdict = next.verdict(onAccept: id(number), of: pair, beside: nil)
        #expect(verdict != .confirm || current?.membership != id(number))
        #expect(verdict != .fulfilled || current == Self.member(number))
      }
      var named = ledger
      let inviter = named.inviter(remote, invite(ended: last.rawValue))
      let name = named.name(for: second, of: inviter, by: ours)
      if case .new(let membership, _) = name {
        #expect(membership > ledger.lastEnded(of: pair))
        #expect(ledger[pair].map { !$0.hasJoined || $0.membership < membership } ?? true)
      }
      named.close(second, isFulfilled: false)
      ahead.append((named, max(last, name.membership), depth + 1))
      var proposing = ledger
      let number = proposing.propose(to: pair)
      #expect(number > ledger.lastEnded(of: pair))
      if ledger[pair] == nil { proposing.note(.sought(number, isAsking: false), of: pair) }
      ahead.append((proposing, last, depth + 1))
      guard let current = ledger[pair] else { continue }
      var joined = ledger
      joined.note(.member(current.membership, isAsking: false), of: pair)
      ahead.append((joined, last, depth + 1))
      var ended = ledger
      ended.end(current.membership, of: pair, .givenUp)
      #expect(ended[pair] == nil)
      ahead.append((ended, max(last, current.membership), depth + 1))
    }
    #expect(seen.count > 100)
  }

  static func sought(_ number: UInt64, isAsking: Bool = false) -> Standing {
    .sought(id(number), isAsking: isAsking)
  }

  static func member(_ number: UInt64, isAsking: Bool = false) -> Standing {
    .member(id(number), isAsking: isAsking)
  }
}

private let peers: [PeerID] = {
  var first = RandomStream(seed: 1)
  var second = RandomStream(seed: 2)
  return [PeerID(random: &first), PeerID(random: &second)].sorted()
}()
private let local = peers[0]
private let remote = peers[1]
private let ours = SessionID(rawValue: 1)
private let theirs = SessionID(rawValue: 2)
private let other = SessionID(rawValue: 3)
private let pair = SessionPair(local: ours, peer: remote, remote: theirs)
private let first = InvitationTable.InboundID(
  inviter: remote, invitation: InvitationID(high: 1, low: 1))
private let second = InvitationTable.InboundID(
  inviter: remote, invitation: InvitationID(high: 1, low: 2))

private func id(_ number: UInt64) -> MembershipID { MembershipID(rawValue: number) }

private func invite(ended number: UInt64? = nil) -> Invite {
  Invite(
    invitation: first.invitation, session: theirs,
    ended: number.map { [EndedMembership(session: ours, membership: id($0))] } ?? [],
    timeoutMilliseconds: 0, serviceType: "chat", context: [])
}

private func attach(_ number: UInt64, isProposal: Bool = false, ended: UInt64 = 0) -> Attach {
  Attach(
    source: theirs, destination: ours, membership: id(number), isProposal: isProposal,
    ended: id(ended), epoch: 1, received: 0, grant: ChannelGrant(messageLimit: 0, streams: 16),
    terms: SessionTerms(seniority: 0, capacity: 8, messageBytesMax: 0))
}

private func proposal(_ number: UInt64, ended: UInt64 = 0) -> Attach {
  attach(number, isProposal: true, ended: ended)
}
