import Earshot
import EarshotSimulator
import Testing

@Suite("Counts of what is over")
struct MeterTests {
  @Test("A member of two sessions counts once, and keeps its counts until it has left both")
  func twoSessions() {
    Scene.play { scene in
      var pairs: [(Session, Session)] = []
      for _ in 0..<2 {
        let pair = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
        let call = scene.invite(to: pair.1)
        if let invitation = await scene.invitation() { scene.accept(invitation, into: pair.0) }
        #expect(await call.end() == "accepted")
        try await pair.1.send([1])
        #expect(await pair.0.take(1) == [1])
        pairs.append(pair)
      }
      let ann = scene.ann.id
      let both = await scene.bob.metrics
      #expect(both.value(of: .messagesSent, with: ann) == 2)
      #expect(both[.members] == 2 && both.value(of: .linksOpen, with: ann) == 2)
      #expect(both[.roundTrip] < 1_000_000_000)
      await pairs[0].1.stop()
      try await scene.sleep(.seconds(2))
      let one = await scene.bob.metrics
      #expect(one.value(of: .messagesSent, with: ann) == 2)
      #expect(one[.members] == 1 && one.value(of: .linksOpen, with: ann) == 1)
      await pairs[1].1.stop()
      try await scene.sleep(.seconds(2))
      let none = await scene.bob.metrics
      #expect(none.value(of: .messagesSent, with: ann) == nil && none[.messagesSent] == 2)
      #expect(none[.members] == 0 && none[.linksOpen] == 0)
      scene.keep(pairs[0].0)
      scene.keep(pairs[1].0)
    }
  }

  @Test("Neither links nor what counts them outlive a world, nor a host that has crashed in it")
  func released() async {
    let remains = Remains()
    do {
      let room = Room(seed: 3)
      let hosts = ["ann", "bob", "cy"].map { name in
        room.addGuest(name) { peer, session in
          try await peer.wait(milliseconds: 3_000)
          #expect(await peer.metrics[.linksOpen] == 2)
          await remains.watch(name, peer)
          await remains.watch(name, session)
        }
      }
      room.world.run(for: .seconds(4))
      #expect(remains.names.contains { $0.hasPrefix("Link of") })
      #expect(remains.names.contains { $0.hasPrefix("PeerMeter of") })
      room.world.crash(hosts[1])
      room.world.run(for: .seconds(1))
      room.world.finish()
    }
    #expect(remains.names == [])
  }
}
