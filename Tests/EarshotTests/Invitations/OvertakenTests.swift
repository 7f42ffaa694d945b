import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import Testing

/// Acceptances whose result another event decides; `accept` returns at the instant of that event.
@Suite("Acceptances that other events decide")
struct OvertakenTests {
  @Test("Accepting ends at once when the inviter is removed before it has joined")
  func removed() {
    Attaching.sweep { scene, attaching in
      let call = attaching.call
      let instant = scene.now
      await attaching.anns.remove(scene.bob.id)
      #expect(await call.end() == "invitationEnded")
      #expect(scene.now == instant)
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(attaching.anns, attaching.bobs) == [false, false])
      await scene.expectNothingLeft()
    }
  }

  @Test("An inviter does not join once accepting was cancelled, although it attaches already")
  func cancelled() {
    Attaching.sweep { scene, attaching in
      attaching.call.cancel()
      #expect(await attaching.call.end() == "cancelled")
      #expect(attaching.invitation.ending == .declined)
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(attaching.anns, attaching.bobs) == [false, false])
      await scene.expectNothingLeft()
    }
  }

  @Test("Accepting ends at once when the invitation gives way after another session has joined")
  func joinedBefore() {
    Crossing.sweep { scene, crossing, delay in
      #expect(await crossing.joinOther().end() == "accepted")
      let inviting = crossing.cross()
      try await scene.milliseconds(delay)
      let accepting = scene.accept(crossing.invitation, into: crossing.own)
      #expect(await accepting.end() == "accepted", "after \(delay) ms")
      #expect(accepting.duration! <= .milliseconds(40), "after \(delay) ms")
      #expect(await inviting.end() == "accepted")
      try await scene.sleep(.seconds(10))
      await scene.expectNothingLeft()
    }
  }

  @Test("Accepting ends at once when another session joins after the invitation has given way")
  func joinedAfterwards() {
    Crossing.sweep { scene, crossing, delay in
      let inviting = crossing.cross()
      try await scene.milliseconds(delay)
      let accepting = scene.accept(crossing.invitation, into: crossing.own)
      #expect(await inviting.end() == "accepted")
      while scene.world.count(.crossedInvitations) == 0, accepting.result == nil {
        try await scene.milliseconds(1)
      }
      guard accepting.result == nil else { return }
      #expect(await crossing.joinOther().end() == "accepted")
      let joined = scene.now
      #expect(await accepting.end() == "accepted", "after \(delay) ms")
      #expect(scene.now == joined, "after \(delay) ms")
      #expect(crossing.invitation.ending == .accepted)
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(crossing.own, crossing.others[1]) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test("Inviting ends soon when the acceptance names a membership that was given up meanwhile")
  func outlived() {
    var count = 0
    for number in 0..<60 {
      Scene.play(annIsLarger: number % 2 == 0) { scene in
        let replying = try await Replying(scene)
        let own = try await scene.makeSessions()
        let bobInvites = scene.invite(to: own[1])
        let invitation = try #require(await scene.invitation())
        let annInvites = replying.annInvites(from: own[0])
        let bobs = try #require(await replying.invitation())
        let bobAccepts = scene.start("bob accepts") {
          try await bobs.accept(into: own[1])
          return "accepted"
        }
        try await scene.milliseconds(number)
        bobAccepts.cancel()
        #expect(await annInvites.end() == "accepted")
        // Ann does not know yet that Bob has taken his acceptance back.
        #expect(await scene.accept(invitation, into: own[0]).end() == "accepted")
        #expect(await bobInvites.end() == "accepted", "after \(number) ms")
        #expect(bobInvites.duration! < .seconds(2), "after \(number) ms")
        try await scene.sleep(.seconds(10))
        #expect(await scene.areMembers(own[0], own[1]) == [true, true], "after \(number) ms")
        await scene.expectNothingLeft()
      } afterwards: {
        count += $0.count(.acceptanceOutlived)
      }
    }
    #expect(count > 0)
  }

  @Test(
    "Accepting returns when the inviter attaches in place of a membership that is proposed to it",
    arguments: [false, true])
  func proposed(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let third = try await Third(scene)
      let bobs = try await scene.bob.makeSession()
      scene.invite(to: bobs)
      let invitation = try #require(await scene.invitation())
      let accepting = scene.accept(invitation, into: third.anns)
      try await scene.loseConfirmation()
      try await third.join(scene.bob, bobs)  // Cy introduces Bob to Ann.
      try await scene.milliseconds(500)
      #expect(await scene.areMembers(third.anns, bobs) == [false, true])
      let count = scene.world.count(.replacedMembership)
      try await scene.moveBob()
      #expect(await accepting.end() == "accepted")
      #expect(await scene.areMembers(third.anns, bobs) == [true, true])
      #expect(scene.world.count(.replacedMembership) == count + 1)
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(third.anns, bobs) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "An inviter that attaches with another session has left the first one",
    arguments: [false, true])
  func restarted(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let own = try await scene.ann.makeSession()
      let bobs = [try await scene.bob.makeSession(), try await scene.bob.makeSession()]
      scene.invite(to: bobs[0])
      try await #require(await scene.invitation()).accept(into: own)
      scene.invite(to: bobs[1])
      let invitation = try #require(await scene.invitation())
      let accepting = scene.accept(invitation, into: own)
      try await scene.loseConfirmation()
      try await scene.moveBob()
      #expect(await accepting.end() == "accepted")
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(own, bobs[1]) == [true, true])
      #expect(await bobs[0].members == [])
      await scene.expectNothingLeft()
      await own.stop()
      let restarted = Told.left(scene.bob.id, .restarted, undelivered: 0)
      #expect(await own.events(from: .unread).contains { $0.told == restarted })
    }
  }

  @Test("Accepting the invitation of a member returns at once, again and again")
  func attachedAgain() {
    let count = Mutex(0)  // How often Ann has joined, and Bob does not know it.
    for number in 0..<60 {
      Scene.play(annIsLarger: number % 2 == 0) { scene in
        let third = try await Third(scene)
        let bobs = try await scene.bob.makeSession()
        scene.invite(to: bobs)
        let invitation = try #require(await scene.invitation())
        scene.part()
        try await third.join(scene.bob, bobs)
        scene.world.heal()
        try await scene.milliseconds(5 * number)
        scene.world.cut(scene.hosts[0], to: scene.hosts[1])
        try await scene.milliseconds(50)
        guard await scene.areMembers(third.anns, bobs) == [true, false] else { return }
        count.withLock { $0 += 1 }
        let first = scene.accept(invitation, into: third.anns)
        #expect(await first.end() == "accepted")
        #expect(first.duration == .zero)
        let second = scene.accept(invitation, into: third.anns)
        #expect(await second.end() == "accepted", "after \(5 * number) ms")
        #expect(second.duration == .zero)
        try await scene.moveBob()
        while await scene.areMembers(third.anns, bobs) != [true, true] {
          try await scene.milliseconds(1)
        }
        try await scene.sleep(.seconds(10))
        #expect(await scene.areMembers(third.anns, bobs) == [true, true])
        await scene.expectNothingLeft()
      }
    }
    #expect(count.withLock { $0 } > 0)
  }
}

/// An acceptance of Ann's, and its inviter attaches: its request waits, since Ann has asked it, too.
private struct Attaching: Sendable {
  let anns: Session
  let bobs: Session
  let invitation: Invitation
  let call: Scene.Call

  /// Runs a script in each of many scenes in which the request waits; there is at least one.
  static func sweep(_ script: @escaping @Sendable (Scene, Attaching) async throws -> Void) {
    let count = Mutex(0)
    for number in 0..<40 {
      Scene.play(annIsLarger: true) { scene in
        let attaching = try await Attaching(scene, after: 50 * number)
        guard attaching.call.result == nil else { return }
        count.withLock { $0 += 1 }
        try await script(scene, attaching)
      }
    }
    #expect(count.withLock { $0 } > 0)
  }

  private init(_ scene: Scene, after milliseconds: Int) async throws {
    let third = try await Third(scene)
    (anns, bobs) = (third.anns, try await scene.bob.makeSession())
    scene.invite(to: bobs)
    invitation = try #require(await scene.invitation())
    scene.part()
    call = scene.accept(invitation, into: anns)
    try await third.join(scene.bob, bobs)
    try await scene.sleep(.seconds(3))
    await scene.ann.suspend()
    try await scene.sleep(.seconds(3) + .milliseconds(milliseconds))
    scene.world.heal()
    try await scene.ann.resume()
    while scene.world.count(.attachExpectedTwice) == 0, call.result == nil {
      try await scene.milliseconds(1)
    }
  }
}

/// An invitation of Bob's, which Ann may accept while an invitation of hers is under way.
private struct Crossing: Sendable {
  private let replying: Replying
  let own: Session  // Ann's.
  private let bobs: Session  // To which Bob invites her.
  let others: [Session]  // Ann's and Bob's.
  let invitation: Invitation

  /// Runs a script in each of many scenes, with a growing delay in milliseconds.
  ///
  /// In at least one of them an acceptance is superseded.
  static func sweep(
    _ script: @escaping @Sendable (Scene, Crossing, _ delay: Int) async throws -> Void
  ) {
    var count = 0
    for number in 0..<60 {
      Scene.play(annIsLarger: number % 2 == 0) { scene in
        try await script(scene, Crossing(scene), 5 * number)
      } afterwards: {
        count += $0.count(.crossedInvitations)
      }
    }
    #expect(count > 0)
  }

  /// Ann's session gets another one of Bob's as a member.
  func joinOther() -> Scene.Call { replying.invite(from: own, into: others[1]) }

  /// Ann invites Bob into the session to which he invites her, from another one of hers.
  func cross() -> Scene.Call { replying.invite(from: others[0], into: bobs) }

  private init(_ scene: Scene) async throws {
    replying = try await Replying(scene)
    (own, bobs) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
    others = try await scene.makeSessions()
    scene.invite(to: bobs)
    invitation = try #require(await scene.invitation())
  }
}

/// Ann and Bob have several sessions each, and Ann invites Bob, too.
private final class Replying: Sendable {
  private let ticket: PeerTicket
  private let scene: Scene
  private let advertiser: Advertiser

  init(_ scene: Scene) async throws {
    self.scene = scene
    advertiser = try await scene.bob.advertise("room")
    ticket = try await scene.bob.ticket(for: "room")
    for peer in [scene.ann, scene.bob] { scene.keep(try await peer.makeSession()) }
  }

  /// The next invitation of Bob's.
  func invitation() async -> Invitation? { await advertiser.invitations.first { _ in true } }

  func annInvites(from session: Session) -> Scene.Call {
    scene.start("ann invites") { [scene, ticket] in
      try await scene.ann.invite(ticket, to: session).rawValue
    }
  }

  /// Ann invites Bob, who accepts at once.
  func invite(from session: Session, into bobs: Session) -> Scene.Call {
    scene.start("bob accepts") { [self] in
      try await #require(await invitation()).accept(into: bobs)
      return "accepted"
    }
    return annInvites(from: session)
  }
}

extension Scene {
  /// Cuts Ann and Bob off from each other when ACCEPT is on its way: ATTACHED does not reach Ann.
  ///
  /// Since Ann has slept, her acceptance stands until the deadline of the invitation.
  fileprivate func loseConfirmation() async throws {
    world.cut(hosts[1], to: hosts[0])
    try await milliseconds(25)
    world.cut(hosts[0], to: hosts[1])
    await ann.suspend()
    try await ann.resume()
  }

  /// Heals the network, and gives Bob another address; only Bob can dial from now on.
  fileprivate func moveBob() async throws {
    world.heal()
    try await keepAnnFromDialling()
    world.inject(.hosts(["bob"], .readdress))
  }
}
