import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// Invitations of peers that go to sleep, and of peers that end.
@Suite("Invitations and sleep")
struct SleepTests {
  @Test("Who sleeps while it is asked is asked again, and can answer", arguments: [true, false])
  func askedAsleep(accepts: Bool) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session, within: .seconds(60))
      let invitation = try #require(await scene.invitation())
      await scene.ann.suspend()
      #expect(await scene.accept(invitation).end() == "suspended")
      try await scene.sleep(.seconds(20))
      #expect(inviting.result == nil && invitation.ending == nil)
      try await scene.ann.resume()
      if accepts {
        #expect(await scene.accept(invitation).end() == "accepted")
        #expect(await inviting.end() == "accepted")
      } else {
        await invitation.decline()
        #expect(await inviting.end() == "declined")
      }
      #expect(invitation.ending == (accepts ? .accepted : .declined))
      await scene.expectNothingLeft()
    }
  }

  @Test("Who sleeps past the deadline was not reached in time, and has not declined")
  func askedAndNeverAwake() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session, within: .seconds(20))
      let invitation = try #require(await scene.invitation())
      await scene.ann.suspend()
      #expect(await inviting.end() == "timedOut")
      try await scene.sleep(.seconds(1))
      #expect(invitation.ending == .timedOut)
      await scene.expectNothingLeft()
    }
  }

  @Test("Who goes to sleep while it is dialled is dialled until it is awake", arguments: 0..<30)
  func dialledAsleep(step: Int) {
    Scene.play { scene in
      try await scene.advertiser.acceptInvitations(into: scene.keep(scene.ann.makeSession()))
      let inviting = scene.invite(to: try await scene.bob.makeSession())
      try await scene.milliseconds(3 * step)
      await scene.ann.suspend()
      try await scene.sleep(.seconds(5))
      try await scene.ann.resume()
      #expect(await inviting.end() == "accepted")
      #expect(inviting.duration! < .seconds(12))
      try await scene.sleep(.seconds(1))
      await scene.expectNothingLeft()
    }
  }

  @Test("Who stops while it is dialled could not be reached", arguments: 0..<30)
  func dialledAndStopped(step: Int) {
    Scene.play { scene in
      let inviting = scene.invite(to: try await scene.bob.makeSession(), within: .seconds(10))
      try await scene.milliseconds(3 * step)
      await scene.ann.stop()
      #expect(await inviting.end() == "unreachable")
      #expect(inviting.duration! <= .seconds(10))
      await scene.expectNothingLeft()
    }
  }

  @Test("An inviter that sleeps asks again when it is awake", arguments: [1, 10, 100])
  func inviterSleeps(after milliseconds: Int) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session, within: .seconds(60))
      try await scene.milliseconds(milliseconds)
      await scene.bob.suspend()
      try await scene.sleep(.seconds(20))
      #expect(inviting.result == nil)
      try await scene.bob.resume()
      let invitation = try #require(await scene.invitation())
      #expect(await scene.accept(invitation).end() == "accepted")
      #expect(await inviting.end() == "accepted")
      #expect(await session.members.count == 1)
      await scene.expectNothingLeft()
    }
  }

  @Test("An inviter that sleeps past its deadline hears of that at the deadline")
  func inviterNeverAwake() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session, within: .seconds(20))
      let invitation = try #require(await scene.invitation())
      await scene.bob.suspend()
      #expect(await inviting.end() == "timedOut")
      #expect(inviting.duration == .seconds(20))
      #expect(await invitation.waitForEnd() == .timedOut)
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "An acceptance is confirmed after the sleep of either side, not during it",
    arguments: [1, 10, 19, 21, 30, 39], [true, false])
  func acceptedAsleep(after milliseconds: Int, annSleeps: Bool) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let own = try await scene.ann.makeSession()
      let accepting = scene.accept(invitation, into: own)
      try await scene.milliseconds(milliseconds)
      let sleeper = annSleeps ? scene.ann : scene.bob
      await sleeper.suspend()
      try await scene.sleep(.seconds(3))
      try await sleeper.resume()
      #expect(await accepting.end() == "accepted")
      #expect(await inviting.end() == "accepted")
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(own, session) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test("Who stops while it is asked could not be reached; it has not declined")
  func askedAndStopped() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      await scene.ann.stop()
      #expect(await inviting.end() == "unreachable")
      #expect(invitation.ending == .stopped)
      #expect(await scene.accept(invitation).end() == "stopped")
      await scene.expectNothingLeft()
    }
  }

  @Test("An inviter that stops withdraws its invitations")
  func inviterStops() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let inviting = scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      await scene.bob.stop()
      #expect(await inviting.end() == "cancelled")
      #expect(await invitation.waitForEnd() == .withdrawn)
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "A stop within a shorter time ends a farewell that would take longer", arguments: [true, false])
  func stoppedWhileLeaving(stopsPeer: Bool) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let own = try await invitation.accept()
      scene.cut()
      let leaving = scene.start("ann leaves") {
        await own.stop(within: .seconds(60))
        return "left"
      }
      try await scene.sleep(.seconds(1))
      let stopping = scene.start("ann stops") {
        if stopsPeer { await scene.ann.stop(within: .seconds(2)) } else { await own.stop() }
        return "stopped"
      }
      #expect(await stopping.end() == "stopped")
      #expect(await leaving.end() == "left")
      for (call, time) in [(stopping, 2), (leaving, 3)] {
        let duration = try #require(call.duration)
        #expect(abs((duration - .seconds(time)) / .seconds(1)) < 0.1)
      }
    }
  }

  @Test("Stopping twice waits for the same end")
  func stoppedTwice() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let invitation = try #require(await scene.invitation())
      let own = try await invitation.accept()
      let stops = (0..<2).map { _ in
        scene.start("ann stops") {
          await scene.ann.stop()
          return "stopped, \(await own.members.count) members"
        }
      }
      for stop in stops { #expect(await stop.end() == "stopped, 0 members") }
      await scene.expectNothingLeft()
    }
  }
}
