import Earshot
import EarshotCore
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

/// In each test Bob asks about Ann, whom he has found, unless it says otherwise.
@Suite("The explanation of a peer")
struct ExplanationTests {
  /// Checks what a peer explains, in its cause, in parts of its sentence, and in its last facts.
  static func expect(
    _ peer: Peer, of other: PeerID, _ cause: PeerExplanation.Cause, _ parts: String...,
    facts: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let explanation = await peer.explanation(of: other)
    #expect(
      explanation.cause == cause, "\(explanation), \(explanation.facts)",
      sourceLocation: sourceLocation)
    #expect(explanation.peer == other, sourceLocation: sourceLocation)
    for part in parts {
      #expect(
        explanation.description.contains(part), "\(explanation)", sourceLocation: sourceLocation)
    }
    for (fact, part) in zip(explanation.facts.suffix(facts.count), facts) {
      #expect(fact.text.contains(part), "\(explanation.facts)", sourceLocation: sourceLocation)
    }
    #expect(explanation.facts.count >= facts.count, sourceLocation: sourceLocation)
  }

  private static func isLeft(_ event: SessionEvent) -> Bool {
    if case .left = event { true } else { false }
  }

  static func lost(_ browser: Browser) async {
    for await event in browser.events { if case .lost = event { return } }
  }

  /// Bob invites Ann, who answers in some way; returns Bob's session.
  static func invite(
    _ scene: Scene, within limit: Duration = .seconds(30),
    answer: (Invitation) async throws -> Void
  ) async throws -> Session {
    let session = scene.keep(try await scene.bob.makeSession())
    let call = scene.invite(to: session, within: limit)
    if let invitation = await scene.invitation() {
      scene.keep(invitation)
      try await answer(invitation)
    }
    _ = await call.end()
    return session
  }

  @Test("A peer of which nothing was received was never discovered, and the services are named")
  func neverDiscovered() {
    Scene.play { scene in
      var random = scene.world.random("stranger")
      let stranger = Identity.plain(using: &random).id
      await Self.expect(scene.bob, of: stranger, .neverDiscovered, stranger.short, "“room”")
      // Ann has no browser.
      await Self.expect(scene.ann, of: stranger, .notBrowsing, "no browser is running")
      let explanation = await scene.bob.explanation(of: stranger)
      #expect(explanation.name == nil && explanation.facts.isEmpty)
    }
  }

  @Test("While discovery does not work, the explanation says why")
  func discoveryUnavailable() {
    Scene.play { scene in
      var random = scene.world.random("stranger")
      let stranger = Identity.plain(using: &random).id
      let fault = scene.world.inject(.hosts(["bob"], .unplug))
      try await scene.sleep(.seconds(1))
      let problem = await scene.bob.discoveryProblem
      await Self.expect(
        scene.bob, of: stranger, .discoveryUnavailable, problem?.message ?? "no problem")
      fault.end()
    }
  }

  @Test("A peer that is visible was not invited, and its addresses are named")
  func visible() {
    Scene.play { scene in
      let port = await scene.ann.port
      await Self.expect(
        scene.bob, of: scene.ann.id, .notInvited, "Ann (", ":\(port)", "was not invited",
        facts: ["was discovered for “room”"])
      await Self.expect(scene.bob, of: scene.bob.id, .itself, "this peer")
    }
  }

  @Test("A peer that said goodbye is gone")
  func gone() {
    Scene.play { scene in
      await scene.advertiser.stop()
      await Self.lost(scene.browser)
      await Self.expect(
        scene.bob, of: scene.ann.id, .gone, "not visible any more: ",
        facts: ["was discovered", "was lost for “room”"])
      try await scene.sleep(.seconds(7))
      await Self.expect(scene.bob, of: scene.ann.id, .gone, "7 s ago")
    }
  }

  @Test("A peer that is not reached is unreachable, with each address and its error")
  func unreachable() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let endpoint = Endpoint(scene.hosts[0].address, port: await scene.ann.port)
      scene.cut()
      #expect(await scene.invite(to: session).end() == "unreachable")
      await Self.expect(
        scene.bob, of: scene.ann.id, .unreachable, "\(endpoint) (connect \(endpoint): timedOut",
        facts: ["was not reached at", "ended as unreachable"])
      // Doubt loses it, and the cause stays.
      await Self.lost(scene.browser)
      await Self.expect(
        scene.bob, of: scene.ann.id, .unreachable, "\(endpoint)", facts: ["was lost"])
    }
  }

  @Test(
    "An invitation that is declined is explained by the reason",
    arguments: [
      (DeclineReason.declined, PeerExplanation.Cause.declined, "declined the invitation"),
      (.busy, .busy, "too many open invitations"), (.full, .full, "no place left"),
    ])
  func declined(reason: DeclineReason, cause: PeerExplanation.Cause, words: String) {
    Scene.play { scene in
      _ = try await Self.invite(scene) { await $0.decline(reason) }
      await Self.expect(
        scene.bob, of: scene.ann.id, cause, words,
        facts: ["was invited", "was reached at", "ended as \(cause.rawValue)"])
    }
  }

  @Test("An invitation is open, then not answered in time")
  func timedOut() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let call = scene.invite(to: session, within: .seconds(5))
      let invitation = await scene.invitation()
      await Self.expect(scene.bob, of: scene.ann.id, .invited, "the invitation is open")
      #expect(await call.end() == "timedOut")
      await Self.expect(
        scene.bob, of: scene.ann.id, .timedOut, "did not answer", "was reached at")
      scene.keep(invitation)
    }
  }

  @Test("An invitation that is withdrawn was cancelled, and one of another service is a mismatch")
  func otherOutcomes() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let call = scene.invite(to: session)
      scene.keep(await scene.invitation())
      call.cancel()
      _ = await call.end()
      try await scene.sleep(.seconds(1))
      await Self.expect(scene.bob, of: scene.ann.id, .cancelled, "was withdrawn")
      let ticket = try await scene.ann.ticket(for: "other")
      let outcome = try await scene.bob.invite(ticket, to: session)
      #expect(outcome == .mismatch)
      await Self.expect(scene.bob, of: scene.ann.id, .mismatch, "does not advertise the service")
    }
  }

  @Test("A member is joining, connected, interrupted, and connected again")
  func member() {
    Scene.play { scene in
      let own = try await scene.ann.makeSession()
      let session = try await scene.bob.makeSession()
      let call = scene.invite(to: session)
      let invitation = await scene.invitation()
      if let invitation { scene.accept(invitation, into: own) }
      // Until Bob has confirmed the acceptance.
      _ = await own.events(from: .unread).first { _ in true }
      await Self.expect(scene.ann, of: scene.bob.id, .joining, "about to become a member")
      for await event in session.events {
        switch event {
        case .joined:
          await Self.expect(
            scene.bob, of: scene.ann.id, .connected, "connected",
            facts: ["became a member", "ended as accepted"])
          scene.world.inject(.links(.between("ann", and: "bob"), .reset()))
        case .interrupted:
          await Self.expect(
            scene.bob, of: scene.ann.id, .interrupted, "interrupted", "linkBroken",
            facts: ["was interrupted (linkBroken)"])
        case .resumed:
          await Self.expect(
            scene.bob, of: scene.ann.id, .connected, facts: ["was resumed"])
          #expect(await call.end() == "accepted")
          return
        default: break
        }
      }
    }
  }

  @Test("A member that leaves has left, and one that is removed is removed, on both sides")
  func departed() {
    Scene.play { scene in
      let own = try await scene.ann.makeSession()
      let session = try await Self.invite(scene) { try await $0.accept(into: own) }
      await own.stop()
      _ = await session.events(from: .unread).first { Self.isLeft($0) }
      await Self.expect(scene.bob, of: scene.ann.id, .left, "was a member", "(left)")

      let other = try await scene.ann.makeSession()
      _ = try await Self.invite(scene) { try await $0.accept(into: other) }
      await Self.expect(scene.bob, of: scene.ann.id, .connected)
      await other.remove(scene.bob.id)
      try await scene.sleep(.seconds(2))
      await Self.expect(scene.bob, of: scene.ann.id, .removed, facts: ["left (removed)"])
      await Self.expect(scene.ann, of: scene.bob.id, .removed, facts: ["left (removed)"])
    }
  }

  @Test("A peer that was invited again after it left is explained by what came last")
  func again() {
    Scene.play { scene in
      let own = try await scene.ann.makeSession()
      let session = try await Self.invite(scene) { try await $0.accept(into: own) }
      await own.stop()
      _ = await session.events(from: .unread).first { Self.isLeft($0) }
      _ = try await Self.invite(scene) { await $0.decline() }
      await Self.expect(scene.bob, of: scene.ann.id, .declined)
      // She goes, and comes back: what was before is over.
      await scene.advertiser.stop()
      await Self.lost(scene.browser)
      await Self.expect(scene.bob, of: scene.ann.id, .gone)
      scene.keep(try await scene.ann.advertise("room"))
      try await scene.sleep(.seconds(3))
      await Self.expect(scene.bob, of: scene.ann.id, .notInvited)
    }
  }

  @Test("A peer that is suspended or stopped says so of itself")
  func asleep() {
    Scene.play { scene in
      await scene.bob.suspend()
      await Self.expect(scene.bob, of: scene.ann.id, .suspended, "Resume it to reach Ann")
      try await scene.bob.resume()
      await scene.bob.stop()
      await Self.expect(scene.bob, of: scene.ann.id, .stopped, "was stopped")
    }
  }

  @Test("A key that is not trusted is the cause, on the side that refuses and on the other one")
  func untrusted() {
    Scene.play { scene in
      let strict = scene.keep(
        try await Peer("Strict", trusting: .pinned([scene.ann.id]), on: scene.hosts[0]))
      let advertiser = scene.keep(try await strict.advertise("room"))
      scene.keep(advertiser)
      let session = try await scene.bob.makeSession()
      for await event in scene.browser.events {
        if case .found(let found) = event, found.id == strict.id { break }
      }
      #expect(try await scene.bob.invite(strict.id, to: session) == .untrusted)
      await Self.expect(
        scene.bob, of: strict.id, .notTrusting, "Strict (", "does not trust this peer")
      await Self.expect(strict, of: scene.bob.id, .untrusted, "This peer does not trust")
    }
  }

  @Test("The explanations of all begin with the peer about which something happened last")
  func all() {
    Scene.play { scene in
      let cy = try await Peer("Cy", trusting: .anyPeer, on: scene.hosts[0])
      scene.keep(try await cy.advertise("room"))
      try await scene.sleep(.seconds(2))
      #expect(await scene.bob.explanations.map(\.name) == ["Cy", "Ann"])
      _ = try await Self.invite(scene) { await $0.decline() }
      let explanations = await scene.bob.explanations
      #expect(explanations.map(\.name) == ["Ann", "Cy"])
      #expect(explanations.map(\.cause) == [.declined, .notInvited])
      #expect(explanations.allSatisfy { !$0.description.isEmpty })
      await cy.stop()
    }
  }

  @Test("Sixteen facts of a peer are kept, the last ones")
  func bounded() {
    Scene.play(for: .seconds(600)) { scene in
      for _ in 0..<12 { _ = try await Self.invite(scene) { await $0.decline() } }
      let facts = await scene.bob.explanation(of: scene.ann.id).facts
      #expect(facts.count == 16 && facts.map(\.time) == facts.map(\.time).sorted())
      #expect(facts.last?.text == "the invitation ended as declined")
    }
  }

  @Test("Of more than 256 peers the ones are forgotten about which nothing happened for longest")
  func crowd() {
    Scene.play { scene in
      scene.keep(try await scene.bob.browse("chat"))
      for number in 0..<260 {
        let guest = Guest("guest-\(number)", in: scene.world)
        try guest.enterUnseeing()
        scene.keep(guest)
      }
      try await scene.sleep(.seconds(60))
      let explanations = await scene.bob.explanations
      #expect(explanations.count == 256)
      #expect(!explanations.contains { $0.peer == scene.ann.id })
      // What is left of a forgotten one is the present state.
      await Self.expect(scene.bob, of: scene.ann.id, .notInvited)
    }
  }
}
