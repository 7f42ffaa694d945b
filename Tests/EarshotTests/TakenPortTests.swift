import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

@Suite("The port of a peer, when another program takes it")
struct TakenPortTests {
  private final class Stranger: ListenerHandler {
    func listener(
      _ listener: any Listener, accepted connection: any Connection
    ) -> (any ConnectionHandler)? { nil }
    func listener(_ listener: any Listener, failed error: NetworkError) {}
  }

  private static func take(_ port: UInt16, on host: any NetworkHost) throws -> any Listener {
    try host.listen(on: Endpoint(.anyV4, port: port), handler: Stranger())
  }

  /// Has a browser find one peer, and ends it; answers at which ports.
  private static func find(by peer: Peer) async throws -> Set<UInt16> {
    let browser = try await peer.browse("chat")
    for await event in browser.events { if case .found = event { break } }
    let found = await browser.peers
    await browser.stop()
    return Set(found.flatMap(\.endpoints).map(\.port))
  }

  @Test("A peer that lost its port in its sleep is found, and invited, where it listens now")
  func lostInSleep() async throws {
    try await Ground.simulated.meet { ann, bob in
      let session = try await ann.makeSession()
      let advertiser = try await ann.advertise("chat")
      let answering = ann.start {
        for await invitation in advertiser.invitations {
          try await invitation.accept(into: session)
        }
      }
      let port = await ann.port
      #expect(try await Self.find(by: bob) == [port])
      await ann.suspend()
      let other = try Self.take(port, on: ann.host)
      try await ann.resume()
      let current = await ann.port
      #expect(current != port)
      #expect(try await Self.find(by: bob) == [current])
      // Bob, who browses no longer, knows of both ports.
      let bobs = try await bob.makeSession()
      #expect(try await bob.invite(ann.id, to: bobs, within: .seconds(5)) == .accepted)
      other.close()
      await advertiser.stop()
      try await answering.value
    }
  }

  @Test(
    "Two who both lost their ports in their sleep are linked again, told of each other by a third")
  func bothLost() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let (ann, bob, cy) = (peers[0], peers[1], peers[2])
      let meeting = try await Meeting(of: bob)
      let (anns, cys) = (try await meeting.join(ann), try await meeting.join(cy))
      try await bob.wait(milliseconds: 1_000)
      for peer in [ann, cy] { await peer.suspend() }
      let others = [
        try Self.take(await ann.port, on: ann.host),
        try Self.take(await cy.port, on: cy.host),
      ]
      for peer in [ann, cy] { try await peer.resume() }
      try await bob.wait(milliseconds: 5_000)
      try await anns.send([1], to: [cy.id])
      #expect(await cys.take(1) == [1])
      try await cys.send([2], to: [ann.id])
      #expect(await anns.take(1) == [2])
      for other in others { other.close() }
    }
  }

  @Test("A peer whose process slept while its port was taken is found where it listens now")
  func lostUnawares() throws {
    let world = World(seed: 3)
    let (host, far) = (world.makeHost("ann"), world.makeHost("bob"))
    let ports = Mutex<[Set<UInt16>]>([])
    let other = Mutex<(any Listener)?>(nil)
    host.addTask("ann") {
      guard let ann = try? await Peer("Ann", trusting: .anyPeer, on: host) else { return }
      let advertiser = try? await ann.advertise("chat")
      let port = await ann.port
      ports.withLock { $0.append([port]) }
      try? await host.sleep(until: .zero + .seconds(20))
      let current = await ann.port
      ports.withLock { $0.append([current]) }
      await advertiser?.stop()
    }
    far.addTask("bob") {
      guard let bob = try? await Peer("Bob", trusting: .anyPeer, on: far) else { return }
      try? await far.sleep(until: .zero + .seconds(15))
      guard let found = try? await Self.find(by: bob) else { return }
      ports.withLock { $0.append(found) }
    }
    world.at(.zero + .seconds(5)) { world.suspend(host) }
    world.at(.zero + .seconds(6)) {
      let port = ports.withLock { $0[0] }.first ?? 0
      let listener = try? Self.take(port, on: host)
      other.withLock { $0 = listener }
    }
    world.at(.zero + .seconds(7)) { world.resume(host) }
    world.run(for: .seconds(30))
    let seen = ports.withLock { $0 }
    #expect(seen.count == 3)
    #expect(other.withLock { $0 != nil })
    #expect(seen.first != seen.last)
    #expect(seen.dropFirst().first == seen.last)
    world.finish()
  }
}
