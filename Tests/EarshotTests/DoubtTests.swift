import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import Testing

/// A peer that cannot be reached is doubted: browsers ask for it at once, and lose it long before its records expire.
@Suite("Doubt about a peer that cannot be reached")
struct DoubtTests {
  /// How long a peer that is asked for may take to answer, with what the network adds.
  private static let reconfirmation = Duration.seconds(10) + .milliseconds(250)

  /// Ann vanishes without a goodbye; another host has her address, and no peer.
  private static func vanish(_ ann: SimulatedHost, in room: Room) {
    room.world.crash(ann)
    _ = room.world.restart(ann, erased: true)
  }

  @Test("One that an invitation does not reach is lost within ten seconds of that")
  func invitation() throws {
    let room = Room(seed: 1)
    let ann = room.addGuest("ann", invites: false)
    let bob = room.world.makeHost("bob")
    bob.addTask("bob") {
      do {
        let peer = try await Peer("bob", trusting: .anyPeer, on: bob)
        let (session, browser) = (try await peer.makeSession(), try await peer.browse("room"))
        for await event in browser.events {
          switch event {
          case .found(let found):
            room.note("bob", "found")
            try await bob.sleep(until: .zero + .seconds(20))
            room.note("bob", "\(try await peer.invite(found.id, to: session))")
          case .lost: room.note("bob", "lost")
          default: break
          }
        }
      } catch { room.note("bob", "failed: \(error)") }
    }
    room.world.run(for: .seconds(15))
    Self.vanish(ann, in: room)
    room.world.run(for: .seconds(60))
    let unreachable = try #require(room.seen(by: "bob", "unreachable").first)
    let lost = try #require(room.seen(by: "bob", "lost").first)
    #expect(lost - unreachable <= Self.reconfirmation)
  }

  @Test(
    "One that an invitation has never reached is lost within ten seconds of its end",
    arguments: [InvitationOutcome.timedOut, .cancelled])
  func neverReached(outcome: InvitationOutcome) {
    Scene.play { scene in
      let browser = try await Self.findBob(scene)
      let session = try await scene.ann.makeSession()
      scene.world.crash(scene.hosts[1])
      let call = scene.start("ann invites") {
        try await scene.ann.invite(scene.bob.id, to: session, within: .seconds(6)).rawValue
      }
      if outcome == .cancelled {
        try await scene.sleep(.seconds(3))
        call.cancel()
      }
      #expect(await call.end() == outcome.rawValue)
      let end = scene.now
      for await event in browser.events { if case .lost = event { break } }
      #expect(scene.now - end <= Self.reconfirmation)
    }
  }

  @Test(
    "One that two calls invite, and neither reaches, is lost within ten seconds of the first end",
    arguments: [false, true])
  func invitedTwice(intoOneSession: Bool) {
    Scene.play { scene in
      let browser = try await Self.findBob(scene)
      let sessions = [try await scene.ann.makeSession(), try await scene.ann.makeSession()]
      scene.world.crash(scene.hosts[1])
      let calls = [6, 30].enumerated().map { number, limit in
        let session = sessions[intoOneSession ? 0 : number]
        return scene.start("ann invites within \(limit) s") {
          try await scene.ann.invite(scene.bob.id, to: session, within: .seconds(limit)).rawValue
        }
      }
      try await scene.sleep(.seconds(3))
      if intoOneSession { calls[0].cancel() }  // The other call waits for the invitation, too.
      let ends = intoOneSession ? ["cancelled", "timedOut"] : ["timedOut", "unreachable"]
      let ended = intoOneSession ? calls[1] : calls[0]
      _ = await ended.end()
      let end = scene.now
      #expect(end - ended.begun >= .seconds(6))
      for await event in browser.events { if case .lost = event { break } }
      #expect(scene.now > end && scene.now - end <= Self.reconfirmation)
      for (call, outcome) in zip(calls, ends) { #expect(await call.end() == outcome, "\(call)") }
    }
  }

  @Test("One that no connection reaches, and that answers by multicast, is not lost")
  func answering() {
    Scene.play { scene in
      let browser = try await Self.findBob(scene)
      let session = try await scene.ann.makeSession()
      let isolation = scene.world.add(Rule { packet, _ in packet.kind == .tcp ? .drop : nil })
      #expect(
        try await scene.ann.invite(scene.bob.id, to: session, within: .seconds(6)) == .timedOut)
      try await scene.sleep(.seconds(60))
      #expect(await browser.peers.map(\.id) == [scene.bob.id])
      isolation.end()
      await browser.stop()
      for await event in browser.events { Issue.record("\(event)") }
      await scene.expectNothingLeft()
    }
  }

  /// A browser of Ann's that has found Bob.
  private static func findBob(_ scene: Scene) async throws -> Browser {
    scene.keep(try await scene.bob.advertise("room"))
    let browser = try await scene.ann.browse("room")
    for await event in browser.events { if case .found = event { break } }
    return browser
  }

  @Test("A member whose link breaks, and that is not reached again, is lost within ten seconds")
  func member() throws {
    let room = Room(seed: 1)
    let ann = room.addGuest("ann", invites: false)
    _ = room.addGuest("bob")
    room.world.run(for: .seconds(15))
    #expect(room.members(of: "bob") == ["ann"])
    Self.vanish(ann, in: room)
    room.world.run(for: .seconds(60))
    let interrupted = try #require(
      room.log.first { $0.who == "bob" && $0.what.hasPrefix("interrupted") }?.at)
    let lost = try #require(
      room.log.first { $0.who == "bob" && $0.what.hasPrefix("no longer sees") }?.at)
    #expect(lost - interrupted <= Self.reconfirmation)
  }
}
