import Earshot
import EarshotNetwork
import Testing

#if os(Linux)
  import Glibc

  @Suite("The largest datagrams")
  struct LargestDatagramTests {
    @Test("They come whole, over IPv4 and IPv6, and none is lost")
    func whole() async throws {
      try await Ground.real.meet { ann, bob in
        let meeting = try await Meeting(of: ann, test: "largest")
        let bobs = try await meeting.join(bob)
        // Bob has a port for datagrams when the first one gets through.
        while await bobs.statistics(of: ann.id)?.unreliable.usesDatagrams != true {
          try bobs.sendUnreliably([0], to: [ann.id])
          try await bob.wait(milliseconds: 10)
        }
        let port = await bob.port  // Of TCP, and of UDP as well.
        var count = 0
        for (family, byteCount) in [(AF_INET, 65_507), (AF_INET6, 65_527)] {
          let socket = socket(family, Int32(SOCK_DGRAM.rawValue), 0)
          defer { close(socket) }
          if send(byteCount, to: port, over: family, with: socket) == byteCount { count += 1 }
          #expect(send(byteCount + 1, to: port, over: family, with: socket) < 0)
        }
        #expect(count > 0)  // A host may have no IPv6.
        while await bob.strayDatagramCount + bob.lostDatagramCount < count {
          try await bob.wait(milliseconds: 10)
        }
        let (strays, lost) = (await bob.strayDatagramCount, await bob.lostDatagramCount)
        #expect(strays == count && lost == 0)
        withExtendedLifetime((meeting, bobs)) {}
      }
    }

    /// Sends a datagram to a port of the loopback interface.
    ///
    /// - Returns: How many bytes the system took.
    private func send(
      _ byteCount: Int, to port: UInt16, over family: Int32, with socket: Int32
    ) -> Int {
      let bytes = [UInt8](repeating: 0, count: byteCount)
      var (v4, v6) = (sockaddr_in(), sockaddr_in6())
      (v4.sin_family, v4.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
      v4.sin_addr.s_addr = (0x7F00_0001 as UInt32).bigEndian
      (v6.sin6_family, v6.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
      v6.sin6_addr = in6addr_loopback
      func send(to address: UnsafeRawBufferPointer) -> Int {
        sendto(
          socket, bytes, bytes.count, 0,
          address.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(address.count))
      }
      return family == AF_INET
        ? withUnsafeBytes(of: v4, send) : withUnsafeBytes(of: v6, send)
    }
  }
#endif
