import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import EarshotTLS
import Synchronization
import TestKit
import Testing

@Suite("Secure links")
struct SecureLinkTests {
  /// What Ann says to Bob in a world, and everything that went over its network, as a capture.
  private func conversation(
    _ secret: String, seed: UInt64, isSecure: Bool
  ) throws -> (hash: RollingHash, capture: [UInt8]) {
    var configuration = WorldConfiguration()
    configuration.isSecure = isSecure
    let world = World(seed: seed, configuration: configuration)
    let bytes = Mutex<[UInt8]>([])
    let capture = PacketCapture { new in bytes.withLock { $0 += new } }
    world.record { capture.add($0) }
    let hosts = ["ann", "bob"].map { world.makeHost($0) }
    let heard = Mutex<[UInt8]>([])
    run(world, for: .seconds(30), on: hosts[0]) {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
      let meeting = try await Meeting(of: ann)
      let joined = try await meeting.join(bob)
      try await joined.send(Array(secret.utf8))
      for await message in meeting.session.messages {
        heard.withLock { $0 = message.bytes }
        break
      }
      await ann.stop()
      await bob.stop()
    }
    capture.finish()
    #expect(heard.withLock { $0 } == Array(secret.utf8))
    return (world.traceHash, bytes.withLock { $0 })
  }

  /// Runs a script on the first of some hosts, and complains when it fails.
  private func run(
    _ world: World, for duration: Duration, on host: SimulatedHost,
    _ script: @escaping @Sendable () async throws -> Void
  ) {
    let hasEnded = Mutex(false)
    host.addTask("script") {
      do {
        try await script()
        hasEnded.withLock { $0 = true }
      } catch { Issue.record("the script failed: \(error)") }
    }
    world.run(for: duration)
    world.finish()
    #expect(hasEnded.withLock { $0 }, "the script has not ended")
  }

  private static let secret = "what only Ann and Bob should know"

  private func shows(_ capture: [UInt8], _ text: String) -> Bool {
    capture.firstRange(of: Array(text.utf8)) != nil
  }

  @Test("What is said over a secured link, and by whom, is nowhere on the network")
  func secrecy() throws {
    let secured = try conversation(Self.secret, seed: 1, isSecure: true)
    #expect(!shows(secured.capture, Self.secret) && !shows(secured.capture, "earshot0"))
    // The plain channel shows what a capture shows.
    let plain = try conversation(Self.secret, seed: 1, isSecure: false)
    #expect(shows(plain.capture, Self.secret) && shows(plain.capture, "earshot0"))
  }

  @Test(
    "In a secured world one seed is one run, to the byte, and another seed another",
    arguments: [1, 2])
  func seeded(seed: UInt64) throws {
    let first = try conversation(Self.secret, seed: seed, isSecure: true)
    let again = try conversation(Self.secret, seed: seed, isSecure: true)
    #expect(first == again)
    #expect(try conversation(Self.secret, seed: seed + 2, isSecure: true).hash != first.hash)
  }

  @Test("An identity that proves nothing is refused where links are secured")
  func withoutKey() async throws {
    var random = Seed(1).generator
    let identity = Identity.plain(using: &random)
    let host = try POSIXHost(.loopback)
    let error = await failure {
      try await Peer("Ann", identity: identity, trusting: .anyPeer, on: host)
    }
    #expect(error?.code == .identityWithoutKey && error?.peers == [identity.id])
    await host.shutDown()
    for isSecure in [true, false] {
      var configuration = WorldConfiguration()
      configuration.isSecure = isSecure
      let world = World(seed: 1, configuration: configuration)
      let ann = world.makeHost("ann")
      let codes = Mutex<[EarshotError.Code?]>([])
      run(world, for: .seconds(5), on: ann) {
        let error = await failure {
          await (try Peer("Ann", identity: identity, trusting: .anyPeer, on: ann)).stop()
        }
        codes.withLock { $0.append(error?.code) }
      }
      #expect(codes.withLock { $0 } == [isSecure ? .identityWithoutKey : nil])
    }
  }

  @Test("A stored identity is the same peer again; without one each peer is another")
  func stored() async throws {
    let host = try POSIXHost(.loopback)
    let first = try await Peer("Ann", trusting: .anyPeer, on: host)
    let pem = try #require(first.identity.pem)
    await first.stop()
    let again = try await Peer("Ann", identity: Identity(pem: pem), trusting: .anyPeer, on: host)
    let other = try await Peer("Ann", trusting: .anyPeer, on: host)
    #expect(again.id == first.id && other.id != first.id)
    await again.stop()
    await other.stop()
    await host.shutDown()
  }

  @Test("A stranger who speaks in plain text gets no word of the protocol")
  func plaintext() async throws {
    try await Ground.secured.meet { ann, bob in
      let address = try #require(ann.host.interfaces.first?.addresses.first)
      let stranger = try ScriptedDialler(
        as: Identity(plain: bob.id), to: Endpoint(address, port: await ann.port), on: bob.host,
        saying: Close(code: .done))
      try await ann.wait(milliseconds: 2_000)
      #expect(stranger.hasEnded && stranger.closes.isEmpty)
      #expect(await ann.leftovers == [])
    }
  }

  @Test("A link that lives for hours changes its keys every hour, and loses nothing by it")
  func keyUpdates() throws {
    var configuration = WorldConfiguration()
    configuration.isSecure = true
    let world = World(seed: 1, configuration: configuration)
    let hosts = ["ann", "bob"].map { world.makeHost($0) }
    let heard = Mutex<[UInt8]>([])
    run(world, for: .seconds(20_000), on: hosts[0]) {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
      let meeting = try await Meeting(of: ann)
      let joined = try await meeting.join(bob)
      for hour in 0..<4 {
        try await joined.send([UInt8(hour)])
        let taken = await meeting.session.take(1)
        heard.withLock { $0 += taken }
        try await ann.wait(milliseconds: 3_600_000)
      }
    }
    #expect(heard.withLock { $0 } == [0, 1, 2, 3])
    let updates = world.properties.first { $0.name == RareEvent.keysUpdated.rawValue }
    // Both sides ask, or one answers the other's question: once an hour at least, twice at most.
    #expect((4...10).contains(updates?.held ?? 0))
  }
}
