import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

/// The same two peers in two sessions, and what is told of those that end.
@Suite("Two sessions of two peers")
struct TwoSessionsTests {
  @Test("Two sessions of the same two peers are two memberships, and both live")
  func both() {
    Scene.play { scene in
      let sessions = [try await scene.bob.makeSession(), try await scene.bob.makeSession()]
      var own: [Session] = []
      for session in sessions {
        scene.invite(to: session)
        own.append(try await #require(await scene.invitation()).accept())
      }
      try await scene.sleep(.seconds(40))
      for (mine, theirs) in zip(own, sessions) {
        #expect(await scene.areMembers(mine, theirs) == [true, true])
        try await mine.send(Array("hello".utf8))
        #expect(await nextMessage(theirs) == "hello")
      }
      await own[0].stop()
      try await scene.sleep(.seconds(1))
      #expect(await scene.areMembers(own[0], sessions[0]) == [false, false])
      #expect(await scene.areMembers(own[1], sessions[1]) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test("Who is accepted from a second session into the same one has left the first, at once")
  func replaced() {
    Scene.play { scene in
      let (first, second) = (try await scene.bob.makeSession(), try await scene.bob.makeSession())
      let own = try await scene.ann.makeSession()
      for session in [first, second] {
        scene.invite(to: session)
        #expect(
          await scene.accept(try #require(await scene.invitation()), into: own).end() == "accepted")
      }
      try await scene.sleep(.seconds(1))
      #expect(await first.members.isEmpty)
      #expect(await scene.areMembers(own, second) == [true, true])
      let tales = [await told(first), await told(own), await told(second)]
      #expect(
        tales == [["joined", "left"], ["joined", "restarted", "joined"], ["joined", "left"]])
      await scene.expectNothingLeft()
    }
  }

  @Test("A member that is removed hears so, and both sides have lost it")
  func removed() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      await own.remove(scene.bob.id)
      try await scene.sleep(.seconds(1))
      #expect(await scene.areMembers(own, session) == [false, false])
      #expect(await told(own) == ["joined", "removed"])
      #expect(await told(session) == ["joined", "removed"])
      await own.remove(scene.bob.id)  // Once more changes nothing.
      #expect(await scene.ann.memberships.isEmpty)
      await scene.expectNothingLeft()
    }
  }

  private func nextMessage(_ session: Session) async -> String? {
    for await message in session.messages { return String(decoding: message.bytes, as: UTF8.self) }
    return nil
  }

  /// What a session has told of its members; ends it.
  private func told(_ session: Session) async -> [String] {
    await session.stop()
    var told: [String] = []
    for await event in session.events {
      switch event {
      case .joining: break
      case .joined: told.append("joined")
      case .left(_, let reason, _) where reason != .disconnected: told.append(reason.rawValue)
      case .left: break
      case .interrupted: told.append("interrupted")
      case .resumed: told.append("resumed")
      }
    }
    return told
  }
}
