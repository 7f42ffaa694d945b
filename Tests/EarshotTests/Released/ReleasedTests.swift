import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

/// What a program holds no longer ends as if it had said so.
@Suite("What is let go")
struct ReleasedTests {
  @Test("A session that is let go has been left: what it sent arrives, then the others are told")
  func session() {
    Couple.play { couple in
      for number in 0..<10 { try await couple.anns.value.send([UInt8(number)]) }
      let released = couple.now
      couple.anns.letGo()
      await couple.hear("left")
      #expect(couple.delay(of: "left", after: released)! < .seconds(1))
      #expect(couple.heard.count { $0.hasPrefix("message") } == 10)
      try await couple.sleep(.milliseconds(100))
      #expect(await couple.ann.value.sessionCount == 0)
      #expect(await couple.bobs.value.members.isEmpty)
      #expect(couple.remains.names.filter { $0.contains("ann's session") } == [])
    }
  }

  @Test("A peer that is let go with all that it made has been stopped, and nothing of it lives on")
  func peer() {
    Couple.play { couple in
      let endpoint = Endpoint(couple.hosts[0].address, port: await couple.ann.value.port)
      let released = couple.now
      couple.annVanishes()
      await couple.hear("left")
      await couple.hear("lost")
      for news in ["left", "lost"] {
        #expect(couple.delay(of: news, after: released)! < .seconds(2), "\(news)")
      }
      let outcome = try await couple.bob.value.invite(
        PeerTicket(peer: couple.annsID, serviceType: "room", endpoints: [endpoint]),
        to: couple.bobs.value)
      #expect(outcome == .unreachable)
    } check: { couple in
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  @Test("An advertiser that is let go is lost, and may be followed by another one at once")
  func advertiser() {
    Couple.play { couple in
      let second = Held(try await replace(couple.advertiser, of: couple.ann.value))
      try await couple.sleep(.seconds(10))
      #expect(couple.heard.last != "lost")
      #expect(await couple.browser.value.peers.map(\.info) == [["a": "b"]])
      let released = couple.now
      second.letGo()
      await couple.hear("lost")
      #expect(couple.delay(of: "lost", after: released)! < .seconds(2))
      #expect(await couple.anns.value.members.count == 1)
    }
  }

  /// Lets an advertiser go and advertises again, between which nothing else can happen.
  private func replace(
    _ advertiser: Held<Advertiser>, of peer: isolated Peer
  ) throws -> Advertiser {
    advertiser.letGo()
    return try peer.advertise("room", info: ["a": "b"])
  }

  @Test("A browser that is let go looks no longer, and whom it found can be invited")
  func browser() {
    Couple.play { couple in
      let cy = try await couple.cy()
      let browser = Held(try await cy.browse("room"))
      couple.remains.watch("cy's browser", browser.value)
      for await event in browser.value.events { if case .found = event { break } }
      let session = try await cy.makeSession()
      let outcome = cy.start {
        try await self.invite(couple.annsID, to: session, without: browser, of: cy)
      }
      for await invitation in couple.advertiser.value.invitations {
        try await invitation.accept(into: couple.anns.value)
        break
      }
      #expect(try await outcome.value == .accepted)
      try await browse(100, of: cy)
      #expect(!couple.remains.names.contains("cy's browser"))
      await cy.stop()
    }
  }

  /// Lets a browser go and invites whom it found, between which nothing else can happen.
  private func invite(
    _ id: PeerID, to session: Session, without browser: Held<Browser>, of peer: isolated Peer
  ) async throws -> InvitationOutcome {
    browser.letGo()
    return try await peer.invite(id, to: session)
  }

  /// Makes more browsers than there may be, but one at a time.
  private func browse(_ count: Int, of peer: isolated Peer) throws {
    for number in 0..<count { _ = try peer.browse("s\(number)") }
  }

  @Test("An invitation that is let go is declined, also one that nobody has taken")
  func invitation() {
    Couple.play { couple in
      let cy = try await couple.cy()
      let session = try await cy.makeSession()
      let outcome = try await couple.invite(from: cy, to: session)
      try await couple.sleep(.seconds(1))
      couple.advertiser.letGo()
      #expect(try await outcome.value == .declined)
      #expect(couple.remains.names.filter { $0.contains("advertiser") } == [])
      await cy.stop()
    }
  }

  @Test("Who invited a peer that is let go is told as if it had been stopped")
  func inviter() {
    Couple.play { couple in
      let cy = try await couple.cy()
      let session = try await cy.makeSession()
      let outcome = try await couple.invite(from: cy, to: session)
      try await couple.sleep(.seconds(1))
      couple.annVanishes()
      #expect(try await outcome.value == .unreachable)
      await cy.stop()
    } check: { couple in
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  // MARK: What is held

  @Test("Whoever holds a session, an advertiser or a browser holds its peer", arguments: 0..<3)
  func holders(kept: Int) {
    Couple.play { couple in
      let browser = Held(try await couple.ann.value.browse("other"))
      couple.ann.letGo()
      if kept != 0 { couple.anns.letGo() }
      if kept != 1 { couple.advertiser.letGo() }
      if kept != 2 { browser.letGo() }
      try await couple.sleep(.seconds(30))
      #expect(couple.remains.names.contains("ann"))
      #expect(couple.heard.contains("left") == (kept != 0))
      #expect(couple.heard.contains("lost") == (kept != 1))
      couple.anns.letGo()
      couple.advertiser.letGo()
      browser.letGo()
    } check: { couple in
      #expect(couple.heard.contains("left") && couple.heard.contains("lost"))
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  @Test("A loop over events holds what they come from, until it is left")
  func loop() {
    Couple.play { couple in
      let count = Mutex(0)
      let loop = couple.start {
        for await _ in couple.anns.value.messages { count.withLock { $0 += 1 } }
      }
      let invitations = couple.start {
        var iterator = couple.advertiser.value.invitations.makeAsyncIterator()
        while await iterator.next() != nil {}
      }
      try await couple.sleep(.seconds(1))
      couple.annVanishes()
      for _ in 0..<20 {
        try await couple.sleep(.seconds(1))
        try await couple.bobs.value.send([1])
      }
      try await couple.sleep(.seconds(1))
      #expect(count.withLock { $0 } == 20)
      #expect(!couple.heard.contains("lost") && !couple.heard.contains("left"))
      var left = couple.now
      loop.cancel()
      await couple.hear("left")
      #expect(couple.delay(of: "left", after: left)! < .seconds(1))
      #expect(!couple.heard.contains("lost"))
      left = couple.now
      invitations.cancel()
      await couple.hear("lost")
      #expect(couple.delay(of: "lost", after: left)! < .seconds(2))
      _ = await (loop.result, invitations.result)
    } check: { couple in
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  @Test("A session whose loop was left goes on as long as it is held, and no longer")
  func leftLoop() {
    Couple.play { couple in
      for await event in couple.anns.value.events(from: .unread) {
        if case .joined = event { break }
      }
      try await couple.sleep(.seconds(20))
      #expect(!couple.heard.contains("left"))
      let stream = Held(couple.anns.value.events)
      let snapshots = Held(couple.anns.value.snapshots)
      couple.anns.letGo()
      try await couple.sleep(.seconds(5))
      #expect(!couple.heard.contains("left"))
      stream.letGo()
      try await couple.sleep(.seconds(5))
      #expect(!couple.heard.contains("left"))
      snapshots.letGo()
      await couple.hear("left")
      #expect(!couple.heard.contains("lost"))
    }
  }

  // MARK: Calls that wait

  @Test("A call to invite holds its peer and its session until it returns")
  func inviting() {
    Couple.play { couple in
      let home = couple.world.makeHost("cy")
      let cy = try await Peer("Cy", trusting: .anyPeer, on: home)
      let advertiser = try await cy.advertise("cy")
      let endpoints = [Endpoint(home.address, port: await cy.port)]
      let inviting = couple.start { [ann = couple.ann.value] in
        try await ann.invite(
          PeerTicket(peer: cy.id, serviceType: "cy", endpoints: endpoints), to: ann.makeSession())
      }
      couple.annVanishes()
      try await couple.sleep(.seconds(5))
      for await invitation in advertiser.invitations {
        let session = try await invitation.accept()
        #expect(try await inviting.value == .accepted)
        let left = await session.departure()
        #expect(left == .left(couple.annsID, .left, undelivered: 0))
        break
      }
      await cy.stop()
    } check: { couple in
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  @Test("A call to accept holds the session that it makes, and whoever is given that holds it on")
  func accepting() {
    Couple.play { couple in
      let cy = try await couple.cy()
      let session = try await cy.makeSession()
      let inviting = try await couple.invite(from: cy, to: session)
      let given = Mutex<[Session]>([])
      var calls: [Task<Void, any Error>] = []
      for await invitation in couple.advertiser.value.invitations {
        calls = (0..<2).map { _ in
          couple.start {
            let session = try await invitation.accept()
            given.withLock { $0.append(session) }
          }
        }
        break
      }
      couple.annVanishes()
      for call in calls { try await call.value }
      #expect(try await inviting.value == .accepted)
      #expect(given.withLock { $0.count == 2 && $0[0] === $0[1] })
      try await couple.sleep(.seconds(5))
      #expect(await session.members.map(\.name) == ["Ann"])
      given.withLock { $0.removeSubrange(1...) }
      try await couple.sleep(.seconds(5))
      #expect(await session.members.map(\.name) == ["Ann"])
      given.withLock { $0 = [] }
      #expect(await session.departure() == .left(couple.annsID, .left, undelivered: 0))
      await cy.stop()
    } check: { couple in
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  @Test("A call to accept that fails leaves no session behind")
  func failedAccepting() {
    Couple.play { couple in
      let cy = try await couple.cy()
      let session = try await cy.makeSession()
      let inviting = try await couple.invite(from: cy, to: session)
      for await invitation in couple.advertiser.value.invitations {
        inviting.cancel()
        #expect(try await inviting.value == .cancelled)
        #expect(await failure { _ = try await invitation.accept() }?.code == .invitationEnded)
        break
      }
      try await couple.sleep(.seconds(1))
      #expect(await couple.ann.value.sessionCount == 1)
      await cy.stop()
    }
  }

  @Test("A message that waits for room holds its session, and arrives")
  func sending() {
    var configuration = Session.Configuration()
    (configuration.sendBufferBytes, configuration.receiveWindowBytes) = (1_000, 1_000)
    Couple.play(configuration, bobListens: false) { couple in
      let sending = couple.start { [session = couple.anns.value] in
        for _ in 0..<20 { try await session.send([UInt8](repeating: 7, count: 60_000)) }
      }
      try await couple.sleep(.seconds(5))
      couple.annVanishes()
      try await couple.sleep(.seconds(5))
      couple.listen(to: couple.bobs.value)
      try await sending.value
      await couple.hear("left")
      #expect(couple.heard.count { $0.hasPrefix("message") } == 20)
    } check: { couple in
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  @Test("Who waits for the end of an invitation holds it")
  func waiting() {
    Couple.play { couple in
      let cy = try await couple.cy()
      let session = try await cy.makeSession()
      let inviting = try await couple.invite(from: cy, to: session)
      var waiting: Task<Invitation.Ending?, any Error>?
      for await invitation in couple.advertiser.value.invitations {
        waiting = couple.start { await invitation.waitForEnd() }
        break
      }
      couple.annVanishes()
      try await couple.sleep(.seconds(5))
      #expect(!couple.heard.contains("left") || couple.remains.names.contains("ann"))
      inviting.cancel()
      #expect(try await waiting?.value == .withdrawn)
      await cy.stop()
    } check: { couple in
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  // MARK: Sleep and broken links

  @Test("Whoever is let go while it sleeps is gone, and leaves nothing behind")
  func asleep() {
    Couple.play(Session.Configuration(patience: .seconds(10))) { couple in
      await couple.ann.value.suspend()
      await couple.hear("interrupted suspending")
      couple.annVanishes()
      await couple.hear("lost")
      #expect(couple.remains.names(of: "ann") == [])
    }
  }

  @Test("A session that is let go while its peer sleeps has been left when the peer awakes")
  func asleepSession() {
    Couple.play { couple in
      await couple.ann.value.suspend()
      await couple.hear("interrupted suspending")
      couple.anns.letGo()
      try await couple.sleep(.seconds(1))
      #expect(couple.remains.names.filter { $0.contains("ann's session") } == [])
      try await couple.ann.value.resume()
      await couple.hear("left")
      #expect(couple.heard.contains("left"))
    }
  }

  @Test(
    "A session that is let go while its link is broken has been left, once that can be heard",
    arguments: [1, 10])
  func broken(seconds: Int) {
    Couple.play { couple in
      couple.cut()
      try await couple.anns.value.send(Array("hello".utf8))
      couple.anns.letGo()
      try await couple.sleep(.seconds(seconds))
      couple.world.heal()
      let healed = couple.now
      await couple.hear("left")
      #expect(couple.delay(of: "left", after: healed)! < .seconds(1))
      // What was sent is delivered if there is a link again within two seconds.
      #expect(couple.heard.contains("message hello") == (seconds < 2))
    }
  }

  // MARK: The other side

  @Test("A sender whose reader is let go waits no longer", arguments: [false, true])
  func blockedSender(namesReceiver: Bool) {
    var configuration = Session.Configuration()
    (configuration.sendBufferBytes, configuration.receiveWindowBytes) = (1_000, 1_000)
    Couple.play(configuration) { couple in
      let sending = couple.start { [session = couple.bobs.value, id = couple.annsID] in
        await failure {
          for _ in 0..<20 {
            let message = [UInt8](repeating: 7, count: 60_000)
            try await session.send(message, to: namesReceiver ? [id] : .all)
          }
        }
      }
      try await couple.sleep(.seconds(5))
      couple.anns.letGo()
      let released = couple.now
      #expect(try await sending.value?.code == .notConnected)
      #expect(couple.now - released < .seconds(3))
    }
  }

  // MARK: Everything

  @Test("What was stopped and left is freed when it is let go, and its sessions before")
  func stopped() {
    Couple.play { couple in
      await couple.anns.value.stop()
      await couple.advertiser.value.stop()
      await couple.browser.value.stop()
      await couple.ann.value.stop()
      await couple.bob.value.stop()
      couple.annVanishes()
      couple.bobs.letGo()
      couple.browser.letGo()
      couple.bob.letGo()
      await couple.hear("session ended")
      try await couple.sleep(.seconds(1))
      #expect(couple.remains.names == [])
    }
  }

  @Test("The same seed lets go in the same way")
  func determinism() {
    func run() -> RollingHash {
      Couple.play(seed: 5) { couple in
        for number in 0..<50 {
          try await couple.sleep(.milliseconds(100))
          let peer = try await Peer(
            "Guest \(number)", trusting: .anyPeer, on: couple.hosts[number % 2])
          _ = try await peer.advertise("room")
          _ = try await peer.browse("room")
        }
        couple.annVanishes()
        await couple.hear("left")
      }
    }
    #expect(run() == run())
  }
}
