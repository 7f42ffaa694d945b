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
    let address = try #require(peer.network.interfaces.first?.addresses.first)
    let endpoint = Endpoint(address, port: await peer.port)
    var connections: [(Silent, any Connection)] = []
    for _ in 0..<count {
      let handler = Silent()
      let connection = try caller.network.connect(
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
