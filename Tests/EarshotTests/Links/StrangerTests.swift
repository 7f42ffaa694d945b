import Earshot
import EarshotNetwork
import Synchronization
import Testing

@Suite("Strangers")
struct StrangerTests {
  /// Says nothing, and notes whether the connection was ended by the other side.
  private final class Silent: ConnectionHandler {
    let isRefused = Mutex(false)
    func connectionOpened(_ connection: any Connection) {}
    func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
    func connectionReceivedEnd(_ connection: any Connection) {}
    func connectionBecameWritable(_ connection: any Connection) {}
    func connection(_ connection: any Connection, failed error: NetworkError) {
      isRefused.withLock { $0 = error.code == .connectionReset }
    }
  }

  /// Connects to a peer without a word; answers whether each connection was refused.
  private func connect(_ count: Int, from caller: Peer, to peer: Peer) async throws -> [Bool] {
    let address = try #require(peer.host.interfaces.first?.addresses.first)
    let endpoint = Endpoint(address, port: await peer.port)
    var connections: [(Silent, any Connection)] = []
    for _ in 0..<count {
      let handler = Silent()
      let connection = try caller.host.connect(
        to: endpoint, options: ConnectionOptions(), handler: handler)
      connections.append((handler, connection))
      try await caller.wait(milliseconds: 10)
    }
    try await caller.wait(milliseconds: 100)
    return connections.map { $0.0.isRefused.withLock { $0 } }
  }

  @Test("Strangers at one address have sixteen links at most, and leave room for those at others")
  func perAddress() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let bobs = try await connect(20, from: peers[1], to: peers[0])
      #expect(bobs == Array(repeating: false, count: 16) + Array(repeating: true, count: 4))
      #expect(try await connect(1, from: peers[2], to: peers[0]) == [false])
    }
  }

  private static let terms = SessionTerms(seniority: 1, capacity: 8, messageBytesMax: 1_024)

  /// Dials a peer that has one member, and asks to attach to its session.
  private func attach(
    to peer: Peer, on host: any NetworkHost, as identity: Identity,
    saying attach: (Peer.MemberSession) -> Attach
  ) async throws -> ScriptedDialler {
    let membership = try #require(await peer.memberships.first)
    let address = try #require(peer.host.interfaces.first?.addresses.first)
    return try ScriptedDialler(
      as: identity, to: Endpoint(address, port: await peer.port), on: host,
      saying: attach(membership))
  }

  @Test("Who asks to attach and waits to be introduced is refused when the session is left")
  func unintroduced() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Mallory"]) { peers in
      let (ann, bob, mallory) = (peers[0], peers[1], peers[2])
      let meeting = try await Meeting(of: ann)
      let joined = try await meeting.join(bob)
      var random = mallory.host.random("mallory")
      let identity = Identity.plain(using: &random)
      let source = SessionID(random: &random)
      let dialler = try await attach(to: ann, on: mallory.host, as: identity) { membership in
        Attach(
          source: source, destination: membership.local,
          membership: MembershipID.none.next(bySmaller: identity.id < ann.id), isProposal: true,
          ended: .none, epoch: 1, received: 0, window: 1_024, terms: Self.terms)
      }
      try await ann.wait(milliseconds: 1_000)
      #expect(dialler.closes == [])
      #expect(!dialler.hasEnded)
      let leaving = ann.start { await meeting.session.stop() }
      try await ann.wait(milliseconds: 100)
      #expect(dialler.closes == [.notIntroduced] && dialler.hasEnded)
      try await leaving.value
      await joined.stop()
    }
  }

  @Test("A request to attach that was overtaken is refused, and holds up no messages")
  func overtaken() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Post"]) { peers in
      let (ann, bob, post) = (peers[0], peers[1], peers[2])
      let meeting = try await Meeting(of: ann)
      let joined = try await meeting.join(bob)
      let identity = Identity(plain: bob.id)
      let dialler = try await attach(to: ann, on: post.host, as: identity) { membership in
        Attach(
          source: membership.remote, destination: membership.local,
          membership: MembershipID.none.next(bySmaller: ann.id < bob.id), isProposal: false,
          ended: .none, epoch: 0, received: 0, window: 1_024, terms: Self.terms)
      }
      try await ann.wait(milliseconds: 100)
      #expect(dialler.closes == [.duplicate])
      let start = ann.host.now
      try await meeting.session.send([1])
      #expect(await joined.take(1) == [1])
      #expect(ann.host.now - start < .milliseconds(5))
    }
  }

  @Test("A peer that goes to sleep has no link with a stranger any more")
  func asleep() async throws {
    try await Ground.simulated.meet { ann, bob in
      let bobs = try await connect(3, from: bob, to: ann)
      #expect(bobs == [false, false, false])
      #expect(await ann.leftovers.count == 3)
      await ann.suspend()
      #expect(await ann.leftovers == [])
    }
  }
}
