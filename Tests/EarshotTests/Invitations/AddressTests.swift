import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

/// Peers with several addresses, of which some lead nowhere or to somebody else.
@Suite("Addresses of an invited peer")
struct AddressTests {
  @Test("Where somebody else answers, the next address is tried")
  func stranger() {
    Scene.play { scene in
      let stranger = try await Peer("Eve", trusting: .anyPeer, on: scene.hosts[0])
      let endpoints = [
        Endpoint(scene.hosts[0].address, port: await stranger.port),
        Endpoint(scene.hosts[0].address, port: await scene.ann.port),
      ]
      let duration = try await invite(scene, at: endpoints)
      #expect(duration < .milliseconds(300))
      await stranger.stop()
      await scene.expectNothingLeft()
    }
  }

  @Test("An address that is silent costs a quarter of a second")
  func silent() {
    Scene.play { scene in
      let nobody = scene.world.makeHost("nobody")
      scene.world.crash(nobody)
      let endpoints = [
        Endpoint(nobody.address, port: 1), Endpoint(nobody.address, port: 2),
        Endpoint(scene.hosts[0].address, port: await scene.ann.port),
      ]
      let duration = try await invite(scene, at: endpoints)
      #expect(duration < .milliseconds(700))
      await scene.expectNothingLeft()
    }
  }

  @Test("An address at which a peer was reached and lost is the last to be tried again")
  func lost() {
    Scene.play { scene in
      let host = scene.world.makeHost("relay")
      let ann = Endpoint(scene.hosts[0].address, port: await scene.ann.port)
      let relay = Relay(to: ann, on: host)
      let listener = try host.listen(on: Endpoint(.anyV4, port: 7_100), handler: relay)
      let bob = try await Peer("Bob's double", trusting: .anyPeer, on: scene.hosts[1])
      let session = try await bob.makeSession()
      let inviting = scene.start("bob invites") {
        try await bob.invite(
          PeerTicket(
            peer: scene.ann.id, serviceType: "room",
            endpoints: [Endpoint(host.address, port: 7_100), ann]), to: session
        ).rawValue
      }
      let invitation = try #require(await scene.invitation())
      relay.fallSilent()
      try await scene.milliseconds(100)
      let accepting = scene.accept(invitation)
      #expect(await accepting.end() == "accepted")
      let duration = try #require(accepting.duration)
      // Half a second passes before the next dial; another address first would cost 250 ms more.
      #expect(duration < .milliseconds(700))
      #expect(await inviting.end() == "accepted")
      await bob.stop()
      listener.close()
    }
  }

  @Test("The inviter itself at one of the addresses is somebody else")
  func itself() {
    Scene.play { scene in
      let endpoints = [
        Endpoint(scene.hosts[1].address, port: await scene.bob.port),
        Endpoint(scene.hosts[0].address, port: await scene.ann.port),
      ]
      let duration = try await invite(scene, at: endpoints)
      #expect(duration < .milliseconds(300))
      await scene.expectNothingLeft()
    }
  }

  @Test("Nobody at any address is unreachable, after four rounds")
  func nobody() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let endpoints = (1...3).map { Endpoint(scene.hosts[0].address, port: UInt16($0)) }
      var random = scene.world.random("stranger")
      let outcome = try await scene.bob.invite(
        PeerTicket(peer: PeerID(random: &random), serviceType: "room", endpoints: endpoints),
        to: session)
      #expect(outcome == .unreachable)
      await scene.expectNothingLeft()
    }
  }

  @Test("A dial that is withdrawn leaves none of its attempts behind")
  func withdrawn() {
    Scene.play { scene in
      let nobody = scene.world.makeHost("nobody")
      scene.world.crash(nobody)
      let session = try await scene.bob.makeSession()
      let endpoints = (1...3).map { Endpoint(nobody.address, port: UInt16($0)) }
      var random = scene.world.random("stranger")
      let stranger = PeerID(random: &random)
      let inviting = scene.start("bob invites") {
        try await scene.bob.invite(
          PeerTicket(peer: stranger, serviceType: "room", endpoints: endpoints), to: session
        ).rawValue
      }
      try await scene.milliseconds(400)
      #expect(await scene.bob.leftovers.count { $0.hasPrefix("link") } == 2)
      inviting.cancel()
      #expect(await inviting.end() == "cancelled")
      await scene.expectNothingLeft()
    }
  }

  /// Has Bob, who knows nobody, invite Ann at some addresses; how long that took.
  private func invite(
    _ scene: Scene, at endpoints: [Endpoint]
  ) async throws -> Duration {
    let bob = try await Peer("Bob's double", trusting: .anyPeer, on: scene.hosts[1])
    let session = try await bob.makeSession()
    let inviting = scene.start("bob invites") {
      try await bob.invite(
        PeerTicket(peer: scene.ann.id, serviceType: "room", endpoints: endpoints), to: session
      ).rawValue
    }
    let start = scene.now
    let invitation = try #require(await scene.invitation())
    let duration = scene.now - start
    #expect(await scene.accept(invitation).end() == "accepted")
    #expect(await inviting.end() == "accepted")
    #expect(await session.members.map(\.id) == [scene.ann.id])
    await bob.stop()
    return duration
  }
}
