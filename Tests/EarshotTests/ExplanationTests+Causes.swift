import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

/// Causes that need a hostile peer, one of another version, or a session without a place.
extension ExplanationTests {
  /// A host that listens, and answers the frames of a dialler with given bytes.
  private final class ScriptedPeer: ListenerHandler, ConnectionHandler {
    enum Script: CaseIterable {
      /// Closes the link in place of HELLO, since no version is common.
      case noCommonVersion
      /// Says HELLO with a version that this package cannot speak.
      case versionZero
      /// Does not know the frame of an invitation.
      case unknownFrame

      func answer(_ frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        switch (self, frame) {
        case (.noCommonVersion, .link(.hello)):
          Close(code: .unsupportedVersion).encode(into: &bytes)
        case (.versionZero, .link(.hello)):
          Hello(version: 0, port: 7_100, displayName: "Mallory").encode(into: &bytes)
        case (.unknownFrame, .link(.hello)):
          Hello(port: 7_100, displayName: "Mallory").encode(into: &bytes)
        case (.unknownFrame, .invitation): Close(code: .unknownFrame).encode(into: &bytes)
        default: break
        }
        return bytes
      }
    }
    private let state: Mutex<(channel: SecureChannel, decoder: FrameDecoder)>
    private let id: PeerID
    private let script: Script

    init(as id: PeerID, _ script: Script) {
      (self.id, self.script) = (id, script)
      state = Mutex((.plain(PlainChannel(id, expecting: nil)), FrameDecoder()))
    }

    func listener(
      _ listener: any Listener, accepted connection: any Connection
    ) -> (any ConnectionHandler)? {
      state.withLock { $0 = (.plain(PlainChannel(id, expecting: nil)), FrameDecoder()) }
      return self
    }

    func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
      var (wire, plaintext, reply) = ([UInt8](), [UInt8](), [UInt8]())
      state.withLock { state in
        if !state.channel.isReady { state.channel.start(into: &wire) }
        try? state.channel.receive(bytes, into: &wire) { plaintext.append(copying: $0) }
        _ = try? state.decoder.decode(plaintext.span) { number, payload, _ throws(FrameError) in
          if let frame = try Frame(number, payload: payload) { reply += script.answer(frame) }
          return true
        }
        if !reply.isEmpty { state.channel.seal(&reply, into: &wire) }
      }
      if !wire.isEmpty { _ = try? connection.write(wire.span) }
    }

    func listener(_ listener: any Listener, failed error: NetworkError) {}
    func connectionOpened(_ connection: any Connection) {}
    func connectionReceivedEnd(_ connection: any Connection) { connection.close() }
    func connectionBecameWritable(_ connection: any Connection) {}
    func connection(_ connection: any Connection, failed error: NetworkError) {}
  }

  static func stranger(in scene: Scene, _ name: String = "stranger") -> PeerID {
    var random = scene.world.random(name)
    return Identity.plain(using: &random).id
  }

  // MARK: Several hosts

  /// Has another host announce Ann's key for five seconds.
  static func announceClone(in scene: Scene) async throws -> SimulatedHost {
    let host = scene.world.makeHost("copy")
    let clone = scene.keep(
      try await Peer("Ann", identity: scene.ann.identity, trusting: .anyPeer, on: host))
    scene.keep(try await clone.advertise("room"))
    try await scene.sleep(.seconds(5))
    return host
  }

  @Test("A peer whose key two hosts announce is contested, and both addresses are named")
  func contested() {
    Scene.play { scene in
      let host = try await Self.announceClone(in: scene)
      await Self.expect(
        scene.ann, of: scene.ann.id, .contested, "is this peer. The host at \(host.address) ",
        facts: ["its key is announced by the host at \(host.address)"])
      let hosts = [scene.hosts[0], host].map(\.address).sorted().map(\.description)
      await Self.expect(
        scene.bob, of: scene.ann.id, .contested,
        "2 hosts announce the key of Ann (", hosts.joined(separator: ", "))
      // Bob reaches neither of those that he has heard.
      for host in ["ann", "copy"] {
        scene.world.inject(.links(.between(host, and: "bob"), .cut))
      }
      let session = try await scene.bob.makeSession()
      #expect(await scene.invite(to: session).end() == "unreachable")
      await Self.expect(
        scene.bob, of: scene.ann.id, .contested, "It was not reached: ", ": timedOut")
    }
  }

  // MARK: Versions

  /// Announces a peer “Cy” of version 2 in Bob's world.
  static func announceOtherVersion(of id: PeerID, in scene: Scene, times count: Int = 1) throws {
    let ear = scene.keep(try Ear(in: scene.world))
    let announcement = Announcement(
      of: id, named: try DisplayName("Cy"), offering: try ServiceType("room"), on: 7_100)
    let records = announcement.records(at: ear.host.address).map { record in
      guard case .text = record.data else { return record }
      let entries = [("_v", "2"), ("_id", id.description)].map {
        TextRecord.Entry(key: $0.0, value: Array($0.1.utf8))
      }
      return DNSRecord(
        record.name, .text(TextRecord(entries).bytes), lifetimeSeconds: 4_500, flushesCache: true)
    }
    for _ in 0..<count { try ear.send(DNSMessage(answering: records)) }
  }

  @Test("A peer that announces another version is named with both versions, also by its name")
  func announcedVersion() {
    Scene.play { scene in
      let id = Self.stranger(in: scene)
      try Self.announceOtherVersion(of: id, in: scene)
      try await scene.sleep(.seconds(1))
      let sentence = "announces version 2 of the protocol, and this peer speaks version 1"
      await Self.expect(scene.bob, of: id, .otherVersion, "Cy (\(id.short))", sentence)
      for word in ["cy", String(id.description.prefix(10))] {
        let absence = await scene.bob.absence(of: word)
        #expect(absence.cause == .otherVersion && absence.description.contains(sentence))
      }
      let absence = await scene.bob.absence(of: "Dee")
      #expect(absence.cause == .neverDiscovered)
      #expect(absence.description.hasPrefix("“Dee” was never discovered: "), "\(absence)")
    }
  }

  @Test(
    "A peer that speaks another version is told from one that does not advertise the service",
    arguments: [
      (
        ScriptedPeer.Script.noCommonVersion, InvitationOutcome.mismatch,
        "speaks another version of the protocol"
      ),
      (.versionZero, .unreachable, "speaks another version of the protocol"),
      (
        .unknownFrame, .mismatch, "does not understand this peer: it closed the link (unknownFrame)"
      ),
    ])
  private func spokenVersion(script: ScriptedPeer.Script, end: InvitationOutcome, words: String) {
    Scene.play { scene in
      let id = Self.stranger(in: scene)
      let host = scene.world.makeHost("mallory")
      let script = scene.keep(ScriptedPeer(as: id, script))
      let listener = try host.listen(on: Endpoint(.anyV4, port: 7_100), handler: script)
      let ticket = try PeerTicket(
        peer: id, serviceType: "room", endpoints: [Endpoint(host.address, port: 7_100)])
      let session = try await scene.bob.makeSession()
      let outcome = try await scene.bob.invite(ticket, to: session)
      #expect(outcome == end)
      await Self.expect(scene.bob, of: id, .otherVersion, "was reached, but \(words)")
      let other = try await scene.bob.invite(scene.ann.ticket(for: "other"), to: session)
      #expect(other == .mismatch)
      await Self.expect(
        scene.bob, of: scene.ann.id, .mismatch, "does not advertise the service “other”")
      listener.close()
    }
  }

  // MARK: Places

  @Test("Where a session has no place left, the explanation says whose it is")
  func full() {
    Scene.play { scene in
      _ = try await Self.invite(scene) { await $0.decline(.full) }
      await Self.expect(
        scene.bob, of: scene.ann.id, .full, "The session of Ann (", "no place left for this peer")
      let session = scene.keep(
        try await scene.bob.makeSession(Session.Configuration(maximumMemberCount: 1)))
      let cy = scene.keep(try await Peer("Cy", trusting: .anyPeer, on: scene.world.makeHost("cy")))
      let advertiser = scene.keep(try await cy.advertise("room"))
      let own = scene.keep(try await cy.makeSession())
      scene.start("cy accepts") {
        for await invitation in advertiser.invitations {
          _ = try await invitation.accept(into: own)
          break
        }
        return "accepted"
      }
      #expect(try await scene.bob.invite(cy.ticket(for: "room"), to: session) == .accepted)
      #expect(await scene.invite(to: session).end() == "full")
      await Self.expect(
        scene.bob, of: scene.ann.id, .full, "The session of this peer had no place left for Ann (",
        facts: ["the session of this peer had no place left", "ended as full"])
    }
  }

  // MARK: Trust and keys

  @Test("A peer whose name belongs to another key is refused by this peer, not by the other one")
  func refusedHere() {
    Scene.play { scene in
      let store = MemoryTrustStore()
      try store.keep(Self.stranger(in: scene), as: "Ann")
      let careful = scene.keep(
        try await Peer("Cy", trusting: .onFirstUse(keptIn: store), on: scene.hosts[1]))
      let session = scene.keep(try await careful.makeSession())
      let outcome = try await careful.invite(scene.ann.ticket(for: "room"), to: session)
      #expect(outcome == .untrusted)
      await Self.expect(
        careful, of: scene.ann.id, .untrusted, "This peer does not trust \(scene.ann.id.short)",
        facts: ["this peer closed the link (untrusted)", "ended as untrusted"])
    }
  }

  @Test("An address where another peer answers is named with that peer")
  func otherPeer() {
    Scene.play { scene in
      let id = Self.stranger(in: scene)
      let endpoint = Endpoint(scene.hosts[0].address, port: await scene.ann.port)
      let ticket = try PeerTicket(peer: id, serviceType: "room", endpoints: [endpoint])
      let session = try await scene.bob.makeSession()
      #expect(try await scene.bob.invite(ticket, to: session) == .unreachable)
      await Self.expect(
        scene.bob, of: id, .unreachable,
        "\(endpoint) (another peer (\(scene.ann.id.short)) answered)")
    }
  }

  // MARK: Dialling without an invitation

  @Test("A peer that is dialled without an invitation is reached, and its program learns nothing")
  func reached() {
    Scene.play { scene in
      let endpoint = Endpoint(scene.hosts[0].address, port: await scene.ann.port)
      let explanation = await scene.bob.reach(scene.ann.id)
      #expect(explanation.cause == .reached, "\(explanation)")
      #expect(explanation.description.contains("was reached at \(endpoint), and was not invited"))
      let questions = Mutex(0)
      let shy = TrustPolicy.approved { _ in
        questions.withLock { $0 += 1 }
        return true
      }
      let cy = scene.keep(try await Peer("Cy", trusting: shy, on: scene.world.makeHost("cy")))
      scene.keep(try await cy.advertise("room"))
      let there = try await cy.ticket(for: "room")
      #expect(await scene.bob.reach(cy.id, at: there.endpoints).cause == .reached)
      try await scene.sleep(.seconds(5))
      #expect(questions.withLock { $0 } == 0)
      #expect(await scene.ann.explanations.isEmpty, "Ann's program was not asked")
      await scene.expectNothingLeft()
    }
  }

  @Test("A dial without an invitation shows each address with its error, and who does not trust")
  func notReached() {
    Scene.play { scene in
      let endpoint = Endpoint(scene.hosts[0].address, port: await scene.ann.port)
      let fault = scene.world.inject(.links(.between("ann", and: "bob"), .cut))
      let explanation = await scene.bob.reach(scene.ann.id)
      #expect(explanation.cause == .unreachable)
      #expect(
        explanation.description.contains("\(endpoint) (connect \(endpoint): timedOut"),
        "\(explanation)")
      fault.end()
      let strict = scene.keep(
        try await Peer("Strict", trusting: .pinned([scene.ann.id]), on: scene.hosts[0]))
      let there = try await strict.ticket(for: "room")
      let refused = await scene.bob.reach(strict.id, at: there.endpoints)
      #expect(refused.cause == .notTrusting, "\(refused)")
      let own = await strict.reach(scene.bob.id, at: [Endpoint(scene.hosts[1].address, port: 9)])
      #expect(own.cause == .untrusted && own.facts.isEmpty, "\(own)")
      // Nothing is known of where it is.
      let stranger = await scene.bob.reach(Self.stranger(in: scene))
      #expect(stranger.cause == .neverDiscovered && stranger.facts.isEmpty)
    }
  }
}
