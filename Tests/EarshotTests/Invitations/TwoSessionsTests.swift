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

  @Test(
    "Who invite each other from sessions for different purposes are asked, and joined twice",
    arguments: [false, true])
  func crossed(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let pair = try await Pair(scene)
      let lobbies = try await scene.makeSessions()
      let tables = try await scene.makeSessions()
      let annInvites = pair.annInvites(to: lobbies[0])
      let bobInvites = scene.invite(to: tables[1])
      let annAccepts = scene.accept(try #require(await scene.invitation()), into: tables[0])
      let bobAccepts = scene.accept(try #require(await pair.invitation()), into: lobbies[1])
      for call in [annInvites, bobInvites, annAccepts, bobAccepts] {
        #expect(await call.end() == "accepted", "\(call)")
      }
      try await scene.sleep(.seconds(5))
      #expect(await scene.areMembers(lobbies[0], lobbies[1]) == [true, true])
      #expect(await scene.areMembers(tables[0], tables[1]) == [true, true])
      try await lobbies[0].send(Array("lobby".utf8))
      try await tables[0].send(Array("table".utf8))
      #expect(await nextMessage(lobbies[1]) == "lobby")
      #expect(await nextMessage(tables[1]) == "table")
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "Who invite each other into the same of several sessions, and both accept, are joined once",
    arguments: [false, true])
  func crossedInOne(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let pair = try await Pair(scene)
      let others = try await scene.makeSessions()
      let own = try await scene.makeSessions()
      let invites = [pair.annInvites(to: own[0]), scene.invite(to: own[1])]
      let accepts = [
        scene.accept(try #require(await scene.invitation()), into: own[0]),
        scene.accept(try #require(await pair.invitation()), into: own[1]),
      ]
      for call in invites + accepts { #expect(await call.end() == "accepted", "\(call)") }
      try await scene.sleep(.seconds(5))
      #expect(await scene.areMembers(own[0], own[1]) == [true, true])
      #expect(await others[0].members.isEmpty)
      #expect(await others[1].members.isEmpty)
      #expect(await told(own[0]) == ["joined"])
      #expect(await told(own[1]) == ["joined", "left"])
      await scene.expectNothingLeft()
    }
  }

  @Test("An acceptance holds, though what has taken its place is withdrawn", arguments: 0..<30)
  func crossedAndWithdrawn(number: Int) {
    Scene.play(annIsLarger: number % 2 == 1) { scene in
      let pair = try await Pair(scene)
      for peer in [scene.ann, scene.bob] { scene.keep(try await peer.makeSession()) }
      let own = try await scene.makeSessions()
      let (annInvites, bobInvites) = (pair.annInvites(to: own[0]), scene.invite(to: own[1]))
      let invitation = try #require(await scene.invitation())
      let annAccepts = scene.accept(invitation, into: own[0])
      scene.accept(try #require(await pair.invitation()), into: own[1])
      let ending = scene.start("ann asks") { await invitation.waitForEnd()?.rawValue ?? "nothing" }
      try await scene.milliseconds(5 * number)
      annInvites.cancel()
      #expect(await bobInvites.end() == "accepted")
      #expect(await annAccepts.end() == "accepted")
      #expect(await ending.end() == "accepted")
      try await scene.sleep(.seconds(10))
      #expect(await scene.areMembers(own[0], own[1]) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "All calls that accept an invitation return the session, though another one supersedes it",
    arguments: [false, true])
  func supersededTwice(isOneCancelled: Bool) {
    var count = 0  // How often an acceptance was superseded.
    for number in 0..<30 {
      Scene.play { scene in
        let pair = try await Pair(scene)
        for peer in [scene.ann, scene.bob] { scene.keep(try await peer.makeSession()) }
        let own = try await scene.makeSessions()
        let (annInvites, bobInvites) = (pair.annInvites(to: own[0]), scene.invite(to: own[1]))
        let invitation = try #require(await scene.invitation())
        let calls = (0..<3).map { _ in
          scene.start("ann accepts") {
            try await invitation.accept(into: own[0]) === own[0] ? "accepted" : "another session"
          }
        }
        scene.accept(try #require(await pair.invitation()), into: own[1])
        try await scene.milliseconds(5 * number)
        annInvites.cancel()
        if isOneCancelled {
          try await scene.milliseconds(5)
          calls[0].cancel()
          try await scene.milliseconds(1)
          #expect(["accepted", "cancelled"].contains(calls[0].result))
        }
        for call in calls.dropFirst(isOneCancelled ? 1 : 0) {
          #expect(await call.end() == "accepted", "after \(5 * number) ms")
        }
        #expect(invitation.ending == .accepted)
        #expect(await bobInvites.end() == "accepted")
        try await scene.sleep(.seconds(10))
        #expect(await scene.areMembers(own[0], own[1]) == [true, true])
        await scene.expectNothingLeft()
      } afterwards: { world in
        let crossed = RareEvent.crossedInvitations.rawValue
        count += world.properties.first { $0.name == crossed }?.held ?? 0
      }
    }
    #expect(count > 0)
  }

  @Test(
    "An invitation that gave way to one that crosses it ends by its own deadline",
    arguments: 0..<30)
  func crossedAndCut(number: Int) {
    Scene.play(annIsLarger: number % 2 == 1) { scene in
      let pair = try await Pair(scene)
      let own = try await scene.makeSessions()
      let calls = [
        pair.annInvites(to: own[0], timeout: .seconds(3)),
        scene.invite(to: own[1], within: .seconds(15)),
      ]
      try await scene.milliseconds(5 * number)
      scene.cut()
      for (call, limit) in zip(calls, [3, 15]) {
        _ = await call.end()
        #expect(call.duration! <= .seconds(limit), "\(call)")
      }
      scene.world.heal()
      try await scene.sleep(.seconds(60))
      #expect(Set(await scene.areMembers(own[0], own[1])).count == 1)
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "An acceptance names no membership that the inviter has given up since its first INVITE",
    arguments: [false, true])
  func givenUpMeanwhile(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let pair = try await Pair(scene)
      for peer in [scene.ann, scene.bob] { scene.keep(try await peer.makeSession()) }
      let own = try await scene.makeSessions()
      let annInvites = pair.annInvites(to: own[0])
      let bobInvites = scene.invite(to: own[1], within: .seconds(60))
      let invitation = try #require(await scene.invitation())
      let bobs = try #require(await pair.invitation())
      let bobAccepts = scene.start("bob accepts") {
        try await bobs.accept(into: own[1])
        return "accepted"
      }
      // Ann has joined by her own invitation. Bob takes his acceptance back before he knows that,
      // and Ann does not know it.
      #expect(await annInvites.end() == "accepted")
      let cut = scene.world.partition([[scene.hosts[0]], [scene.hosts[1]]])
      bobAccepts.cancel()
      #expect(await bobAccepts.end() == "cancelled")
      _ = await own[0].events(from: .unread).first {
        if case .interrupted = $0 { true } else { false }
      }
      // From now on Bob can dial Ann, and Ann cannot dial Bob.
      let port = await scene.bob.port
      let isolation = scene.world.add(
        Rule { packet, _ in
          packet.kind == .tcp && packet.from == "ann" && packet.destination.port == port
            ? .drop : nil
        })
      cut.end()
      try await scene.sleep(.seconds(10))  // INVITE comes again, with the ended membership.
      #expect(await scene.areMembers(own[0], own[1]) == [true, false])
      #expect(invitation.ending == nil && bobInvites.result == nil)
      #expect(await scene.accept(invitation, into: own[0]).end() == "accepted")
      #expect(await scene.areMembers(own[0], own[1]) == [true, true])
      #expect(await bobInvites.end() == "accepted")
      isolation.end()
      try await scene.sleep(.seconds(40))
      #expect(await scene.areMembers(own[0], own[1]) == [true, true])
      await scene.expectNothingLeft()
      let tales = [await told(own[0]), await told(own[1])]
      #expect(tales == [["lost", "joined"], ["unreachable", "joined", "left"]])
    }
  }

  @Test(
    "An invitation that crosses one from several sessions may be declined, whatever becomes of that",
    arguments: [false, true])
  func crossedAndDeclined(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let pair = try await Pair(scene)
      let (own, first) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      let second = try await scene.bob.makeSession()
      let annInvites = pair.annInvites(to: own)
      let bobInvites = scene.invite(to: second)
      try await #require(await scene.invitation()).decline()
      #expect(await bobInvites.end() == "declined")
      #expect(annInvites.result == nil)
      try await #require(await pair.invitation()).accept(into: first)
      #expect(await annInvites.end() == "accepted")
      #expect(await scene.areMembers(own, first) == [true, true])
      #expect(await second.members.isEmpty)
      await scene.expectNothingLeft()
    }
  }

  @Test("Who had one session after the other are not asked when they invite each other")
  func crossedAfterAnother() {
    Scene.play { scene in
      let pair = try await Pair(scene)
      for peer in [scene.ann, scene.bob] { await (try await peer.makeSession()).stop() }
      let own = try await scene.makeSessions()
      for call in [pair.annInvites(to: own[0]), scene.invite(to: own[1])] {
        #expect(await call.end() == "accepted")
      }
      #expect(await scene.areMembers(own[0], own[1]) == [true, true])
      await scene.expectNothingLeft()
    }
  }

  @Test("Whose session was being left when the next one was made are not asked either")
  func crossedWhileLeaving() {
    Scene.play { scene in
      let pair = try await Pair(scene)
      let (first, former) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      scene.invite(to: former)
      #expect(
        await scene.accept(try #require(await scene.invitation()), into: first).end() == "accepted")
      scene.cut()
      let leaving = scene.start("ann leaves") {
        await first.stop(within: .seconds(3))
        return "left"
      }
      try await scene.milliseconds(100)
      let own = try await scene.ann.makeSession()
      #expect(await leaving.end() == "left")
      await former.stop(within: .zero)
      scene.world.heal()
      let second = try await scene.bob.makeSession()
      for call in [pair.annInvites(to: own), scene.invite(to: second)] {
        #expect(await call.end() == "accepted", "\(call)")
      }
      await scene.expectNothingLeft()
    }
  }

  @Test(
    "An invitation is of one session if it was when it was made, however late it goes out",
    arguments: [false, true])
  func crossedBeforeAnother(annIsLarger: Bool) {
    Scene.play(annIsLarger: annIsLarger) { scene in
      let pair = try await Pair(scene)
      let own = try await scene.makeSessions()
      scene.cut()
      let calls = [pair.annInvites(to: own[0]), scene.invite(to: own[1])]
      try await scene.milliseconds(200)
      let another = try await scene.bob.makeSession()
      scene.world.heal()
      for call in calls { #expect(await call.end() == "accepted", "\(call)") }
      #expect(await scene.areMembers(own[0], own[1]) == [true, true])
      #expect(await another.members.isEmpty)
      await scene.expectNothingLeft()
    }
  }

  @Test("Who accept each other over links that delay are joined once, and never interrupted")
  func crossedWithDelays() {
    for seed in UInt64(0)..<100 {
      let links = LinkConditions(latency: .milliseconds(20), jitter: .milliseconds(200))
      Scene.play(seed: seed, links: links, annIsLarger: seed % 2 == 0) { scene in
        let pair = try await Pair(scene)
        let others = try await scene.makeSessions()
        let own = try await scene.makeSessions()
        let bobAccepts = scene.start("bob accepts") {
          try await pair.invitation()?.accept(into: own[1])
          return "accepted"
        }
        let bobInvites = scene.invite(to: own[1])
        let invitation = try #require(await scene.invitation())
        let annInvites = pair.annInvites(to: own[0])
        try await scene.milliseconds(Int(seed) * 5)
        scene.accept(invitation, into: own[0])
        #expect(await bobInvites.end() == "accepted")
        #expect(await annInvites.end() == "accepted")
        try await scene.sleep(.seconds(10))
        bobAccepts.cancel()
        #expect(await others[0].members.isEmpty)
        #expect(await others[1].members.isEmpty)
        #expect(await told(own[0]) == ["joined"], "\(seed)")
        #expect(await told(own[1]) == ["joined", "left"], "\(seed)")
      }
    }
  }

  /// The other way round: Bob advertises, too, and Ann has found him.
  private final class Pair: Sendable {
    private let scene: Scene
    private let advertiser: Advertiser
    private let browser: Browser

    init(_ scene: Scene) async throws {
      self.scene = scene
      advertiser = try await scene.bob.advertise("room")
      browser = try await scene.ann.browse("room")
      for await event in browser.events {
        if case .found = event { break }
      }
    }

    func annInvites(to session: Session, timeout: Duration = .seconds(30)) -> Scene.Call {
      scene.start("ann invites") { [scene] in
        try await scene.ann.invite(scene.bob.id, to: session, within: timeout).rawValue
      }
    }

    /// The next invitation of Bob's.
    func invitation() async -> Invitation? {
      for await invitation in advertiser.invitations { return invitation }
      return nil
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
    for await event in session.events(from: .unread) {
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
