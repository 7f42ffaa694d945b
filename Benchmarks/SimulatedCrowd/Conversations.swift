import BenchmarkKit
import Earshot
import EarshotSimulator
import Synchronization

/// Pairs of peers in sessions that send each other messages: the whole stack at work.
///
/// A client sends so many messages of 64 bytes at once and waits until all have been echoed; then the next ones.
/// Each pair is in a room of its own; each
/// link takes 1 ms, nothing is lost. What counts is messages that an application has received.
struct Conversations {
  let peerCount: Int
  let burst: Int
  private let rounds: Int
  private static let payloadBytes = 64

  /// Conversations in which at least so many messages are received.
  init(peerCount: Int, burst: Int, messages: Int) {
    (self.peerCount, self.burst) = (peerCount, burst)
    let perRound = peerCount * burst
    rounds = (messages + perRound - 1) / perRound
  }

  /// How many messages are received in all.
  var messages: Int { peerCount * burst * rounds }

  /// Has the peers meet, then talk.
  ///
  /// - Returns: Messages received by applications a CPU-second of talking.
  func run(seed: UInt64) -> Double {
    let world = World(seed: seed)
    let received = Counter()
    for pair in 0..<peerCount / 2 {
      let client = world.makeHost("client\(pair)", segment: "room \(pair)")
      let server = world.makeHost("server\(pair)", segment: "room \(pair)")
      let identity = Identity(plain: Self.identifier(of: pair))
      server.addTask("server") {
        await Self.attempt { try await serve(server, identity, received) }
      }
      client.addTask("client") {
        await Self.attempt { try await converse(client, server, identity.id, received) }
      }
    }
    world.run(until: Self.begin)
    let start = Resources.cpuTime
    while received.value < messages { world.run(for: .milliseconds(100)) }
    let elapsed = Resources.cpuTime - start
    world.finish()
    return Double(messages) / (elapsed / .seconds(1))
  }

  private static let begin = Instant.zero + .seconds(10)
  private static let port: UInt16 = 7100

  private static func identifier(of pair: Int) -> PeerID {
    var random = RandomStream(seed: UInt64(pair), name: "identifier")
    return PeerID((0..<PeerID.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
      ?? { fail("an identifier has so many bytes") }()
  }

  /// Runs until the world ends.
  private static func attempt(_ life: () async throws -> Void) async {
    do { try await life() } catch {
      require((error as? EarshotError)?.code != .unknownPeer, "\(error)")
    }
  }

  private func serve(
    _ host: SimulatedHost, _ identity: Identity, _ received: Counter
  ) async throws {
    let peer = try await Peer(
      "server", identity: identity, trusting: .anyPeer,
      configuration: Peer.Configuration(port: Self.port), on: host)
    let advertiser = try await peer.advertise("bench")
    for await invitation in advertiser.invitations {
      let session = try await invitation.accept()
      for await message in session.messages {
        received.add()
        try await session.send(message.bytes, to: [message.sender])
      }
    }
  }

  private func converse(
    _ host: SimulatedHost, _ server: SimulatedHost, _ serverID: PeerID, _ received: Counter
  ) async throws {
    try await host.sleep(until: .zero + .seconds(1))
    let peer = try await Peer("client", trusting: .anyPeer, on: host)
    let session = try await peer.makeSession()
    let outcome = try await peer.invite(
      PeerTicket(
        peer: serverID, serviceType: "bench", endpoints: [Endpoint(server.address, port: Self.port)]
      ), to: session)
    require(outcome == .accepted, "the invitation ended as \(outcome)")
    try await host.sleep(until: Self.begin)
    var messages = session.messages.makeAsyncIterator()
    let message = [UInt8](repeating: 0xA5, count: Self.payloadBytes)
    for _ in 0..<rounds {
      for _ in 0..<burst { try await session.send(message, to: [serverID]) }
      var missing = burst
      while missing > 0, await messages.next() != nil {
        received.add()
        missing -= 1
      }
    }
  }
}
