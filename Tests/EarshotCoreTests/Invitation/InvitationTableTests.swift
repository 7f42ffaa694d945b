import EarshotCore
import TestKit
import Testing

@Suite("Invitation table")
struct InvitationTableTests {
  typealias Event = InvitationTable.Event
  typealias Action = InvitationTable.Action

  // MARK: Bounds

  @Test("One peer has one offer, and a second one finds us busy")
  func oneOffer() {
    var table = Table(of: 3)
    #expect(table.handle(invite(1, over: 1)) == [.reportOffered(id(1)), wake(20)])
    #expect(table.handle(invite(1, second: true, over: 2)) == declined(id(1, 1), .busy, over: 2))
  }

  /// A table with eight offers, and what it says to a ninth after a while.
  private func ninth(
    after milliseconds: Int, from addresses: [IPAddress] = Array(repeating: .v4(1), count: 8)
  ) -> [Action] {
    var table = Table(of: 3)
    for (peer, address) in zip(10..<18, addresses) {
      let actions = table.handle(invite(peer, over: peer, at: address))
      #expect(actions.contains(.reportOffered(id(peer))))
      table.now = table.now + .milliseconds(1)
    }
    table.now = table.now + .milliseconds(milliseconds)
    return table.handle(invite(18, over: 18, at: .v4(99))).filter { !$0.isWake }
  }

  private func gaveWay(_ number: Int) -> [Action] {
    declined(id(number), .busy, over: number)
      + [.reportWithdrawn(id(number), .dismissed), .reportOffered(id(18))]
  }

  @Test("The ninth offer finds us busy if all others came just now")
  func eightOffers() {
    #expect(ninth(after: 200) == declined(id(18), .busy, over: 18))
  }

  @Test("The oldest of eight offers gives way to the ninth")
  func oldestOffer() {
    #expect(ninth(after: 250) == gaveWay(10))
  }

  @Test("The oldest offer of the source that has most gives way, IPv6 by its /64")
  func mostOffers() {
    let few = (1...2).map { IPAddress.v4($0) }
    let prefix = (1...3).map { IPAddress.v6(7, $0, scope: 0) }
    #expect(ninth(after: 250, from: few + few + prefix + few[..<1]) == gaveWay(10))
    #expect(ninth(after: 250, from: few + prefix + prefix) == gaveWay(12))
  }

  @Test("An acceptance has two seconds to be confirmed while others wait, five otherwise")
  func unconfirmed() {
    for (isWaitedFor, seconds) in [(false, 5), (true, 2)] {
      var table = Table(of: 3)
      _ = table.handle(invite(10, over: 10))
      if isWaitedFor { _ = table.handle(invite(11, over: 11)) }
      #expect(table.handle(.acceptRequested(id(10), ours)).contains(wake(seconds)))
      table.now = .zero + .seconds(seconds)
      let actions = table.handle(.deadlineReached)
      #expect(actions.contains(.reportFailed(id(10), .unconfirmed)))
      #expect(actions.contains(.closeLink(link(10), .expired)))
    }
  }

  @Test("An acceptance whose inviter is away is left its time, also while others wait")
  func away() {
    var table = Table(of: 3)
    _ = table.handle(invite(10, over: 10))
    _ = table.handle(invite(11, over: 11))
    _ = table.handle(.acceptRequested(id(10), ours))
    #expect(table.handle(.linkBroken(link(10))) == [wake(5)])
  }

  @Test("The acceptance that waited longest to be confirmed is the one to give its place back")
  func room() {
    var table = Table(of: 3)
    for peer in [10, 11] {
      _ = table.handle(invite(peer, over: peer))
      _ = table.handle(.acceptRequested(id(peer), ours))
      table.now = table.now + .milliseconds(200)
    }
    #expect(table.table.unconfirmed(in: ours, at: .zero + .milliseconds(249)) == nil)
    #expect(table.table.unconfirmed(in: theirs, at: table.now) == nil)
    #expect(table.table.unconfirmed(in: ours, at: table.now) == id(10))
    #expect(
      table.handle(.expiryRequested(id(10))).prefix(2) == [
        .closeLink(link(10), .expired), .reportFailed(id(10), .unconfirmed),
      ])
    table.now = table.now + .milliseconds(100)
    #expect(table.table.unconfirmed(in: ours, at: table.now) == id(11))
  }

  @Test("Those that are being accepted give way as well, before there are too many")
  func tooManyAccepted() {
    var table = Table(of: 0)
    for low in UInt64(0)..<4 { for peer in 1...16 { accept(peer, low, &table) } }
    let further = id(20).invitation
    #expect(table.handle(invite(20, named: further, over: 90)).contains { $0.isBusy })
    table.now = table.now + .milliseconds(250)
    let actions = table.handle(invite(20, named: further, over: 91))
    #expect(actions.contains(.reportFailed(id(1), .unconfirmed)))
    #expect(actions.contains(.reportOffered(id(20))))
  }

  private func accept(_ number: Int, _ low: UInt64, _ table: inout Table) {
    let invitation = id(number, low)
    _ = table.handle(
      invite(number, named: invitation.invitation, over: 100 * Int(low) + number + 200))
    _ = table.handle(.acceptRequested(invitation, ours))
  }

  @Test("An invitation to what is not advertised is a mismatch")
  func notAdvertised() {
    var table = Table(of: 3)
    #expect(
      table.handle(invite(1, over: 1, isAdvertised: false))
        == declined(id(1), .notAdvertising, over: 1))
  }

  // MARK: Memory

  @Test("An INVITE that was declined is declined again, for five minutes")
  func memory() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    #expect(
      table.handle(.declineRequested(id(1), .declined)) == [
        .sendDecline(link(1), id(1), .declined), .closeLink(link(1), .done), .cancelWake,
      ])
    #expect(table.handle(invite(1, over: 2)) == declined(id(1), .declined, over: 2))
    table.now = .zero + .seconds(301)
    #expect(table.handle(invite(1, over: 3)).contains(.reportOffered(id(1))))
  }

  @Test("An INVITE that comes again is one offer, and is answered wherever it came")
  func again() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    #expect(table.handle(invite(1, over: 2)).isEmpty)
    #expect(
      table.handle(.acceptRequested(id(1), ours)) == [
        .sendAccept(link(1), id(1), ours), .sendAccept(link(2), id(1), ours), wake(5),
      ])
    #expect(
      table.handle(.attachedReceived(link(2))) == [
        .closeLink(link(1), .duplicate), .reportJoined(joining(1, over: 2, inbound: true)),
        .cancelWake,
      ])
    #expect(table.table.isEmpty)
  }

  @Test("An offer survives its link, and is answered over the next one")
  func broken() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    #expect(table.handle(.linkBroken(link(1))).isEmpty)
    #expect(table.handle(.acceptRequested(id(1), ours)) == [wake(5)])
    #expect(table.handle(invite(1, over: 2)).contains(.sendAccept(link(2), id(1), ours)))
  }

  @Test("Another peer cannot take over an invitation by its name")
  func impostor() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    let impostor = InvitationTable.InboundID(inviter: peer(2), invitation: id(1).invitation)
    _ = table.handle(invite(2, named: id(1).invitation, over: 2))
    #expect(
      table.handle(.acceptRequested(id(1), ours)).first == .sendAccept(link(1), id(1), ours))
    #expect(
      table.handle(.acceptRequested(impostor, ours)).first
        == .sendAccept(link(2), impostor, ours))
  }

  @Test("Nobody confirms or answers an invitation on a link of another")
  func strayFrames() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    let stray = table.handle(.acceptReceived(link(1), InvitationID(high: 0, low: 0), theirs))
    #expect(stray.contains(.closeLink(link(1), .protocolViolation)))
    #expect(table.handle(.cancelReceived(link(9), id(1).invitation, .cancelled)).isEmpty)
    #expect(
      table.handle(.attachedReceived(link(9))) == [.closeLink(link(9), .protocolViolation)])
  }

  @Test("An offer that something else superseded is made again when it comes again")
  func supersededOffer() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    let actions = table.handle(.closeReceived(link(1), .duplicate))
    #expect(actions.contains(.reportWithdrawn(id(1), .superseded)))
    #expect(table.handle(invite(1, over: 2)).contains(.reportOffered(id(1))))
  }

  @Test("An acceptance that something else superseded stands until that has failed")
  func supersededAcceptance() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    _ = table.handle(.acceptRequested(id(1), ours))
    let actions = table.handle(.closeReceived(link(1), .duplicate))
    #expect(actions.contains(.reportSuperseded(id(1))))
    #expect(table.table.isSuperseded(id(1)))
    let again = table.handle(invite(1, over: 2))
    #expect(again.contains(.sendAccept(link(2), id(1), ours)))
    #expect(!again.contains(.reportOffered(id(1))))
    #expect(table.handle(.joiningFailed(id(1), ours)).isEmpty, "its inviter waits again")
    _ = table.handle(.closeReceived(link(2), .duplicate))
    _ = table.handle(.joiningFailed(id(1), ours))
    #expect(table.table.isEmpty)
    #expect(table.handle(invite(1, over: 3)).contains(.reportOffered(id(1))))
  }

  @Test("An acceptance that something else superseded has failed after five seconds")
  func supersededForLong() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 1))
    _ = table.handle(.acceptRequested(id(1), ours))
    #expect(table.handle(.closeReceived(link(1), .duplicate)).last == .reportSuperseded(id(1)))
    table.now = .zero + .milliseconds(4_999)
    #expect(table.handle(.deadlineReached) == [wake(5)])
    table.now = .zero + .seconds(5)
    #expect(table.handle(.deadlineReached) == [.reportFailed(id(1), .notJoined)])
    #expect(table.table.isEmpty)
  }

  // MARK: Outcomes

  @Test("Two invitations of one peer into one session are fulfilled by one acceptance")
  func twice() {
    var table = Table(of: 1)
    let second = InvitationTable.Wish(
      invitation: InvitationID(high: 98, low: 0), peer: peer(2), session: ours,
      serviceType: "chat", timeout: .seconds(20))
    _ = table.handle(.inviteRequested(wish(2)))
    _ = table.handle(.inviteRequested(second))
    _ = table.handle(.dialOpened(wish(2).invitation, link(1)))
    _ = table.handle(.dialOpened(second.invitation, link(2)))
    let actions = table.handle(.acceptReceived(link(1), wish(2).invitation, theirs))
    #expect(actions.contains(.closeLink(link(2), .duplicate)))
    #expect(actions.contains(.reportOutcome(second.invitation, .accepted)))
    #expect(table.table.isEmpty)
  }

  @Test(
    "Each answer has its outcome",
    arguments: [
      (DeclineReason.declined, InvitationOutcome.declined), (.busy, .busy),
      (.full, .full), (.notAdvertising, .mismatch), (.expired, .timedOut),
      (.stopped, .unreachable),
      (DeclineReason(rawValue: 77), .declined),
    ])
  func outcomes(reason: DeclineReason, outcome: InvitationOutcome) {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(2)))
    _ = table.handle(.dialOpened(wish(2).invitation, link(1)))
    #expect(
      table.handle(.declineReceived(link(1), wish(2).invitation, reason)) == [
        .closeLink(link(1), .done), .reportOutcome(wish(2).invitation, outcome), .cancelWake,
      ])
  }

  @Test("An acceptance is confirmed, and the peer is in the session")
  func accepted() {
    var table = Table(of: 1)
    #expect(table.handle(.inviteRequested(wish(2))) == [.dial(wish(2).invitation), wake(20)])
    #expect(
      table.handle(.dialOpened(wish(2).invitation, link(1))) == [
        .sendInvite(link(1), wish(2).invitation)
      ])
    #expect(
      table.handle(.acceptReceived(link(1), wish(2).invitation, theirs)) == [
        .sendAttached(link(1), wish(2).invitation), .reportJoined(joining(2, over: 1)),
        .reportOutcome(wish(2).invitation, .accepted), .cancelWake,
      ])
  }

  @Test("A peer that cannot be dialled is unreachable after four dials")
  func unreachable() {
    var table = Table(of: 1)
    var actions = table.handle(.inviteRequested(wish(2)))
    var dials = 0
    while !table.table.isEmpty {
      let isDialled = actions.contains(.dial(wish(2).invitation))
      if isDialled { dials += 1 } else { table.now = table.now + .seconds(1) }
      actions = table.handle(isDialled ? .dialFailed(wish(2).invitation) : .deadlineReached)
    }
    #expect(dials == 4)
    #expect(actions.contains(.reportOutcome(wish(2).invitation, .unreachable)))
  }

  @Test("A peer that goes to sleep is dialled until the deadline, however often that fails")
  func sleeping() {
    var table = Table(of: 1)
    let id = wish(2).invitation
    _ = table.handle(.inviteRequested(wish(2)))
    _ = table.handle(.dialOpened(id, link(1)))
    var actions = table.handle(.closeReceived(link(1), .suspending))
    var dials = 0
    while !table.table.isEmpty {
      let isDialled = actions.contains(.dial(id))
      if isDialled { dials += 1 } else { table.now = table.now + .seconds(1) }
      actions = table.handle(isDialled ? .dialFailed(id) : .deadlineReached)
    }
    #expect(dials > 4 && table.now == .zero + .seconds(20))
    #expect(actions.contains(.reportOutcome(id, .timedOut)))
  }

  @Test("Asleep, nothing is dialled, and the deadline stays what it was")
  func asleep() {
    var table = Table(of: 1)
    let id = wish(2).invitation
    _ = table.handle(.inviteRequested(wish(2)))
    _ = table.handle(.dialOpened(id, link(1)))
    #expect(table.handle(.suspendRequested) == [.closeLink(link(1), .suspending)])
    table.now = .zero + .seconds(10)
    #expect(table.handle(.deadlineReached) == [wake(20)])
    #expect(table.handle(.resumeRequested) == [.dial(id)])
    #expect(table.handle(.suspendRequested) == [.cancelDial(id)])
    table.now = .zero + .seconds(20)
    #expect(table.handle(.deadlineReached) == [.reportOutcome(id, .timedOut)])
  }

  private static let inbound = id(1)

  @Test("What gave way does not dial while it is asleep")
  func asleepCounterpart() {
    var table = Table(of: 3)
    let id = wish(1).invitation
    _ = table.handle(.inviteRequested(wish(1)))
    _ = table.handle(.dialOpened(id, link(1)))
    _ = table.handle(invite(1, over: 2))
    #expect(table.handle(.suspendRequested).contains(.closeLink(link(2), .suspending)))
    table.now = .zero + .seconds(19)
    #expect(!table.handle(.dismissRequested(InvitationTableTests.inbound)).contains(.dial(id)))
    #expect(table.handle(.resumeRequested) == [.dial(id)])
  }

  @Test("An acceptance that is taken back ends the link, and stays so when the INVITE comes again")
  func takenBack() {
    var table = Table(of: 1)
    _ = table.handle(invite(3, over: 1))
    _ = table.handle(.acceptRequested(id(3), ours))
    #expect(
      table.handle(.dismissRequested(id(3))) == [
        .closeLink(link(1), .takenBack), .reportFailed(id(3), .dismissed), .cancelWake,
      ])
    #expect(table.handle(invite(3, over: 2)) == declined(id(3), .declined, over: 2))
  }

  @Test("The deadline withdraws the invitation, and a late acceptance is told so")
  func timedOut() {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(2)))
    _ = table.handle(.dialOpened(wish(2).invitation, link(1)))
    table.now = .zero + .seconds(20)
    #expect(
      table.handle(.deadlineReached) == [
        .sendCancel(link(1), wish(2).invitation, .timedOut), .closeLink(link(1), .expired),
        .reportOutcome(wish(2).invitation, .timedOut),
      ])
    #expect(
      table.handle(.acceptReceived(link(1), wish(2).invitation, theirs)) == [
        .closeLink(link(1), .expired)
      ])
  }

  @Test("A newer version on the other side is a mismatch")
  func mismatch() {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(2)))
    #expect(
      table.handle(.dialRefused(wish(2).invitation, .unsupportedVersion)).contains(
        .reportOutcome(wish(2).invitation, .mismatch)))
  }

  // MARK: Glare

  @Test("The larger accepts the smaller's invitation and takes its own back")
  func larger() {
    var table = Table(of: 3)
    _ = table.handle(.inviteRequested(wish(1)))
    _ = table.handle(.dialOpened(wish(1).invitation, link(1)))
    #expect(
      table.handle(invite(1, over: 2)) == [
        .closeLink(link(1), .duplicate), .sendAccept(link(2), id(1), ours), wake(5),
      ])
    #expect(
      table.handle(.attachedReceived(link(2))) == [
        .reportJoined(joining(1, over: 2, inbound: true)),
        .reportOutcome(wish(1).invitation, .accepted), .cancelWake,
      ])
  }

  /// A table whose own invitation has given way to the other's.
  private func yielding() -> (table: Table, id: InvitationID) {
    var table = Table(of: 3)
    _ = table.handle(.inviteRequested(wish(1)))
    _ = table.handle(invite(1, over: 2))
    return (table, wish(1).invitation)
  }

  @Test("What gave way is fulfilled when the inviter that attaches has joined, not before")
  func attaching() {
    let (yielded, id) = yielding()
    var table = yielded
    let actions = table.handle(.attachReceived(link(3), Self.inbound))
    #expect(actions.contains(.reportAttaching(joining(1, over: 3, inbound: true))))
    #expect(!actions.contains(.reportOutcome(id, .accepted)))
    #expect(table.handle(.peerJoined(id)) == [.reportOutcome(id, .accepted)])
    #expect(!table.table.isEmpty)
    #expect(table.handle(.inviterJoined(Self.inbound)) == [.cancelWake])
    #expect(table.table.isEmpty)
  }

  @Test("An inviter that attaches and is no member five seconds later has failed")
  func attachingForLong() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 2))
    _ = table.handle(.acceptRequested(Self.inbound, ours))
    _ = table.handle(.attachReceived(link(3), Self.inbound))
    #expect(table.table.isAttaching(Self.inbound))
    table.now = .zero + .seconds(5)
    #expect(table.handle(.deadlineReached) == [.reportFailed(Self.inbound, .notJoined)])
    #expect(table.table.isEmpty)
  }

  @Test("What attaches in place of an invitation is not wanted once that has ended")
  func attachingTakenBack() {
    for event in [Event.cancelRequested(wish(1).invitation), .deadlineReached] {
      var (table, id) = yielding()
      table.now = .zero + .seconds(18)
      _ = table.handle(.attachReceived(link(3), Self.inbound))
      table.now = .zero + .seconds(20)
      let actions = table.handle(event)
      #expect(actions.contains(.reportTakenBack(Self.inbound)))
      #expect(actions.contains { if case .reportOutcome(id, _) = $0 { true } else { false } })
      #expect(table.handle(.joiningFailed(Self.inbound, ours)) == [.cancelWake])
      #expect(table.table.isEmpty)
    }
  }

  @Test("What gave way goes on by itself when the inviter that was to attach has not")
  func joiningFailed() {
    let (yielded, id) = yielding()
    var table = yielded
    #expect(table.handle(.joiningFailed(Self.inbound, ours)).isEmpty)
    _ = table.handle(.attachReceived(link(3), Self.inbound))
    #expect(table.handle(.joiningFailed(Self.inbound, theirs)) == [wake(20)])
    #expect(table.handle(.joiningFailed(Self.inbound, ours)) == [.dial(id)])
  }

  @Test("An acceptance is over when the inviter has joined by other means, an offer is not")
  func inviterJoined() {
    var table = Table(of: 3)
    _ = table.handle(invite(1, over: 2))
    #expect(table.handle(.inviterJoined(Self.inbound)).isEmpty)
    _ = table.handle(.acceptRequested(Self.inbound, ours))
    #expect(
      table.handle(.inviterJoined(Self.inbound)) == [.closeLink(link(2), .duplicate), .cancelWake])
    #expect(table.table.isEmpty)
  }

  @Test(
    "The smaller holds the larger's invitation in reserve, and lets it go when its own is accepted")
  func smaller() {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(3)))
    _ = table.handle(.dialOpened(wish(3).invitation, link(1)))
    #expect(table.handle(invite(3, over: 2)).isEmpty)
    let actions = table.handle(.acceptReceived(link(1), wish(3).invitation, theirs))
    #expect(actions.contains(.closeLink(link(2), .duplicate)))
    #expect(actions.contains(.reportOutcome(wish(3).invitation, .accepted)))
    #expect(table.table.isEmpty)
  }

  @Test("The smaller takes the reserve at once when its own link breaks")
  func reserve() {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(3)))
    _ = table.handle(.dialOpened(wish(3).invitation, link(1)))
    _ = table.handle(invite(3, over: 2))
    let actions = table.handle(.linkBroken(link(1)))
    #expect(actions.contains(.sendAccept(link(2), id(3), ours)))
    #expect(!actions.contains(.dial(wish(3).invitation)))
  }

  @Test("The smaller takes the reserve when the larger had declined before it changed its mind")
  func changedMind() {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(3)))
    _ = table.handle(.dialOpened(wish(3).invitation, link(1)))
    _ = table.handle(invite(3, over: 2))
    let actions = table.handle(.declineReceived(link(1), wish(3).invitation, .declined))
    #expect(actions.contains(.sendAccept(link(2), id(3), ours)))
  }

  @Test("A withdrawn wish turns the reserve into an offer")
  func reserveOffered() {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(3)))
    _ = table.handle(.dialOpened(wish(3).invitation, link(1)))
    _ = table.handle(invite(3, over: 2))
    let actions = table.handle(.cancelRequested(wish(3).invitation))
    #expect(actions.contains(.reportOutcome(wish(3).invitation, .cancelled)))
    #expect(actions.contains(.reportOffered(id(3))))
  }

  @Test("Whose own INVITE has not gone out accepts, also the smaller")
  func unheard() {
    var table = Table(of: 1)
    _ = table.handle(.inviteRequested(wish(3)))
    #expect(
      table.handle(invite(3, over: 2)) == [
        .cancelDial(wish(3).invitation), .sendAccept(link(2), id(3), ours), wake(5),
      ])
  }

  @Test("Inviting one whose offer is open accepts the offer")
  func offerMet() {
    var table = Table(of: 1)
    _ = table.handle(invite(3, over: 2))
    #expect(
      table.handle(.inviteRequested(wish(3))) == [
        .reportWithdrawn(id(3), .superseded), .sendAccept(link(2), id(3), ours), wake(5),
      ])
  }

  @Test("A withdrawn wish takes back what was accepted by it, not what the application has")
  func acceptedByApplication() {
    for isAccepted in [true, false] {
      var table = Table(of: 1)
      _ = table.handle(invite(3, over: 2))
      if isAccepted { _ = table.handle(.acceptRequested(id(3), ours)) }
      _ = table.handle(.inviteRequested(wish(3)))
      let actions = table.handle(.cancelRequested(wish(3).invitation))
      #expect(actions.contains(.reportOutcome(wish(3).invitation, .cancelled)))
      #expect(actions.contains(.closeLink(link(2), .takenBack)) == !isAccepted)
    }
  }

  @Test("Two invitations for different services are no glare")
  func services() {
    var table = Table(of: 3)
    _ = table.handle(.inviteRequested(wish(1)))
    #expect(table.handle(invite(1, service: "other", over: 2)).contains(.reportOffered(id(1))))
  }

  @Test("Two invitations are no glare when either comes from one of several sessions")
  func severalSessions() {
    for (local, isOfSeveral) in [(1, [true, false]), (3, [false, true]), (1, [true, true])] {
      let (own, theirs) = (wish(4 - local, isOfSeveral: isOfSeveral[0]), id(4 - local))
      var table = Table(of: local)
      _ = table.handle(.inviteRequested(own))
      let received = invite(4 - local, isOfSeveral: isOfSeveral[1], over: 2)
      #expect(table.handle(received).contains(.reportOffered(theirs)))
      var other = Table(of: local)
      _ = other.handle(received)
      #expect(other.handle(.inviteRequested(own)).contains(.dial(own.invitation)))
      let answer = other.handle(.acceptRequested(theirs, ours))
      #expect(answer.contains(.sendAccept(link(2), theirs, ours)))
    }
  }

  @Test("Of two acceptances that meet, the smaller confirms the one that it receives")
  func acceptancesMeet() {
    for (local, remote) in [(1, 3), (3, 1)] {
      var table = Table(of: local)
      _ = table.handle(.inviteRequested(wish(remote)))
      _ = table.handle(.dialOpened(wish(remote).invitation, link(1)))
      _ = table.handle(invite(remote, service: "other", over: 2))
      _ = table.handle(.acceptRequested(id(remote), ours))
      let session = InvitationTable.Event.acceptReceived(link(1), wish(remote).invitation, theirs)
      let actions = table.handle(session)
      let isSmaller = local < remote
      #expect(actions.contains(.sendAttached(link(1), wish(remote).invitation)) == isSmaller)
      #expect(actions.contains(.closeLink(link(1), .duplicate)) == !isSmaller)
      guard !isSmaller else { continue }
      let confirmed = table.handle(.attachedReceived(link(2)))
      #expect(confirmed.contains(.reportOutcome(wish(remote).invitation, .accepted)))
      #expect(table.table.isEmpty)
    }
  }

  @Test("Acceptances for other sessions do not meet")
  func acceptancesMiss() {
    for (accepted, remote) in [(theirs, theirs), (ours, ours)] {
      var table = Table(of: 3)
      _ = table.handle(.inviteRequested(wish(1)))
      _ = table.handle(.dialOpened(wish(1).invitation, link(1)))
      _ = table.handle(invite(1, service: "other", over: 2))
      _ = table.handle(.acceptRequested(id(1), accepted))
      let actions = table.handle(.acceptReceived(link(1), wish(1).invitation, remote))
      #expect(actions.contains(.sendAttached(link(1), wish(1).invitation)))
    }
  }

  @Test("A member that invites again, since it never knew, is accepted into the same session")
  func memberInvites() {
    var table = Table(of: 3)
    #expect(
      table.handle(invite(1, over: 1, membership: ours)) == [
        .sendAccept(link(1), id(1), ours), wake(5),
      ])
  }
}

extension InvitationTable.Action {
  fileprivate var isWake: Bool { if case .wake = self { true } else { false } }
  fileprivate var isBusy: Bool { if case .sendDecline(_, _, .busy) = self { true } else { false } }
}

/// A table with a clock.
private struct Table {
  var table: InvitationTable
  var now = Instant.zero

  init(of number: Int) { table = InvitationTable(of: peer(number), random: RandomStream(seed: 5)) }

  mutating func handle(_ event: InvitationTable.Event) -> [InvitationTable.Action] {
    var actions: [InvitationTable.Action] = []
    table.handle(event, at: now, into: &actions)
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

private func id(_ number: Int, _ low: UInt64 = 0) -> InvitationTable.InboundID {
  InvitationTable.InboundID(
    inviter: peer(number), invitation: InvitationID(high: UInt64(number), low: low))
}

private func wake(_ seconds: Int) -> InvitationTable.Action {
  .wake(at: .zero + .seconds(seconds))
}

private func wish(_ number: Int, isOfSeveral: Bool = false) -> InvitationTable.Wish {
  InvitationTable.Wish(
    invitation: InvitationID(high: 99, low: UInt64(number)), peer: peer(number), session: ours,
    serviceType: "chat", timeout: .seconds(20), isOfSeveral: isOfSeveral)
}

private func invite(
  _ number: Int, second: Bool = false, named name: InvitationID? = nil,
  service: String = "chat", isOfSeveral: Bool = false, over token: Int, isAdvertised: Bool = true,
  membership: SessionID? = nil, at address: IPAddress = .v4(1)
) -> InvitationTable.Event {
  let invite = Invite(
    invitation: name ?? id(number, second ? 1 : 0).invitation, session: theirs,
    timeoutMilliseconds: 20_000, isOfSeveral: isOfSeveral, serviceType: service, context: [])
  return .inviteReceived(
    link(token),
    InvitationTable.ReceivedInvite(
      invite, from: peer(number), at: address, isAdvertised: isAdvertised, membership: membership))
}

private func declined(
  _ id: InvitationTable.InboundID, _ reason: DeclineReason, over token: Int
) -> [InvitationTable.Action] {
  [.sendDecline(link(token), id, reason), .closeLink(link(token), .done)]
}

private func joining(
  _ number: Int, over token: Int, inbound: Bool = false
) -> InvitationTable.Joining {
  InvitationTable.Joining(
    peer: peer(number), session: ours, remoteSession: theirs, link: link(token),
    origin: inbound ? .inbound(id(number)) : .outbound(wish(number).invitation))
}
