import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Testing

/// Members that get other addresses, which discovery does not report.
@Suite("Members that move")
struct MovedMemberTests {
  @Test(
    "The address of a member's last link is dialled first, however often the member has moved",
    arguments: [1, FrameBounds.endpointsMax + 2])
  func moved(times: Int) {
    Scene.play(for: .seconds(300)) { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      await scene.advertiser.stop()
      await scene.browser.stop()
      var events = own.events(from: .unread).makeAsyncIterator()
      func next(_ isWanted: (SessionEvent) -> Bool) async -> SessionEvent? {
        while let event = await events.next() { if isWanted(event) { return event } }
        return nil
      }
      // Bob moves, and only Bob can dial.
      for _ in 0..<times {
        scene.move(1)
        _ = await next { if case .resumed = $0 { true } else { false } }
        try await scene.sleep(.seconds(1))  // Until Bob has resumed, too.
      }
      // Ann moves, and only Ann can dial.
      scene.move(0)
      _ = await next { if case .interrupted = $0 { true } else { false } }
      let interrupted = scene.now
      let end = await next { if case .interrupted = $0 { false } else { true } }
      #expect(end?.told == .resumed(scene.bob.id))
      // Another address before the right one costs a quarter of a second.
      #expect(scene.now - interrupted < .milliseconds(250))
    }
  }

  @Test(
    "A member that connects from another address is dialled there next, whatever was tried before",
    arguments: [500, 1_500, 2_500, 3_500])
  func heard(milliseconds: Int) throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let (base, place) = (world.makeHost("ann"), world.makeHost("bob"))
    let host = ChangingHost(base)
    let dialled = base.addTask("all") { () async throws -> Endpoint in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      let bob = try await Peer("Bob", trusting: .anyPeer, on: place)
      let advertiser = try await ann.advertise("room")
      let ticket = try await ann.ticket(for: "room")
      let own = try await ann.makeSession(Session.Configuration(patience: .seconds(600)))
      // Bob gives the membership up at once, and does not dial.
      let former = try await bob.makeSession(Session.Configuration(patience: .zero))
      let first = bob.start { try await bob.invite(ticket, to: former) }
      try await #require(await advertiser.invitations.first { _ in true }).accept(into: own)
      #expect(try await first.value == .accepted)
      world.inject(.hosts(["bob"], .readdress))
      _ = await own.events(from: .unread).first {
        if case .interrupted = $0 { true } else { false }
      }
      try await ann.wait(milliseconds: milliseconds)
      let session = try await bob.makeSession()
      let second = bob.start { try await bob.invite(ticket, to: session) }
      let invitation = try #require(await advertiser.invitations.first { _ in true })
      let count = host.dialled.count
      while host.dialled.count == count { try await ann.wait(milliseconds: 1) }
      await invitation.decline()
      #expect(try await second.value == .declined)
      return host.dialled[count]
    }
    #expect(world.run(until: { dialled.result != nil }, within: .seconds(60)))
    #expect(place.interfaces.flatMap(\.addresses).contains(try dialled.value.address))
  }
}

extension Scene {
  /// Gives a host another address.
  fileprivate func move(_ index: Int) {
    world.inject(.hosts([hosts[index].name], .readdress))
  }
}
