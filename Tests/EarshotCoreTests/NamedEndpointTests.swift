import EarshotCore
import TestKit
import Testing

/// Whether an endpoint is dialled because a remote peer names it.
@Suite("Named endpoints")
struct NamedEndpointTests {
  private static let lan = NetworkInterface(
    index: 2, name: "lan0", addresses: [.v4(0x0A01_0005), .v6(0xFE80 << 48, 5, scope: 2)],
    networks: [AddressRange(.v4(0x0A01_0005), bits: 22)])
  private static let link = NetworkInterface(
    index: 3, name: "ptp0", addresses: [.v4(0xC0A8_0102)],
    networks: [AddressRange(.v4(0xC0A8_0102), bits: 31)])

  private func mayDial(_ text: String, named source: String? = "10.1.0.9") throws -> Bool {
    let endpoint = try #require(Endpoint(text))
    let source = try source.map { try #require(IPAddress($0)) }
    return endpoint.mayBeDialled(onTheWordOf: source, with: [Self.lan, Self.link])
  }

  @Test(
    "What is no single host's is never dialled",
    arguments: [
      "0.0.0.0:7", "0.1.2.3:7", "[::]:7", "224.0.0.251:7", "239.1.2.3:7", "[ff02::fb%2]:7",
      "255.255.255.255:7", "10.1.3.255:7", "10.1.0.7:0", "[::ffff:0.0.0.0]:7",
      "[::ffff:224.0.0.1]:7", "[::ffff:255.255.255.255]:7", "[::ffff:10.1.3.255]:7",
    ])
  func nobody(text: String) throws {
    for source in ["10.1.0.9", "127.0.0.1", "::1", nil] {
      #expect(try !mayDial(text, named: source))
    }
  }

  @Test(
    "A loopback address is dialled on the word of who is on this host, and of nobody else",
    arguments: ["127.0.0.1:7", "127.9.8.7:7", "[::1]:7", "[::ffff:127.0.0.1]:7", "[::127.0.0.1]:7"])
  func loopback(text: String) throws {
    for source in ["127.0.0.1", "127.0.0.2", "::1", "10.1.0.5", "::ffff:10.1.0.5", "fe80::5%2"] {
      #expect(try mayDial(text, named: source))
    }
    for source in ["10.1.0.9", "10.1.0.4", "fe80::9%2", nil] {
      #expect(try !mayDial(text, named: source))
    }
  }

  @Test(
    "Hosts are dialled, also those whose address ends as a broadcast address does elsewhere",
    arguments: [
      "10.1.0.9:7", "10.1.0.255:7", "10.2.3.255:65535", "192.168.1.3:7", "[fe80::9%2]:7",
      "[2001:db8::1]:7", "[::ffff:10.1.0.9]:7", "100.64.0.1:7",
    ])
  func hosts(text: String) throws {
    #expect(try mayDial(text) && mayDial(text, named: nil))
  }

  @Test(
    "Of what a member says of another, all on this host's links are dialled, and four behind routers"
  )
  func introduced() throws {
    let near = try ["10.1.0.9:7", "[fe80::9%2]:7", "10.1.2.9:7", "192.168.1.3:7"].map {
      try #require(Endpoint($0))
    }
    let far = (1...6).map { Endpoint(.v4(0x0909_0900 + $0), port: 7) }
    let never = try ["0.0.0.0:7", "127.0.0.1:7"].map { try #require(Endpoint($0)) }
    let named = [
      never[0], far[0], near[0], far[1], near[1], far[2], far[3], near[2], far[4], far[5], never[1],
      near[3],
    ]
    let taken = named.dialable(asIntroducedBy: IPAddress("10.1.0.9"), with: [Self.lan, Self.link])
    #expect(taken == [far[0], near[0], far[1], near[1], far[2], far[3], near[2], near[3]])
    let here = named.dialable(asIntroducedBy: IPAddress("127.0.0.1"), with: [Self.lan, Self.link])
    #expect(here.contains(never[1]) && here.count == 9)
  }
}
