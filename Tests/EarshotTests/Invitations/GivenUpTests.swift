import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import Testing

/// Memberships that one side has given up, or was to give up, while the other side counts them.
@Suite("Memberships that one side has given up")
struct GivenUpTests {
  private static let impatient = Session.Configuration(patience: .seconds(1))
  private static let patient = Session.Configuration(patience: .seconds(600))

  @Test(
    "The invitation of a session that counts as a member is accepted without the program",
    arguments: [false, true])
  func invited(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let own = try await scene.ann.makeSession(Self.patient)
      let bobs = try await scene.bob.makeSession(Self.impatient)
      scene.invite(to: bobs)
      try await #require(await scene.invitation()).accept(into: own)
      let ticket = try await scene.ann.ticket(for: "room")
      let offer = scene.start("an offer") {
        await scene.advertiser.invitations.first { _ in true } == nil ? "none" : "offered"
      }
      try await scene.giveUp(bobs)
      #expect(await scene.areMembers(own, bobs) == [true, false])
      let inviting = scene.start("bob invites") {
        try await scene.bob.invite(ticket, to: bobs, within: .seconds(5)).rawValue
      }
      #expect(await inviting.end() == "accepted")
      #expect(inviting.duration! < .seconds(1))
      try await scene.sleep(.seconds(10))
      offer.cancel()
      #expect(await offer.end() == "none")
      #expect(await scene.areMembers(own, bobs) == [true, true])
      await scene.expectNothingLeft()
      await own.stop()
      let lost = Told.left(scene.bob.id, .lost, undelivered: 0)
      #expect(await own.events(from: .unread).contains { $0.told == lost })
    }
  }

  @Test(
    "A session that has given up a membership attaches anew, although the other side is patient",
    arguments: [false, true])
  func introduced(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let third = try await Third(scene, Self.patient)
      let bobs = try await scene.bob.makeSession(Self.impatient)
      try await third.join(scene.bob, bobs)
      try await scene.join(third.anns, bobs, within: .seconds(10))
      try await scene.giveUp(bobs)
      #expect(await scene.areMembers(third.anns, bobs) == [true, false])
      try await scene.join(third.anns, bobs, within: .seconds(5))
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(third.anns, bobs) == [true, true])
      await scene.expectNothingLeft()
      await third.anns.stop()
      let lost = Told.left(scene.bob.id, .lost, undelivered: 0)
      #expect(await third.anns.events(from: .unread).contains { $0.told == lost })
    } afterwards: {
      #expect($0.count(.supersedingAttach) == 1)
    }
  }

  @Test(
    "A peer that is asked to join stays if it agrees, although its introducer takes it back",
    arguments: [false, true])
  func retracted(annIsLarger: Bool) {
    let count = Mutex(0)  // How often Bob has joined although Cy had removed him before.
    for number in 0..<60 {
      Scene.play(annIsLarger: annIsLarger) { scene in
        let third = try await Third(scene)
        let bobs = try await scene.bob.makeSession()
        try await third.join(scene.bob, bobs)
        try await scene.milliseconds(5 * number)
        await third.cys.remove(scene.bob.id)
        try await scene.sleep(.seconds(20))
        let isMember = await scene.areMembers(third.anns, bobs)
        #expect(Set(isMember).count == 1, "after \(5 * number) ms")
        await scene.expectNothingLeft()
        await bobs.stop()
        var events: [Told] = []
        for await event in bobs.events(from: .unread) { events.append(event.told) }
        #expect(!events.contains(.left(scene.ann.id, .lost, undelivered: 0)))
        let ann = Told.joined(scene.ann.id)
        let removal = Told.left(third.cy.id, .removed, undelivered: 0)
        guard let joined = events.firstIndex(of: ann) else { return }
        if joined > (try #require(events.firstIndex(of: removal))) { count.withLock { $0 += 1 } }
      }
    }
    #expect(count.withLock { $0 } > 0)
  }
}

extension Scene {
  /// Cuts Ann and Bob off until Bob's session has given Ann up; afterwards only Bob can dial.
  fileprivate func giveUp(_ bobs: Session) async throws {
    part()
    let id = ann.id
    _ = await bobs.events(from: .unread).first {
      if case .left(id, .lost, _) = $0.told { true } else { false }
    }
    world.heal()
    try await keepAnnFromDialling()
  }

  /// Waits until two sessions are members of each other.
  fileprivate func join(_ anns: Session, _ bobs: Session, within limit: Duration) async throws {
    let deadline = now + limit
    while await areMembers(anns, bobs) != [true, true] {
      try #require(now < deadline, "they are not members of each other")
      try await milliseconds(1)
    }
  }
}
