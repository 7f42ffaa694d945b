import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// `accepted` means that the other one is a member, however that came about, and nothing else does.
@Suite("Accepted means joined")
struct JoinedTests {
  @Test(
    "Accepting returns when the sender joins, also by an introduction after a sleep",
    arguments: [false, true], Array(stride(from: 0, to: 2_000, by: 100)))
  func introduced(annIsLarger: Bool, milliseconds: Int) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let third = try await Third(scene)
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      scene.part()
      let accepting = scene.accept(invitation, into: third.anns)
      let joining = scene.start("bob joins") {
        for await event in third.anns.events(from: .unread) {
          if case .joined(let member) = event, member.id == scene.bob.id { break }
        }
        return "joined"
      }
      try await third.join(scene.bob, session)
      try await scene.sleep(.seconds(3))
      await scene.ann.suspend()
      try await scene.sleep(.seconds(3) + .milliseconds(milliseconds))
      scene.world.heal()
      try await scene.ann.resume()
      #expect(await joining.end() == "joined")
      #expect(await accepting.end() == "accepted")
      let (joined, accepted) = (try #require(joining.duration), try #require(accepting.duration))
      #expect(joining.begun + joined == accepting.begun + accepted)
      #expect(await inviting.end() == "accepted")
      #expect(invitation.ending == .accepted)
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(third.anns, session) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test("Accepting the invitation of one who is a member already returns at once")
  func memberAlready() {
    Scene.play { scene in
      let third = try await Third(scene)
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      await scene.bob.suspend()  // What ended the invitation there does not reach Ann.
      try await scene.milliseconds(100)
      scene.part()
      let resumed = scene.now
      try await scene.bob.resume()
      try await third.join(scene.bob, session)
      try await scene.sleep(resumed + .milliseconds(1_400) - scene.now)
      scene.world.heal()
      while await scene.areMembers(third.anns, session) != [true, true] {
        try await scene.milliseconds(1)
      }
      let accepting = scene.accept(invitation, into: third.anns)
      #expect(await accepting.end() == "accepted")
      #expect(accepting.duration == .zero)
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(third.anns, session) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "Inviting returns when the peer is a member, not when it has asked to be one",
    arguments: [false, true], Array(stride(from: 0, to: 2_000, by: 50)))
  func asked(annIsLarger: Bool, milliseconds: Int) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let (third, session, inviting) = try await askEachOther(scene, after: milliseconds)
      #expect(await inviting.end() == "accepted, a member")
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(third.anns, session) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "Whenever the way breaks while two ask each other, inviting returns, and accepted means joined",
    arguments: Array(stride(from: 300, through: 700, by: 20)))
  func broken(after milliseconds: Int) {
    Scene.play { scene in
      let (_, _, inviting) = try await askEachOther(scene, after: 1_600)
      try await scene.milliseconds(milliseconds)
      scene.part()
      let end = await inviting.end()
      #expect(["accepted, a member", "unreachable", "timedOut"].contains(end))
      try await scene.sleep(.seconds(60))
    }
  }

  @Test("A membership that was there before is no answer to an invitation from another session")
  func formerMembership() {
    Scene.play { scene in
      let (first, second) = (try await scene.bob.makeSession(), try await scene.bob.makeSession())
      let own = try await scene.ann.makeSession()
      scene.invite(to: first)
      #expect(
        await scene.accept(try #require(await scene.invitation()), into: own).end() == "accepted")
      let inviting = scene.invite(to: second)
      let invitation = try #require(await scene.invitation())
      inviting.cancel()
      #expect(await inviting.end() == "cancelled")
      try await scene.milliseconds(100)
      #expect(invitation.ending == .withdrawn)
      #expect(await scene.accept(invitation, into: own).end() == "invitationEnded")
      #expect(await scene.areMembers(own, first) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  /// Ann and Bob invite each other while neither hears the other, are introduced by Cy, and hear each other again.
  private func askEachOther(
    _ scene: Scene, after milliseconds: Int
  ) async throws -> (Third, Session, Scene.Call) {
    let third = try await Third(scene)
    let session = try await scene.bob.makeSession()
    scene.invite(to: session)
    scene.keep(try #require(await scene.invitation()))
    scene.part()
    let inviting = scene.start("ann invites") {
      let outcome = try await scene.ann.invite(
        PeerTicket(peer: scene.bob.id, serviceType: "room", endpoints: []), to: third.anns)
      let isMember = await third.anns.members.contains { $0.id == scene.bob.id }
      return isMember ? "\(outcome.rawValue), a member" : outcome.rawValue
    }
    try await third.join(scene.bob, session)
    try await scene.milliseconds(milliseconds)
    scene.world.heal()
    return (third, session, inviting)
  }
}
