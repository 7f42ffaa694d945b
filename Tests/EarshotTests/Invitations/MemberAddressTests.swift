import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// Members with several addresses, of which some lead nowhere or to somebody else, are dialled as invited peers are.
@Suite("Addresses of a member")
struct MemberAddressTests {
  @Test("A member's address that is silent costs a quarter of a second")
  func silent() {
    Scene.play(annIsLarger: true) { scene in
      let duration = try await Self.resuming(scene) {}
      #expect(duration < .milliseconds(600))
      await scene.expectNothingLeft()
    }
  }

  @Test("Where somebody else answers in a member's stead, the next address is tried")
  func stranger() {
    Scene.play(annIsLarger: true) { scene in
      let host = scene.world.makeHost("eve")
      let eve = try await Peer("Eve", trusting: .anyPeer, on: host)
      // Who says in public that she is Ann is a candidate.
      let discovery = MulticastDNS(for: scene.ann.id, on: host)
      let duration = try await Self.resuming(scene) {
        let announcement = Announcement(
          of: scene.ann.id, named: try DisplayName("Ann, too"), offering: try ServiceType("room"),
          on: await eve.port)
        _ = await discovery.advertise(announcement)
        for await event in scene.browser.events {
          guard case .updated(let ann) = event else { continue }
          if ann.endpoints.dropFirst().first?.address == host.address { break }
        }
      }
      // Ann's first address is silent, Eve's is not Ann's, and Ann's second one is.
      #expect(duration < .milliseconds(700))
      await scene.expectNothingLeft()
      await discovery.stop()
      await eve.stop()
    }
  }

  /// Breaks the link between Ann and Bob once that is prepared, when Ann's first address is silent.
  ///
  /// How long it took until they were linked again.
  private static func resuming(
    _ scene: Scene, _ prepare: () async throws -> Void
  ) async throws -> Duration {
    let session = try await scene.bob.makeSession()
    scene.invite(to: session)
    let own = try await #require(await scene.invitation()).accept()
    try await scene.sleep(.seconds(5))
    try await prepare()
    let silent = scene.hosts[0].address
    let start = scene.now
    scene.world.at(start) {
      scene.world.add(
        Rule { packet, _ in
          let isSilent = packet.source.address == silent || packet.destination.address == silent
          return packet.kind == .tcp && isSilent ? .drop : nil
        })
      // Bob's kernel loses the connection; he is the one who dials.
      scene.world.suspend(scene.hosts[1])
      scene.world.resume(scene.hosts[1])
    }
    var resumed: Instant?
    for await event in session.events(from: .unread) {
      guard case .resumed = event else { continue }
      resumed = scene.now
      break
    }
    #expect(await scene.areMembers(own, session) == [true, true])
    return try #require(resumed) - start
  }
}
