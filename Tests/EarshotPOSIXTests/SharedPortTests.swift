import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

@Suite("Ports that several sockets share")
struct SharedPortTests {
  private func open(
    _ port: UInt16, isShared: Bool, on host: POSIXHost
  ) throws(NetworkError) -> any DatagramSocket {
    try host.openDatagramSocket(
      on: Endpoint(.anyV4, port: port), options: DatagramOptions(sharesPort: isShared),
      handler: SilentHandler())
  }

  /// A port that no socket has.
  private func freePort(of host: POSIXHost) async throws -> UInt16 {
    try await host.onLoop { [self] in
      let socket = try open(0, isShared: false, on: host)
      defer { socket.close() }
      return socket.localEndpoint.port
    }
  }

  #if os(Linux)
    @Test("Who looks whether a port is taken keeps nobody from it")
    func lookedAt() async throws {
      let (host, other) = (try POSIXHost(.loopback), try POSIXHost(.loopback))
      let port = try await freePort(of: host)
      let looks = Mutex((free: 0, taken: 0, areOver: false))
      async let looking: Void = other.onLoop {
        while !looks.withLock({ $0.areOver }) {
          let isTaken = other.isDatagramPortTaken(port)
          looks.withLock { looks in if isTaken { looks.taken += 1 } else { looks.free += 1 } }
        }
      }
      // Shared, since a process that another test starts has the descriptors, too, until it runs its own program.
      let refusals = try await host.onLoop { [self] in
        var (times, refusals) = (0, 0)
        while times < 10_000 || looks.withLock({ $0.free == 0 || $0.taken == 0 }) {
          let socket = try? open(port, isShared: true, on: host)
          socket?.close()
          (times, refusals) = (times + 1, refusals + (socket == nil ? 1 : 0))
        }
        return refusals
      }
      looks.withLock { $0.areOver = true }
      try await looking
      #expect(refusals == 0)
      for host in [host, other] { await host.shutDown() }
    }
  #endif

  @Test("A port that another program holds for a moment is had when it is free")
  func heldForMoment() async throws {
    let (host, other) = (try POSIXHost(.loopback), try POSIXHost(.loopback))
    let port = try await freePort(of: host)
    // The moment is up to the system, which may be busy for longer than the port is asked for.
    var isHad = false
    for _ in 0..<100 where !isHad {
      let holder = try await other.onLoop { [self] in try open(port, isShared: false, on: other) }
      async let release: Void = other.onLoop {
        try await other.clock.sleep(for: .milliseconds(5))
        holder.close()
      }
      isHad = try await host.onLoop { [self] in
        let socket = try? open(port, isShared: true, on: host)
        defer { socket?.close() }
        return socket != nil
      }
      try await release
    }
    #expect(isHad)
    for host in [host, other] { await host.shutDown() }
  }
}
