import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// What becomes of `invite` when something else happens beside it.
@Suite("Inviting")
struct InviteTests {
  @Test("Cancelling invite withdraws the invitation, and its holder is told")
  func cancelled() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let waiting = scene.start("ann waits") { await invitation.waitForEnd()?.rawValue ?? "nil" }
      try await scene.milliseconds(10)
      #expect(invitation.ending == nil)
      inviting.cancel()
      #expect(await inviting.end() == "cancelled")
      #expect(await waiting.end() == "withdrawn")
      #expect(waiting.duration == .milliseconds(30))
      #expect(await scene.accept(invitation).end() == "invitationEnded")
      #expect(await invitation.waitForEnd() == .withdrawn)
      #expect(await session.members.isEmpty)
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "Cancelling one of two who wait for an invitation does not withdraw it; cancelling both does")
  func secondWaiter() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let first = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let second = scene.invite(to: session)
      let third = scene.invite(to: session)
      try await scene.milliseconds(10)
      second.cancel()
      #expect(await second.end() == "cancelled")
      #expect(second.duration == .milliseconds(10))
      try await scene.sleep(.seconds(1))
      #expect(first.result == nil && invitation.ending == nil)
      first.cancel()
      #expect(await first.end() == "cancelled")
      try await scene.sleep(.seconds(1))
      #expect(third.result == nil && invitation.ending == nil)
      third.cancel()
      #expect(await third.end() == "cancelled")
      try await scene.milliseconds(30)
      #expect(invitation.ending == .withdrawn)
      await scene.expectNothingLeft()
    }
  }

  @Test("What was cancelled before it began sends nothing")
  func cancelledBefore() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      inviting.cancel()
      #expect(await inviting.end() == "cancelled")
      await scene.expectNothingLeft()
    }
  }

  @Test("Leaving the session ends its invitations as cancelled")
  func sessionEnds() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      await session.stop()
      #expect(await inviting.end() == "cancelled")
      #expect(await invitation.waitForEnd() == .withdrawn)
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "The sender hears why an invitation is declined",
    arguments: [
      (DeclineReason?.none, "declined"), (.declined, "declined"), (.busy, "busy"), (.full, "full"),
    ])
  func reasons(reason: DeclineReason?, outcome: String) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      await invitation.decline(reason)
      #expect(await inviting.end() == outcome)
      #expect(await invitation.waitForEnd() == .declined)
      await invitation.decline(.busy)  // Changes nothing.
      #expect(invitation.ending == .declined)
      await scene.expectNothingLeft()
    }
  }

  @Test("Who waits for an invitation's end can stop waiting")
  func stopWaiting() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session, within: .seconds(5))
      let invitation = try #require(await scene.invitation())
      let first = scene.start("ann waits") { await invitation.waitForEnd()?.rawValue ?? "nil" }
      let second = scene.start("ann waits") { await invitation.waitForEnd()?.rawValue ?? "nil" }
      try await scene.milliseconds(10)
      first.cancel()
      #expect(await first.end() == "nil")
      #expect(await inviting.end() == "timedOut")
      #expect(await second.end() == "timedOut")
      await scene.expectNothingLeft()
    }
  }

  @Test("Invitations that nobody takes do not pile up, and what ended of them says so")
  func withdrawnAgainAndAgain() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      for number in 0..<300 {
        let inviting = scene.invite(to: session, context: [UInt8(number % 256)])
        try await scene.milliseconds(200)
        inviting.cancel()
        #expect(await inviting.end() == "cancelled")
        try await scene.milliseconds(50)
      }
      let last = scene.invite(to: session)
      try await scene.milliseconds(200)
      await scene.advertiser.stop()
      var endings: [Invitation.Ending?] = []
      for await invitation in scene.advertiser.invitations { endings.append(invitation.ending) }
      #expect(endings.count <= 17)
      #expect(endings.last == .some(nil))
      #expect(endings.dropLast().allSatisfy { $0 == .withdrawn })
      _ = await last.end()
      await scene.expectNothingLeft()
    }
  }
}
