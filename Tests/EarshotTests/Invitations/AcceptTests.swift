import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// What becomes of `accept` when something else happens beside it.
@Suite("Accepting")
struct AcceptTests {
  @Test("Accepting ends when its session is left meanwhile, and so does the inviter's membership")
  func sessionEnds() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let own = try await scene.ann.makeSession()
      let accepting = scene.accept(invitation, into: own)
      try await scene.milliseconds(10)  // ACCEPT is on its way.
      await own.stop()
      #expect(await accepting.end() == "sessionEnded")
      #expect(invitation.ending == .declined)
      try await scene.sleep(.seconds(2))
      #expect(inviting.result == "accepted")  // It was, for a moment.
      #expect(await session.members.isEmpty)
      await scene.expectNothingLeft()
    }
  }

  @Test("Accepting ends when its peer is stopped meanwhile", arguments: [false, true])
  func peerStops(isCut: Bool) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession(Session.Configuration(patience: .seconds(8)))
      scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let accepting = scene.accept(invitation)
      try await scene.milliseconds(10)
      if isCut { scene.cut() }
      await scene.ann.stop()
      #expect(await accepting.end() == "stopped")
      #expect(invitation.ending != nil)
      scene.world.heal()
      try await scene.sleep(.seconds(30))
      #expect(await session.members.isEmpty)
      await scene.expectNothingLeft()
    }
  }

  @Test("The first of two answers counts", arguments: [0, 1, 10, 30, 200])
  func declinedBeside(after milliseconds: Int) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let accepting = scene.accept(invitation)
      try await scene.milliseconds(milliseconds)
      await invitation.decline()
      let end = await accepting.end()
      try await scene.sleep(.seconds(1))
      #expect(end == "accepted" && inviting.result == "accepted")
      #expect(await session.members.count == 1)
      await scene.expectNothingLeft()
    }
  }

  @Test("Who declined cannot accept any more")
  func acceptAfterDecline() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      await invitation.decline()
      #expect(await scene.accept(invitation).end() == "invitationEnded")
      #expect(await inviting.end() == "declined")
      #expect(invitation.ending == .declined)
      await scene.expectNothingLeft()
    }
  }

  @Test("Cancelling accept takes it back at any instant", arguments: [0, 5, 15, 25, 35, 45])
  func cancelled(after milliseconds: Int) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let own = try await scene.ann.makeSession()
      let accepting = scene.accept(invitation, into: own)
      if milliseconds > 0 { try await scene.milliseconds(milliseconds) }
      accepting.cancel()
      let end = await accepting.end()
      #expect(end == (milliseconds < 40 ? "cancelled" : "accepted"))
      try await scene.sleep(.seconds(2))
      let areMembers = await scene.areMembers(own, session)
      #expect(areMembers == [end == "accepted", end == "accepted"])
      if milliseconds == 0 { #expect(inviting.result == nil && invitation.ending == nil) }
      await own.stop()
      await invitation.decline()
      await scene.ann.stop()
      _ = await inviting.end()
      await scene.expectNothingLeft()
    }
  }

  @Test("A cancelled acceptance reaches the inviter also when the link breaks then")
  func cancelledWhileCut() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession(Session.Configuration(patience: .seconds(20)))
      scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let own = try await scene.ann.makeSession()
      let accepting = scene.accept(invitation, into: own)
      try await scene.milliseconds(25)  // Bob has confirmed.
      scene.cut()
      accepting.cancel()
      #expect(await accepting.end() == "cancelled")
      #expect(accepting.duration == .milliseconds(25))
      try await scene.sleep(.seconds(7))
      scene.world.heal()
      try await scene.sleep(.seconds(20))
      #expect(await scene.areMembers(own, session) == [false, false])
      await scene.expectNothingLeft()
    }
  }

  @Test("Two who accept the same invitation get the same session, and one of them may give up")
  func acceptedTwice() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let own = try await scene.ann.makeSession()
      let first = scene.accept(invitation, into: own)
      let second = scene.accept(invitation)
      let other = scene.accept(invitation, into: try await scene.ann.makeSession())
      try await scene.milliseconds(5)
      first.cancel()
      #expect(await first.end() == "cancelled")
      #expect(await second.end() == "accepted")
      #expect(await other.end() == "invitationEnded")
      #expect(await scene.accept(invitation, into: own).end() == "accepted")
      #expect(await scene.accept(invitation).end() == "invitationEnded")
      #expect(invitation.ending == .accepted)
      #expect(await scene.areMembers(own, session) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test("An invitation that could not be accepted for want of a seat is answered so")
  func full() {
    Scene.play { scene in
      let (first, second) = (try await scene.bob.makeSession(), try await scene.bob.makeSession())
      let own = try await scene.ann.makeSession(Session.Configuration(maximumMemberCount: 1))
      scene.invite(to: first)
      _ = await scene.accept(try #require(await scene.invitation()), into: own).end()
      let cy = try await Peer("Cy", trusting: .anyPeer, on: scene.world.makeHost("cy"))
      let found = try await cy.browse("room")
      for await event in found.events {
        if case .found = event { break }
      }
      for isReleased in [true, false] {
        let session = try await cy.makeSession()
        let inviting = scene.start("cy invites") {
          try await cy.invite(scene.ann.id, to: session).rawValue
        }
        let end: String
        do {
          let invitation = try #require(await scene.invitation())
          end = await scene.accept(invitation, into: own).end()
          if !isReleased { await invitation.decline() }
        }
        #expect(end == "sessionFull")
        #expect(await inviting.end() == "full")
      }
      #expect(await second.members.isEmpty)
      await cy.stop()
      await scene.expectNothingLeft()
    }
  }

  @Test("Who finds no place ends no other acceptance, whose place would not have been enough")
  func fullOfDoubts() {
    Scene.play { scene in
      let own = try await scene.ann.makeSession(Session.Configuration(maximumMemberCount: 1))
      scene.keep(try await scene.ann.makeSession())  // Both have several, and are asked.
      scene.keep(try await scene.bob.makeSession())
      scene.keep(try await scene.bob.advertise("room"))
      let bobs = try await scene.bob.ticket(for: "room")
      let asking = scene.start("ann invites") {
        try await scene.ann.invite(bobs, to: own).rawValue
      }
      try await scene.sleep(.seconds(1))
      scene.invite(to: scene.keep(try await scene.bob.makeSession()))
      let first = try #require(await scene.invitation())
      scene.world.cut(scene.hosts[1], to: scene.hosts[0])  // Bob's confirmation is lost.
      let call = scene.accept(first, into: own)
      try await scene.sleep(.seconds(1))
      let cy = try await Peer("Cy", trusting: .anyPeer, on: scene.world.makeHost("cy"))
      let (anns, cys) = (try await scene.ann.ticket(for: "room"), try await cy.makeSession())
      let inviting = scene.start("cy invites") { try await cy.invite(anns, to: cys).rawValue }
      let late = try #require(await scene.invitation())
      #expect(await scene.accept(late, into: own).end() == "sessionFull")
      #expect(first.ending == nil && call.result == nil && asking.result == nil)
      await late.decline()
      #expect(await inviting.end() == "full")
      await cy.stop()
    }
  }

  @Test("A call that waits for a former member, which is looked for again, ends with its session")
  func soughtAgain() {
    Scene.play { scene in
      let impatient = Session.Configuration(patience: .seconds(1))
      let own = try await scene.ann.makeSession(impatient)
      scene.invite(to: scene.keep(try await scene.bob.makeSession(impatient)))
      let invitation = try #require(await scene.invitation())
      #expect(await scene.accept(invitation, into: own).end() == "accepted")
      let cy = try await Peer("Cy", trusting: .anyPeer, on: scene.world.makeHost("cy"))
      let (ticket, cys) = (try await scene.ann.ticket(for: "room"), try await cy.makeSession())
      let inviting = scene.start("cy invites") { try await cy.invite(ticket, to: cys).rawValue }
      try await #require(await scene.invitation()).accept(into: own)
      #expect(await inviting.end() == "accepted")
      try await scene.sleep(.seconds(3))
      scene.world.cut(scene.hosts[0], to: scene.hosts[1])
      scene.world.cut(scene.hosts[1], to: scene.hosts[0])
      try await scene.sleep(.seconds(15))  // Cy speaks of Bob.
      let call = scene.accept(invitation, into: own)
      try await scene.milliseconds(500)
      #expect(call.result == nil)
      await own.stop(within: .zero)
      try await scene.milliseconds(1)
      #expect(call.result == "sessionEnded")
      await cy.stop()
    }
  }
}
