import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

@Suite("Metrics of links")
struct LinkMetricsTests {
  /// Says bytes that no link begins with, or nothing.
  private final class Stranger: ConnectionHandler {
    private let bytes: [UInt8]
    init(saying bytes: [UInt8]) { self.bytes = bytes }
    func connectionOpened(_ connection: any Connection) {
      let bytes = bytes
      do { _ = try connection.write(bytes.span) } catch { Issue.record("\(error)") }
    }
    func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
    func connectionReceivedEnd(_ connection: any Connection) { connection.close() }
    func connectionBecameWritable(_ connection: any Connection) {}
    func connection(_ connection: any Connection, failed error: NetworkError) {}
  }

  /// Checks that the links that were opened are open or have ended.
  static func expectBalance(
    _ metrics: PeerMetrics, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let opened = metrics[.linksDialled] + metrics[.linksAccepted]
    #expect(
      opened == metrics[.linksEnded] + metrics[.linksOpen], "\(metrics.numbers)",
      sourceLocation: sourceLocation)
  }

  @Test("A link is dialled by one side and accepted by the other one", arguments: Ground.allCases)
  func opened(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann, test: "metrics")
      let joined = try await meeting.join(bob)
      try await joined.send([UInt8](repeating: 7, count: 100_000))
      #expect(await meeting.session.take(1) == [7])
      let (anns, bobs) = (await ann.metrics, await bob.metrics)
      #expect(bobs[.linksDialled] == 1 && bobs[.linksAccepted] == 0)
      #expect(anns[.linksDialled] == 0 && anns[.linksAccepted] == 1)
      #expect(bobs.value(of: .linksOpen, with: ann.id) == 1)
      #expect(anns.value(of: .linksOpen, with: bob.id) == 1)
      #expect(try #require(bobs.value(of: .bytesWritten, with: ann.id)) > 100_000)
      #expect(try #require(anns.value(of: .bytesRead, with: bob.id)) > 100_000)
      let roundTrip = try #require(bobs.value(of: .leastRoundTrip, with: ann.id))
      #expect(roundTrip > 0 && roundTrip < 1_000_000_000)
      let retransmissions = bobs.numbers.contains { $0.metric == .retransmissions }
      #expect(retransmissions, "the system says how many segments it sent again")
      #expect(anns.value(of: .datagramsDropped, for: "lost") == 0)
      #expect(bobs[.discoveryPacketsSent] > 0 && anns[.discoveryPacketsSent] > 0)
      await joined.stop()
      await meeting.session.stop()
      Self.expectBalance(await ann.metrics)
      Self.expectBalance(await bob.metrics)
    }
  }

  @Test("A link ends for a reason that names what happened, and a new one is dialled")
  func ended() {
    Scene.play { scene in
      let (anns, bobs) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      let call = scene.invite(to: bobs)
      if let invitation = await scene.invitation() { scene.accept(invitation, into: anns) }
      #expect(await call.end() == "accepted")

      scene.world.inject(.links(.between("ann", and: "bob"), .reset()))
      try await scene.sleep(.seconds(2))
      for peer in [scene.ann, scene.bob] {
        let metrics = await peer.metrics
        #expect(metrics.value(of: .linksEnded, for: "broken") == 1)
        #expect(metrics[.linksOpen] == 1 && metrics[.linksEnded] == 1)
        Self.expectBalance(metrics)
      }

      await scene.bob.suspend()
      try await scene.sleep(.seconds(1))
      #expect(await scene.bob.metrics.value(of: .linksEnded, for: "local.suspending") == 1)
      #expect(await scene.ann.metrics.value(of: .linksEnded, for: "remote.suspending") == 1)
      #expect(await scene.ann.metrics[.linksOpen] == 0)
      #expect(await scene.ann.metrics[.membersInterrupted] == 1)
      #expect(await scene.ann.metrics[.members] == 1)
      try await scene.bob.resume()
      try await scene.sleep(.seconds(2))
      #expect(await scene.ann.metrics[.membersInterrupted] == 0)

      let fault = scene.world.inject(.cut(.between("ann", and: "bob")))
      try await scene.sleep(.seconds(20))
      fault.end()
      try await scene.sleep(.seconds(5))
      for peer in [scene.ann, scene.bob] {
        let metrics = await peer.metrics
        #expect(metrics.value(of: .linksEnded, for: "silence") >= 1)
        #expect(metrics[.linksOpen] == 1)
        Self.expectBalance(metrics)
      }
      #expect(await scene.bob.metrics[.dialsFailed] + scene.ann.metrics[.dialsFailed] > 0)

      await bobs.stop()
      try await scene.sleep(.seconds(2))
      for peer in [scene.ann, scene.bob] {
        let metrics = await peer.metrics
        #expect(metrics[.linksOpen] == 0 && metrics[.members] == 0)
        Self.expectBalance(metrics)
      }
      scene.keep(anns)
    }
  }

  @Test("A dial fails by the error of the system, and one that is given up is no failure")
  func dials() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let ticket = try await scene.ann.ticket(for: "room")
      let fault = scene.world.inject(.cut(.between("ann", and: "bob")))
      let call = scene.invite(to: session)
      try await scene.milliseconds(100)
      call.cancel()
      _ = await call.end()
      #expect(await scene.bob.metrics[.dialsAbandoned] == 1)
      #expect(await scene.bob.metrics[.dialsFailed] == 0)
      #expect(try await scene.bob.invite(ticket, to: session, within: .seconds(20)) == .unreachable)
      #expect(await scene.bob.metrics.value(of: .dialsFailed, for: "timedOut") >= 1)
      fault.end()
      await scene.ann.stop()
      #expect(try await scene.bob.invite(ticket, to: session, within: .seconds(8)) == .unreachable)
      #expect(await scene.bob.metrics.value(of: .dialsFailed, for: "connectionRefused") >= 1)
      let metrics = await scene.bob.metrics
      #expect(metrics[.linksDialled] == 0 && metrics[.linksEnded] == 0 && metrics[.linksOpen] == 0)
    }
  }

  @Test("A key that is not trusted fails the dial of one side and the greeting of the other one")
  func untrusted() {
    Scene.play { scene in
      let strict = scene.keep(
        try await Peer("Strict", trusting: .pinned([scene.ann.id]), on: scene.hosts[0]))
      scene.keep(try await strict.advertise("room"))
      let session = try await scene.bob.makeSession()
      for await event in scene.browser.events {
        if case .found(let found) = event, found.id == strict.id { break }
      }
      #expect(try await scene.bob.invite(strict.id, to: session) == .untrusted)
      try await scene.sleep(.seconds(1))
      let (refused, refusing) = (await scene.bob.metrics, await strict.metrics)
      #expect(refusing.value(of: .greetingsFailed, for: "violation.untrusted") == 1)
      #expect(refused[.dialsFailed] + refused.value(of: .linksEnded, for: "remote.untrusted") == 1)
      // The peers of one host are counted separately.
      #expect(await scene.ann.metrics[.greetingsFailed] == 0)
    }
  }

  @Test("Connections that say nothing, nonsense, or come in a crowd fail by reason")
  func strangers() async throws {
    try await Ground.simulated.meet { ann, bob in
      let address = try #require(ann.host.interfaces.first?.addresses.first)
      let endpoint = Endpoint(address, port: await ann.port)
      let connect = { (bytes: [UInt8]) in
        try bob.host.connect(
          to: endpoint, options: ConnectionOptions(), handler: Stranger(saying: bytes))
      }
      var connections = [try connect([])]
      try await ann.wait(milliseconds: 100)
      #expect(await ann.metrics[.connectionsUnknown] == 1)
      #expect(await ann.metrics[.linksOpen] == 0)
      try await ann.wait(milliseconds: 15_000)
      #expect(await ann.metrics[.connectionsUnknown] == 0)
      #expect(await ann.metrics.value(of: .greetingsFailed, for: "timedOut") == 1)

      let read = await ann.metrics[.bytesRead]
      connections.append(try connect([UInt8](repeating: 0xFF, count: 100)))
      try await ann.wait(milliseconds: 15_000)
      #expect(await ann.metrics[.greetingsFailed] == 2)
      #expect(await ann.metrics[.bytesRead] > read)

      for _ in 0..<100 { connections.append(try connect([])) }
      try await ann.wait(milliseconds: 15_000)
      let metrics = await ann.metrics
      #expect(metrics.value(of: .greetingsFailed, for: "crowded") >= 36)
      #expect(metrics[.greetingsFailed] == 102)
      #expect(metrics[.linksAccepted] == 0 && metrics[.members] == 0)
      withExtendedLifetime(connections) {}
    }
  }

  @Test("The bytes that one side has written are those that the other side reads, over all links")
  func bytes() {
    Scene.play { scene in
      let (anns, bobs) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      let call = scene.invite(to: bobs)
      if let invitation = await scene.invitation() { scene.accept(invitation, into: anns) }
      #expect(await call.end() == "accepted")
      for round in 0..<3 {
        try await bobs.send([UInt8](repeating: 1, count: 50_000))
        #expect(await anns.take(1) == [1])
        try await scene.sleep(.seconds(1))
        let (written, read) = (await scene.bob.metrics, await scene.ann.metrics)
        #expect(written[.bytesWritten] > 50_000 * (round + 1))
        #expect(written[.bytesWritten] == read[.bytesRead])
        // What comes behind the end of a link is not read.
        let unread = read[.bytesWritten] - written[.bytesRead]
        #expect((0...round * 100).contains(unread))
        await scene.bob.suspend()
        try await scene.sleep(.seconds(1))
        try await scene.bob.resume()
        try await scene.sleep(.seconds(2))
      }
      let bytes = try #require(await scene.bob.metrics.value(of: .bytesWritten, with: scene.ann.id))
      #expect(bytes > 150_000, "the links before belong to the member as well")
      await bobs.stop()
      try await scene.sleep(.seconds(2))
      let metrics = await scene.bob.metrics
      #expect(metrics.value(of: .bytesWritten, with: scene.ann.id) == nil)
      #expect(metrics[.bytesWritten] > bytes)
      scene.keep(anns)
    }
  }

  @Test("Segments are sent again where packets are lost, and stay counted after the link")
  func retransmissions() {
    Scene.play { scene in
      let (anns, bobs) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      let call = scene.invite(to: bobs)
      if let invitation = await scene.invitation() { scene.accept(invitation, into: anns) }
      #expect(await call.end() == "accepted")
      try await bobs.send([UInt8](repeating: 1, count: 500_000))
      #expect(await anns.take(1) == [1])
      #expect(await scene.bob.metrics[.retransmissions] == 0)
      var change = LinkChange()
      change.loss = .percent(10)
      let loss = scene.world.inject(.link(.between("ann", and: "bob"), change))
      try await bobs.send([UInt8](repeating: 2, count: 500_000))
      #expect(await anns.take(1) == [2])
      loss.end()
      let count = await scene.bob.metrics[.retransmissions]
      #expect(count > 10)
      scene.world.inject(.links(.between("ann", and: "bob"), .reset()))
      try await scene.sleep(.seconds(2))
      #expect(await scene.bob.metrics[.retransmissions] >= count)
      #expect(await scene.bob.metrics.value(of: .retransmissions, with: scene.ann.id) ?? 0 >= count)
      await bobs.stop()
      try await scene.sleep(.seconds(2))
      #expect(await scene.bob.metrics[.retransmissions] >= count)
      scene.keep(anns)
    }
  }

  @Test("A link that closes into the void is given up in two seconds, though its end is sent again")
  func lingering() {
    Scene.play { scene in
      let (anns, bobs) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      let call = scene.invite(to: bobs)
      if let invitation = await scene.invitation() { scene.accept(invitation, into: anns) }
      #expect(await call.end() == "accepted")
      try await scene.sleep(.seconds(1))
      scene.cut()
      await scene.bob.suspend()
      try await scene.milliseconds(1_000)
      let early = await scene.bob.metrics[.retransmissions]
      try await scene.milliseconds(900)
      let late = await scene.bob.metrics[.retransmissions]
      #expect(scene.world.count(.lingeringEnded) == 0)
      #expect(early > 0 && late > early)
      try await scene.milliseconds(300)
      #expect(scene.world.count(.lingeringEnded) == 1)
      #expect(await scene.bob.metrics[.retransmissions] >= late)
      scene.keep(anns)
      scene.keep(bobs)
    }
  }
}
