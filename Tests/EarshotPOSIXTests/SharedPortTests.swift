import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

@Suite("Ports that several sockets share")
struct SharedPortTests {
  private final class Silent: DatagramHandler {
    func datagramSocket(
      _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
    ) {}
    func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
  }

  private func open(
    _ port: UInt16, isShared: Bool, on host: POSIXHost
  ) throws(NetworkError) -> any DatagramSocket {
    try host.openDatagramSocket(
      on: Endpoint(.anyV4, port: port), options: DatagramOptions(sharesPort: isShared),
      handler: Silent())
  }

  @Test("One is had although another program looks again and again whether the port is free")
  func lookedAt() async throws {
    let (host, other) = (try POSIXHost(.loopback), try POSIXHost(.loopback))
    let port = try await host.onLoop { [self] in
      let socket = try open(0, isShared: false, on: host)
      defer { socket.close() }
      return socket.localEndpoint.port
    }
    let isOver = Mutex(false)
    async let looks = other.onLoop { [self] in
      var count = 0
      while !isOver.withLock({ $0 }) {
        guard let socket = try? open(port, isShared: false, on: other) else { continue }
        socket.close()
        count += 1
      }
      return count
    }
    let refusals = try await host.onLoop { [self] in
      (0..<10_000).count { _ in
        guard let socket = try? open(port, isShared: true, on: host) else { return true }
        socket.close()
        return false
      }
    }
    isOver.withLock { $0 = true }
    #expect(refusals == 0)
    let count = try await looks
    #expect(count > 0)
    for host in [host, other] { await host.shutDown() }
  }
}
