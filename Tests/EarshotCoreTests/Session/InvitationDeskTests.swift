import EarshotCore
import TestKit
import Testing

@Suite("Invitation desk")
struct InvitationDeskTests {
  typealias Event = InvitationDesk.Event
  typealias Action = InvitationDesk.Action

  // MARK: Bounds

  @Test("One peer has one offer, and a second one finds us busy")
  func oneOffer() {
    var desk = Desk(of: 3)
    #expect(desk.handle(invite(1, over: 1)) == [.reportOffered(id(1)), wake(20)])
    #expect(desk.handle(invite(1, second: true, over: 2)) == declined(id(1, 1), .busy, over: 2))
  }

  @Test("The ninth offer finds us busy")
  func eightOffers() {
    var desk = Desk(of: 3)
    for peer in 10..<18 {
      #expect(desk.handle(invite(peer, over: peer)).contains(.reportOffered(id(peer))))
    }
    #expect(desk.handle(invite(18, over: 18)) == declined(id(18), .busy, over: 18))
    _ = desk.handle(.declineRequested(id(10), .declined))
    #expect(desk.handle(invite(18, over: 19)).contains(.reportOffered(id(18))))
  }

  @Test("An invitation to what is not advertised is a mismatch")
  func notAdvertised() {
    var desk = Desk(of: 3)
    #expect(
      desk.handle(invite(1, over: 1, isAdvertised: false))
        == declined(id(1), .notAdvertising, over: 1))
  }

  // MARK: Memory

  @Test("An INVITE that was declined is declined again, for five minutes")
  func memory() {
    var desk = Desk(of: 3)
    _ = desk.handle(invite(1, over: 1))
    #expect(
      desk.handle(.declineRequested(id(1), .declined)) == [
        .sendDecline(link(1), id(1), .declined), .closeLink(link(1), .done), .cancelWake,
      ])
    #expect(desk.handle(invite(1, over: 2)) == declined(id(1), .declined, over: 2))
    desk.now = .zero + .seconds(301)
    #expect(desk.handle(invite(1, over: 3)).contains(.reportOffered(id(1))))
  }

  @Test("An INVITE that comes again is one offer, and is answered wherever it came")
  func again() {
    var desk = Desk(of: 3)
    _ = desk.handle(invite(1, over: 1))
    #expect(desk.handle(invite(1, over: 2)).isEmpty)
    #expect(
      desk.handle(.acceptRequested(id(1), ours)) == [
        .sendAccept(link(1), id(1), ours), .sendAccept(link(2), id(1), ours), wake(5),
      ])
    #expect(
      desk.handle(.attachedReceived(link(2))) == [
        .closeLink(link(1), .duplicate), .reportJoined(joining(1, over: 2, inbound: true)),
        .cancelWake,
      ])
    #expect(desk.desk.isEmpty)
  }

  @Test("An offer survives its link, and is answered over the next one")
  func broken() {
    var desk = Desk(of: 3)
    _ = desk.handle(invite(1, over: 1))
    #expect(desk.handle(.linkBroken(link(1))).isEmpty)
    #expect(desk.handle(.acceptRequested(id(1), ours)) == [wake(5)])
    #expect(desk.handle(invite(1, over: 2)).contains(.sendAccept(link(2), id(1), ours)))
  }

  @Test("Another peer cannot take over an invitation by its name")
  func impostor() {
    var desk = Desk(of: 3)
    _ = desk.handle(invite(1, over: 1))
    let impostor = InvitationDesk.InboundID(inviter: peer(2), invitation: id(1).invitation)
    _ = desk.handle(invite(2, named: id(1).invitation, over: 2))
    #expect(
      desk.handle(.acceptRequested(id(1), ours)).first == .sendAccept(link(1), id(1), ours))
    #expect(
      desk.handle(.acceptRequested(impostor, ours)).first
        == .sendAccept(link(2), impostor, ours))
  }

  @Test("Nobody confirms or answers an invitation on a link of another")
  func strayFrames() {
    var desk = Desk(of: 3)
    _ = desk.handle(invite(1, over: 1))
    let stray = desk.handle(.acceptReceived(link(1), InvitationID(high: 0, low: 0), theirs))
    #expect(stray.contains(.closeLink(link(1), .protocolViolation)))
    #expect(desk.handle(.cancelReceived(link(9), id(1).invitation, .cancelled)).isEmpty)
    #expect(
      desk.handle(.attachedReceived(link(9))) == [.closeLink(link(9), .protocolViolation)])
  }

  @Test("An offer that something else superseded is made again when it comes again")
  func supersededOffer() {
    var desk = Desk(of: 3)
    _ = desk.handle(invite(1, over: 1))
    let actions = desk.handle(.closeReceived(link(1), .duplicate))
    #expect(actions.contains(.reportWithdrawn(id(1), .superseded)))
    #expect(desk.handle(invite(1, over: 2)).contains(.reportOffered(id(1))))
  }

  // MARK: Outcomes

  @Test("Two invitations of one peer into one session are fulfilled by one acceptance")
  func twice() {
    var desk = Desk(of: 1)
    let second = InvitationDesk.Wish(
      invitation: InvitationID(high: 98, low: 0), peer: peer(2), session: ours,
      serviceType: "chat", timeout: .seconds(20))
    _ = desk.handle(.inviteRequested(wish(2)))
    _ = desk.handle(.inviteRequested(second))
    _ = desk.handle(.dialOpened(wish(2).invitation, link(1)))
    _ = desk.handle(.dialOpened(second.invitation, link(2)))
    let actions = desk.handle(.acceptReceived(link(1), wish(2).invitation, theirs))
    #expect(actions.contains(.closeLink(link(2), .duplicate)))
    #expect(actions.contains(.reportOutcome(second.invitation, .accepted)))
    #expect(desk.desk.isEmpty)
  }

  @Test(
    "Each answer has its outcome",
    arguments: [
      (DeclineReason.declined, OutboundInvitationMachine.Outcome.declined), (.busy, .busy),
      (.full, .full), (.notAdvertising, .mismatch), (.expired, .timedOut),
      (.stopped, .unreachable),
      (DeclineReason(rawValue: 77), .declined),
    ])
  func outcomes(reason: DeclineReason, outcome: OutboundInvitationMachine.Outcome) {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(2)))
    _ = desk.handle(.dialOpened(wish(2).invitation, link(1)))
    #expect(
      desk.handle(.declineReceived(link(1), wish(2).invitation, reason)) == [
        .closeLink(link(1), .done), .reportOutcome(wish(2).invitation, outcome), .cancelWake,
      ])
  }

  @Test("An acceptance is confirmed, and the peer is in the session")
  func accepted() {
    var desk = Desk(of: 1)
    #expect(desk.handle(.inviteRequested(wish(2))) == [.dial(wish(2).invitation), wake(20)])
    #expect(
      desk.handle(.dialOpened(wish(2).invitation, link(1))) == [
        .sendInvite(link(1), wish(2).invitation)
      ])
    #expect(
      desk.handle(.acceptReceived(link(1), wish(2).invitation, theirs)) == [
        .sendAttached(link(1), wish(2).invitation), .reportJoined(joining(2, over: 1)),
        .reportOutcome(wish(2).invitation, .accepted), .cancelWake,
      ])
  }

  @Test("A peer that cannot be dialled is unreachable after four dials")
  func unreachable() {
    var desk = Desk(of: 1)
    var actions = desk.handle(.inviteRequested(wish(2)))
    var dials = 0
    while !desk.desk.isEmpty {
      let isDialled = actions.contains(.dial(wish(2).invitation))
      if isDialled { dials += 1 } else { desk.now = desk.now + .seconds(1) }
      actions = desk.handle(isDialled ? .dialFailed(wish(2).invitation) : .deadlineReached)
    }
    #expect(dials == 4)
    #expect(actions.contains(.reportOutcome(wish(2).invitation, .unreachable)))
  }

  @Test("A peer that goes to sleep is dialled until the deadline, however often that fails")
  func sleeping() {
    var desk = Desk(of: 1)
    let id = wish(2).invitation
    _ = desk.handle(.inviteRequested(wish(2)))
    _ = desk.handle(.dialOpened(id, link(1)))
    var actions = desk.handle(.closeReceived(link(1), .suspending))
    var dials = 0
    while !desk.desk.isEmpty {
      let isDialled = actions.contains(.dial(id))
      if isDialled { dials += 1 } else { desk.now = desk.now + .seconds(1) }
      actions = desk.handle(isDialled ? .dialFailed(id) : .deadlineReached)
    }
    #expect(dials > 4 && desk.now == .zero + .seconds(20))
    #expect(actions.contains(.reportOutcome(id, .timedOut)))
  }

  @Test("Asleep, nothing is dialled, and the deadline stays what it was")
  func asleep() {
    var desk = Desk(of: 1)
    let id = wish(2).invitation
    _ = desk.handle(.inviteRequested(wish(2)))
    _ = desk.handle(.dialOpened(id, link(1)))
    #expect(desk.handle(.suspendRequested) == [.closeLink(link(1), .suspending)])
    desk.now = .zero + .seconds(10)
    #expect(desk.handle(.deadlineReached) == [wake(20)])
    #expect(desk.handle(.resumeRequested) == [.dial(id)])
    #expect(desk.handle(.suspendRequested) == [.cancelDial(id)])
    desk.now = .zero + .seconds(20)
    #expect(desk.handle(.deadlineReached) == [.reportOutcome(id, .timedOut)])
  }

  private static let inbound = id(1)

  @Test("What gave way does not dial while it is asleep")
  func asleepCounterpart() {
    var desk = Desk(of: 3)
    let id = wish(1).invitation
    _ = desk.handle(.inviteRequested(wish(1)))
    _ = desk.handle(.dialOpened(id, link(1)))
    _ = desk.handle(invite(1, over: 2))
    #expect(desk.handle(.suspendRequested).contains(.closeLink(link(2), .suspending)))
    desk.now = .zero + .seconds(19)
    #expect(!desk.handle(.dismissRequested(InvitationDeskTests.inbound)).contains(.dial(id)))
    #expect(desk.handle(.resumeRequested) == [.dial(id)])
  }

  @Test("An acceptance that is taken back ends the link, and stays so when the INVITE comes again")
  func takenBack() {
    var desk = Desk(of: 1)
    _ = desk.handle(invite(3, over: 1))
    _ = desk.handle(.acceptRequested(id(3), ours))
    #expect(
      desk.handle(.dismissRequested(id(3))) == [
        .closeLink(link(1), .done), .reportFailed(id(3), .dismissed), .cancelWake,
      ])
    #expect(desk.handle(invite(3, over: 2)) == declined(id(3), .declined, over: 2))
  }

  @Test("The deadline withdraws the invitation, and a late acceptance is told so")
  func timedOut() {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(2)))
    _ = desk.handle(.dialOpened(wish(2).invitation, link(1)))
    desk.now = .zero + .seconds(20)
    #expect(
      desk.handle(.deadlineReached) == [
        .sendCancel(link(1), wish(2).invitation, .timedOut), .closeLink(link(1), .expired),
        .reportOutcome(wish(2).invitation, .timedOut),
      ])
    #expect(
      desk.handle(.acceptReceived(link(1), wish(2).invitation, theirs)) == [
        .closeLink(link(1), .expired)
      ])
  }

  @Test("A newer version on the other side is a mismatch")
  func mismatch() {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(2)))
    #expect(
      desk.handle(.dialRefused(wish(2).invitation, .unsupportedVersion)).contains(
        .reportOutcome(wish(2).invitation, .mismatch)))
  }

  // MARK: Glare

  @Test("The larger accepts the smaller's invitation and takes its own back")
  func larger() {
    var desk = Desk(of: 3)
    _ = desk.handle(.inviteRequested(wish(1)))
    _ = desk.handle(.dialOpened(wish(1).invitation, link(1)))
    #expect(
      desk.handle(invite(1, over: 2)) == [
        .closeLink(link(1), .duplicate), .sendAccept(link(2), id(1), ours), wake(5),
      ])
    #expect(
      desk.handle(.attachedReceived(link(2))) == [
        .reportJoined(joining(1, over: 2, inbound: true)),
        .reportOutcome(wish(1).invitation, .accepted), .cancelWake,
      ])
  }

  /// A desk whose own invitation has given way to the other's.
  private func yielding() -> (desk: Desk, id: InvitationID) {
    var desk = Desk(of: 3)
    _ = desk.handle(.inviteRequested(wish(1)))
    _ = desk.handle(invite(1, over: 2))
    return (desk, wish(1).invitation)
  }

  @Test("What gave way is fulfilled when the inviter that attaches has joined, not before")
  func attaching() {
    let (yielded, id) = yielding()
    var desk = yielded
    let actions = desk.handle(.attachReceived(link(3), Self.inbound))
    #expect(actions.contains(.reportAttaching(joining(1, over: 3, inbound: true))))
    #expect(!actions.contains(.reportOutcome(id, .accepted)))
    #expect(desk.handle(.peerJoined(id)) == [.reportOutcome(id, .accepted)])
    #expect(desk.desk.isEmpty)
  }

  @Test("What gave way goes on by itself when the inviter that was to attach has not")
  func attachingFailed() {
    let (yielded, id) = yielding()
    var desk = yielded
    #expect(desk.handle(.attachingFailed(Self.inbound, ours)).isEmpty)
    _ = desk.handle(.attachReceived(link(3), Self.inbound))
    #expect(desk.handle(.attachingFailed(Self.inbound, theirs)).isEmpty)
    #expect(desk.handle(.attachingFailed(Self.inbound, ours)) == [.dial(id), wake(20)])
  }

  @Test("An acceptance is over when the inviter has joined by other means, an offer is not")
  func inviterJoined() {
    var desk = Desk(of: 3)
    _ = desk.handle(invite(1, over: 2))
    #expect(desk.handle(.inviterJoined(Self.inbound)).isEmpty)
    _ = desk.handle(.acceptRequested(Self.inbound, ours))
    #expect(
      desk.handle(.inviterJoined(Self.inbound)) == [.closeLink(link(2), .duplicate), .cancelWake])
    #expect(desk.desk.isEmpty)
  }

  @Test(
    "The smaller holds the larger's invitation in reserve, and lets it go when its own is accepted")
  func smaller() {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(3)))
    _ = desk.handle(.dialOpened(wish(3).invitation, link(1)))
    #expect(desk.handle(invite(3, over: 2)).isEmpty)
    let actions = desk.handle(.acceptReceived(link(1), wish(3).invitation, theirs))
    #expect(actions.contains(.closeLink(link(2), .duplicate)))
    #expect(actions.contains(.reportOutcome(wish(3).invitation, .accepted)))
    #expect(desk.desk.isEmpty)
  }

  @Test("The smaller takes the reserve at once when its own link breaks")
  func reserve() {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(3)))
    _ = desk.handle(.dialOpened(wish(3).invitation, link(1)))
    _ = desk.handle(invite(3, over: 2))
    let actions = desk.handle(.linkBroken(link(1)))
    #expect(actions.contains(.sendAccept(link(2), id(3), ours)))
    #expect(!actions.contains(.dial(wish(3).invitation)))
  }

  @Test("The smaller takes the reserve when the larger had declined before it changed its mind")
  func changedMind() {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(3)))
    _ = desk.handle(.dialOpened(wish(3).invitation, link(1)))
    _ = desk.handle(invite(3, over: 2))
    let actions = desk.handle(.declineReceived(link(1), wish(3).invitation, .declined))
    #expect(actions.contains(.sendAccept(link(2), id(3), ours)))
  }

  @Test("A withdrawn wish turns the reserve into an offer")
  func reserveOffered() {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(3)))
    _ = desk.handle(.dialOpened(wish(3).invitation, link(1)))
    _ = desk.handle(invite(3, over: 2))
    let actions = desk.handle(.cancelRequested(wish(3).invitation))
    #expect(actions.contains(.reportOutcome(wish(3).invitation, .cancelled)))
    #expect(actions.contains(.reportOffered(id(3))))
  }

  @Test("Whose own INVITE has not gone out accepts, also the smaller")
  func unheard() {
    var desk = Desk(of: 1)
    _ = desk.handle(.inviteRequested(wish(3)))
    #expect(
      desk.handle(invite(3, over: 2)) == [
        .cancelDial(wish(3).invitation), .sendAccept(link(2), id(3), ours), wake(5),
      ])
  }

  @Test("Inviting one whose offer is open accepts the offer")
  func offerMet() {
    var desk = Desk(of: 1)
    _ = desk.handle(invite(3, over: 2))
    #expect(
      desk.handle(.inviteRequested(wish(3))) == [
        .reportWithdrawn(id(3), .superseded), .sendAccept(link(2), id(3), ours), wake(5),
      ])
  }

  @Test("Two invitations for different services are no glare")
  func services() {
    var desk = Desk(of: 3)
    _ = desk.handle(.inviteRequested(wish(1)))
    #expect(desk.handle(invite(1, service: "other", over: 2)).contains(.reportOffered(id(1))))
  }

  @Test("A member that invites again, since it never knew, is accepted into the same session")
  func memberInvites() {
    var desk = Desk(of: 3)
    #expect(
      desk.handle(invite(1, over: 1, membership: ours)) == [
        .sendAccept(link(1), id(1), ours), wake(5),
      ])
  }
}

/// A desk with a clock.
private struct Desk {
  var desk: InvitationDesk
  var now = Instant.zero

  init(of number: Int) { desk = InvitationDesk(of: peer(number), random: RandomStream(seed: 5)) }

  mutating func handle(_ event: InvitationDesk.Event) -> [InvitationDesk.Action] {
    var actions: [InvitationDesk.Action] = []
    desk.handle(event, at: now, into: &actions)
    return actions
  }
}

private let ours = SessionID(rawValue: 1)
private let theirs = SessionID(rawValue: 2)
private let peers: [PeerID] = {
  var random = RandomStream(seed: 3)
  return (0..<32).map { _ in PeerID(random: &random) }.sorted()
}()

private func peer(_ number: Int) -> PeerID { peers[number] }

private func link(_ number: Int) -> LinkToken { LinkToken(rawValue: UInt64(number)) }

private func id(_ number: Int, _ low: UInt64 = 0) -> InvitationDesk.InboundID {
  InvitationDesk.InboundID(
    inviter: peer(number), invitation: InvitationID(high: UInt64(number), low: low))
}

private func wake(_ seconds: Int) -> InvitationDesk.Action {
  .wake(at: .zero + .seconds(seconds))
}

private func wish(_ number: Int) -> InvitationDesk.Wish {
  InvitationDesk.Wish(
    invitation: InvitationID(high: 99, low: UInt64(number)), peer: peer(number), session: ours,
    serviceType: "chat", timeout: .seconds(20))
}

private func invite(
  _ number: Int, second: Bool = false, named name: InvitationID? = nil,
  service: String = "chat", over token: Int, isAdvertised: Bool = true,
  membership: SessionID? = nil
) -> InvitationDesk.Event {
  let invite = Invite(
    invitation: name ?? id(number, second ? 1 : 0).invitation, session: theirs,
    timeoutMilliseconds: 20_000, serviceType: service, context: [])
  return .inviteReceived(
    link(token),
    InvitationDesk.Arrival(
      invite, from: peer(number), isAdvertised: isAdvertised, membership: membership))
}

private func declined(
  _ id: InvitationDesk.InboundID, _ reason: DeclineReason, over token: Int
) -> [InvitationDesk.Action] {
  [.sendDecline(link(token), id, reason), .closeLink(link(token), .done)]
}

private func joining(
  _ number: Int, over token: Int, inbound: Bool = false
) -> InvitationDesk.Joining {
  InvitationDesk.Joining(
    peer: peer(number), session: ours, remoteSession: theirs, link: link(token),
    origin: inbound ? .inbound(id(number)) : .outbound(wish(number).invitation))
}
