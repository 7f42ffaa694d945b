import EarshotCore
import TestKit
import Testing

@Suite("The desk of invitations")
struct InvitationDeskTests {
  typealias Desk = InvitationDesk
  private static let peers: [PeerID] = {
    var random = RandomStream(seed: 11)
    return (0..<40).map { _ in PeerID(random: &random) }.sorted()
  }()
  private static let middle = 20
  private static let session = SessionID(rawValue: 77)

  /// A desk, its clock, and what it asked for last.
  private struct Stage {
    var desk = Desk(of: peers[middle], random: RandomStream(seed: 0))
    var now = Instant.zero
    var actions: [Desk.Action] = []

    mutating func handle(_ event: Desk.Event, after pause: Duration = .zero) {
      now = now + pause
      actions = []
      desk.handle(event, at: now, into: &actions)
    }
  }

  private static func link(_ number: Int) -> LinkToken { LinkToken(rawValue: UInt64(number)) }

  private static func invitation(_ number: Int) -> InvitationID {
    InvitationID(high: 0, low: UInt64(number))
  }

  private static func inbound(_ peer: Int, _ number: Int) -> Desk.InboundID {
    Desk.InboundID(inviter: peers[peer], invitation: invitation(number))
  }

  private static func arrival(
    from peer: Int, _ number: Int, serviceType: String = "chat", isAdvertised: Bool = true
  ) -> Desk.Arrival {
    let invite = Invite(
      invitation: invitation(number), session: SessionID(rawValue: UInt64(peer)),
      timeoutMilliseconds: 30_000, serviceType: serviceType, context: [])
    return Desk.Arrival(
      invite, from: peers[peer], isAdvertised: isAdvertised, membership: nil)
  }

  private static func wish(to peer: Int, _ number: Int) -> Desk.Wish {
    Desk.Wish(
      invitation: invitation(number), peer: peers[peer], session: session, serviceType: "chat",
      timeout: .seconds(30))
  }

  @Test("A peer has one offer open, all peers together eight; more are told that we are busy")
  func bounds() {
    var stage = Stage()
    for peer in 0..<8 {
      stage.handle(.inviteReceived(Self.link(peer), Self.arrival(from: peer, peer)))
      #expect(stage.actions.contains(.reportOffered(Self.inbound(peer, peer))))
    }
    for (peer, number) in [(0, 100), (9, 101)] {
      let link = Self.link(number)
      stage.handle(.inviteReceived(link, Self.arrival(from: peer, number)))
      let id = Self.inbound(peer, number)
      #expect(stage.actions == [.sendDecline(link, id, .busy), .closeLink(link, .done)])
    }
    stage.handle(.declineRequested(Self.inbound(3, 3), .declined))
    stage.handle(.inviteReceived(Self.link(102), Self.arrival(from: 9, 102)))
    #expect(stage.actions.contains(.reportOffered(Self.inbound(9, 102))))
  }

  @Test(
    "An invitation to a service that we do not advertise is declined, unless we invite that peer")
  func notAdvertised() {
    var stage = Stage()
    let arrival = Self.arrival(from: 1, 1, isAdvertised: false)
    stage.handle(.inviteReceived(Self.link(1), arrival))
    let id = Self.inbound(1, 1)
    #expect(stage.actions.contains(.sendDecline(Self.link(1), id, .notAdvertising)))
    var inviting = Stage()
    inviting.handle(.inviteRequested(Self.wish(to: 1, 50)))
    inviting.handle(.inviteReceived(Self.link(1), arrival))
    #expect(inviting.actions.contains(.sendAccept(Self.link(1), id, Self.session)))
  }

  @Test(
    "An invitation that was declined and comes again is declined again, and nobody is asked twice")
  func memory() {
    var stage = Stage()
    let id = Self.inbound(1, 1)
    stage.handle(.inviteReceived(Self.link(1), Self.arrival(from: 1, 1)))
    stage.handle(.declineRequested(id, .declined))
    stage.handle(.inviteReceived(Self.link(2), Self.arrival(from: 1, 1)), after: .seconds(299))
    #expect(stage.actions.contains(.sendDecline(Self.link(2), id, .declined)))
    #expect(!stage.actions.contains(.reportOffered(id)))
    stage.handle(.inviteReceived(Self.link(3), Self.arrival(from: 1, 1)), after: .seconds(2))
    #expect(stage.actions.contains(.reportOffered(id)))
  }

  @Test("The same invitation over another link is one offer, and is answered over the latest link")
  func repeated() {
    var stage = Stage()
    let id = Self.inbound(1, 1)
    stage.handle(.inviteReceived(Self.link(1), Self.arrival(from: 1, 1)))
    stage.handle(.linkBroken(Self.link(1)))
    stage.handle(.inviteReceived(Self.link(2), Self.arrival(from: 1, 1)))
    #expect(!stage.actions.contains(.reportOffered(id)))
    stage.handle(.acceptRequested(id, Self.session))
    #expect(stage.actions.contains(.sendAccept(Self.link(2), id, Self.session)))
  }

  @Test("Of two who invite each other, the larger accepts and the smaller holds in reserve")
  func glare() {
    let ours = Self.invitation(50)
    var larger = Stage()
    larger.handle(.inviteRequested(Self.wish(to: 1, 50)))
    larger.handle(.dialOpened(ours, Self.link(1)))
    larger.handle(.inviteReceived(Self.link(2), Self.arrival(from: 1, 1)))
    let theirs = Self.inbound(1, 1)
    #expect(larger.actions.contains(.closeLink(Self.link(1), .duplicate)))
    #expect(larger.actions.contains(.sendAccept(Self.link(2), theirs, Self.session)))

    var smaller = Stage()
    smaller.handle(.inviteRequested(Self.wish(to: 30, 50)))
    smaller.handle(.dialOpened(ours, Self.link(1)))
    smaller.handle(.inviteReceived(Self.link(2), Self.arrival(from: 30, 1)))
    let reserve = Self.inbound(30, 1)
    #expect(!smaller.actions.contains(.reportOffered(reserve)))
    #expect(!smaller.actions.contains(.sendAccept(Self.link(2), reserve, Self.session)))
    smaller.handle(.linkBroken(Self.link(1)))
    #expect(smaller.actions.contains(.sendAccept(Self.link(2), reserve, Self.session)))
  }

  @Test("An invitation for another service is no answer to ours")
  func otherService() {
    var stage = Stage()
    stage.handle(.inviteRequested(Self.wish(to: 1, 50)))
    stage.handle(.inviteReceived(Self.link(2), Self.arrival(from: 1, 1, serviceType: "game")))
    #expect(stage.actions.contains(.reportOffered(Self.inbound(1, 1))))
  }

  @Test("An offer that waits for its answer is the answer when we invite its inviter")
  func offerPreferred() {
    var stage = Stage()
    let id = Self.inbound(30, 1)
    stage.handle(.inviteReceived(Self.link(1), Self.arrival(from: 30, 1)))
    stage.handle(.inviteRequested(Self.wish(to: 30, 50)))
    #expect(stage.actions.contains(.reportWithdrawn(id, .superseded)))
    #expect(stage.actions.contains(.sendAccept(Self.link(1), id, Self.session)))
    #expect(!stage.actions.contains(.dial(Self.invitation(50))))
    stage.handle(.attachedReceived(Self.link(1)))
    #expect(stage.actions.contains(.reportOutcome(Self.invitation(50), .accepted)))
    #expect(stage.desk.isEmpty)
  }

  @Test("Acceptance after the deadline is told to have come too late")
  func lateAccept() {
    var stage = Stage()
    let ours = Self.invitation(50)
    stage.handle(.inviteRequested(Self.wish(to: 1, 50)))
    stage.handle(.dialOpened(ours, Self.link(1)))
    stage.handle(.deadlineReached, after: .seconds(30))
    #expect(
      stage.actions.contains(.sendCancel(Self.link(1), ours, .timedOut))
        && stage.actions.contains(.reportOutcome(ours, .timedOut)))
    stage.handle(.acceptReceived(Self.link(1), ours, Self.session))
    #expect(stage.actions == [.closeLink(Self.link(1), .expired)])
  }

  @Test(
    "Every answer that is no has its outcome",
    arguments: [
      (DeclineReason.declined, OutboundInvitationMachine.Outcome.declined), (.busy, .busy),
      (.full, .full), (.notAdvertising, .mismatch), (.expired, .timedOut),
      (DeclineReason(rawValue: 99), .declined),
    ])
  func outcomes(reason: DeclineReason, outcome: OutboundInvitationMachine.Outcome) {
    var stage = Stage()
    let ours = Self.invitation(50)
    stage.handle(.inviteRequested(Self.wish(to: 1, 50)))
    stage.handle(.dialOpened(ours, Self.link(1)))
    stage.handle(.declineReceived(Self.link(1), ours, reason))
    #expect(stage.actions.contains(.reportOutcome(ours, outcome)))
    #expect(stage.desk.isEmpty && stage.desk.links == [])
  }

  @Test(
    "Anything at all from many peers leads to one outcome each, no link owned twice, and an empty desk",
    arguments: Seed.some(40))
  func flood(seed: Seed) {
    var random = seed.generator
    var stage = Stage()
    var outcomes: [InvitationID: Int] = [:]
    for step in 0..<400 {
      let peer = Int(random.below(40))
      guard peer != Self.middle else { continue }
      let number = Int(random.below(60))
      let link = Self.link(random.chance(.percent(60)) ? step : Int(random.below(400)))
      stage.handle(
        Self.event(peer, number, step, link, &random), after: random.duration(below: .seconds(1)))
      for case .reportOutcome(let id, _) in stage.actions { outcomes[id, default: 0] += 1 }
      #expect(Set(stage.desk.links).count == stage.desk.links.count)
    }
    stage.handle(.deadlineReached, after: .seconds(3_600))
    for case .reportOutcome(let id, _) in stage.actions { outcomes[id, default: 0] += 1 }
    stage.handle(.deadlineReached, after: .seconds(3_600))
    #expect(stage.desk.isEmpty)
    #expect(outcomes.values.allSatisfy { $0 == 1 })
  }

  private static func event(
    _ peer: Int, _ number: Int, _ step: Int, _ link: LinkToken, _ random: inout RandomStream
  ) -> Desk.Event {
    let ours = invitation(1_000 + Int(random.below(UInt64(step + 1))))
    switch random.below(14) {
    case 0, 1, 2, 3: return .inviteReceived(link, arrival(from: peer, number))
    case 4: return .inviteRequested(wish(to: peer, 1_000 + step))
    case 5: return .dialOpened(ours, link)
    case 6: return .dialFailed(ours)
    case 7: return .cancelRequested(ours)
    case 8: return .acceptReceived(link, ours, session)
    case 9: return .acceptRequested(inbound(peer, number), session)
    case 10: return .declineRequested(inbound(peer, number), .declined)
    case 11: return .attachedReceived(link)
    case 12: return .closeReceived(link, .duplicate)
    default: return .linkBroken(link)
    }
  }
}
