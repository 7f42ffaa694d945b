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
    bob.spawn("bob") {
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
      scene.keep(try await scene.bob.advertise("room"))
      let browser = try await scene.ann.browse("room")
      for await event in browser.events { if case .found = event { break } }
      let session = try await scene.ann.makeSession()
      scene.world.crash(scene.hosts[1])
      let call = scene.start("ann invites") {
        try await scene.ann.invite(scene.bob.id, to: session, timeout: .seconds(6)).rawValue
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
