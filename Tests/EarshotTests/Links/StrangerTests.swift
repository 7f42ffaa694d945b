import Earshot
import EarshotNetwork
import Synchronization
import Testing

#if os(Linux)
  import Glibc
#endif

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

  @Test(
    "Four strangers at one address are greeted at once, and give way to others of it in a second")
  func perAddress() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let bobs = try await connect(6, from: peers[1], to: peers[0])
      #expect(bobs == Array(repeating: false, count: 6))
      #expect(try await connect(1, from: peers[2], to: peers[0]) == [false])
      try await peers[0].wait(milliseconds: 1_000)
      #expect(await peers[0].leftovers.count == 5)
      try await peers[0].wait(milliseconds: 5_000)
      #expect(await peers[0].leftovers.count == 0)
    }
  }

  @Test("Six addresses that say nothing on all that they can open keep no newcomer out")
  func silence() async throws {
    let names = ["Ann", "Bob"] + (1...6).map { "Idle \($0)" }
    try await Ground.simulated.meet(names) { peers in
      for idle in peers.dropFirst(2) { _ = try await connect(30, from: idle, to: peers[0]) }
      #expect(await peers[0].leftovers.count <= 64)
      let meeting = try await Meeting(of: peers[0])
      let start = peers[0].host.now
      let joined = try await meeting.join(peers[1])
      #expect(peers[0].host.now - start < .seconds(1))
      await joined.stop()
    }
  }

  @Test("Who dials from where a member was linked is no stranger")
  func atAMember() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let joined = try await meeting.join(bob)
      await joined.stop()
      _ = try await connect(10, from: bob, to: ann)
      try await ann.wait(milliseconds: 2_000)
      #expect(await ann.leftovers.count == 10)
    }
  }

  /// Says something wrong on each of its connections, and counts those on which the other side began to greet.
  private final class Rude: ConnectionHandler {
    let greeted = Mutex(Set<ObjectIdentifier>())
    func connectionOpened(_ connection: any Connection) {
      _ = try? connection.write([UInt8](repeating: 7, count: 64).span)
    }
    func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
      _ = greeted.withLock { $0.insert(ObjectIdentifier(connection)) }
    }
    func connectionReceivedEnd(_ connection: any Connection) { connection.close() }
    func connectionBecameWritable(_ connection: any Connection) {}
    func connection(_ connection: any Connection, failed error: NetworkError) {}
  }

  @Test(
    "Where a member was linked, sixty-four are greeted at once and thirty-two a second, and other members wait for none"
  )
  func rudeMember() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let (ann, bob, cy) = (peers[0], peers[1], peers[2])
      let meeting = try await Meeting(of: ann)
      for peer in [bob, cy] { await (try await meeting.join(peer)).stop() }
      try await ann.wait(milliseconds: 2_000)
      let endpoint = Endpoint(
        try #require(ann.host.interfaces.first?.addresses.first), port: await ann.port)
      let rude = Rude()
      var connections: [any Connection] = []
      for count in 1...1_000 {
        connections.append(
          try bob.host.connect(to: endpoint, options: ConnectionOptions(), handler: rude))
        try await bob.wait(milliseconds: 3)
        guard count == 500 else { continue }
        let start = ann.host.now
        let joined = try await meeting.join(cy)
        #expect(ann.host.now - start < .milliseconds(100))
        await joined.stop()
      }
      let greeted = rude.greeted.withLock { $0.count }
      #expect((64 + 3 * 32 - 2...64 + 3 * 32 + 10).contains(greeted), "\(greeted)")
      for connection in connections { connection.close() }
    }
  }

  #if os(Linux)
    /// Connections to a port of 127.0.0.1 that come from other addresses of this host, and say nothing.
    private final class IdleConnections {
      private var descriptors: [Int32] = []

      init(_ count: Int, to port: UInt16, from hosts: ClosedRange<UInt32>) {
        for host in hosts {
          for _ in 0..<count { connect(from: Self.address(host, 0), to: Self.address(1, port)) }
        }
      }

      deinit { for descriptor in descriptors { close(descriptor) } }

      var count: Int { descriptors.count }

      private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | host).bigEndian
        return address
      }

      private func connect(from source: sockaddr_in, to target: sockaddr_in) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return }
        descriptors.append(descriptor)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        for (address, call) in [(source, Glibc.bind), (target, Glibc.connect)] {
          withUnsafeBytes(of: address) { bytes in
            _ = call(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
          }
        }
      }
    }

    @Test("Over real sockets, too, six addresses that say nothing keep no newcomer out")
    func realSilence() async throws {
      try await Ground.real.meet { ann, bob in
        let idle = IdleConnections(30, to: await ann.port, from: 2...7)
        #expect(idle.count == 180)
        let meeting = try await Meeting(of: ann)
        let joined = try await meeting.join(bob)
        #expect(await ann.leftovers.count <= 64)
        await joined.stop()
        withExtendedLifetime(idle) {}
      }
    }
  #endif

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
          ended: .none, epoch: 1, received: 0,
          grant: ChannelGrant(messageLimit: 1_024, streams: 16), terms: Self.terms)
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
          ended: .none, epoch: 0, received: 0,
          grant: ChannelGrant(messageLimit: 1_024, streams: 16), terms: Self.terms)
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
