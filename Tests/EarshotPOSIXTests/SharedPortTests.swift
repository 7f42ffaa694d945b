import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

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

  #if canImport(Glibc)
    @Test("Who looks whether a port is taken keeps nobody from it")
    func lookedAt() async throws {
      let other = try POSIXHost(.loopback)
      let port = try await freePort(of: other)
      let looks = Mutex((free: 0, taken: 0, areOver: false))
      async let looking: Void = other.onLoop {
        while !looks.withLock({ $0.areOver }) {
          let isTaken = other.isDatagramPortTaken(port)
          looks.withLock { looks in if isTaken { looks.taken += 1 } else { looks.free += 1 } }
        }
      }
      var (times, refusals) = (0, 0)
      while times < 10_000 || looks.withLock({ $0.free == 0 || $0.taken == 0 }) {
        if !shares(port) { refusals += 1 }
        times += 1
      }
      looks.withLock { $0.areOver = true }
      try await looking
      #expect(refusals == 0)
      await other.shutDown()
    }

    /// Asks once for a port to share, as other programs do; whether it is had.
    ///
    /// A process that another test starts has the socket, too, until it runs its own program, which is no refusal to others.
    private func shares(_ port: UInt16) -> Bool {
      let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(socket) }
      var yes = Int32(1)
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in()
      (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
      return withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
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
