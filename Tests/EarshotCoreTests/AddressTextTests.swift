import EarshotCore
import TestKit
import Testing

@Suite("Addresses as texts")
struct AddressTextTests {
  @Test(
    "Every form of an address is read",
    arguments: [
      ("0.0.0.0", IPAddress.anyV4), ("255.255.255.255", .v4(.max)), ("10.0.0.1", .v4(0x0A00_0001)),
      ("::", .anyV6), ("::1", .v6(0, 1, scope: 0)), ("1::", .v6(1 << 48, 0, scope: 0)),
      ("fe80::1%2", .v6(0xFE80_0000_0000_0000, 1, scope: 2)),
      ("FE80::ABCD%4294967295", .v6(0xFE80_0000_0000_0000, 0xABCD, scope: .max)),
      ("2001:db8:0:0:8:800:200c:417a", .v6(0x2001_0DB8_0000_0000, 0x0008_0800_200C_417A, scope: 0)),
      ("2001:db8::8:800:200C:417A", .v6(0x2001_0DB8_0000_0000, 0x0008_0800_200C_417A, scope: 0)),
      (
        "0001:0002:0003:0004:0005:0006:0007:0008",
        .v6(0x0001_0002_0003_0004, 0x0005_0006_0007_0008, scope: 0)
      ),
      ("1:2:3:4:5:6:7::", .v6(0x0001_0002_0003_0004, 0x0005_0006_0007_0000, scope: 0)),
      ("::2:3:4:5:6:7:8", .v6(0x0000_0002_0003_0004, 0x0005_0006_0007_0008, scope: 0)),
      ("1::3:4:5:6:7:8", .v6(0x0001_0000_0003_0004, 0x0005_0006_0007_0008, scope: 0)),
      ("::13.1.68.3", .v6(0, 0x0D01_4403, scope: 0)),
      ("::ffff:129.144.52.38", .v6(0, 0xFFFF_8190_3426, scope: 0)),
      ("1:2:3:4:5:6:7.8.9.10", .v6(0x0001_0002_0003_0004, 0x0005_0006_0708_090A, scope: 0)),
    ])
  func good(text: String, address: IPAddress) {
    #expect(IPAddress(text) == address)
    #expect(IPAddress("x\(text)y".dropFirst().dropLast()) == address)
  }

  @Test(
    "What is no address is refused",
    arguments: [
      "", ".", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "1.2.3.", ".1.2.3", "1..2.3",
      " 1.2.3.4", "1.2.3.4 ", "1.2.3.-4", "1.2.3.+4", "1.2.3.4%1", "0x7f.0.0.1", "١.2.3.4",
      "1.2.3.4\0",
      ":", ":::", "1:", ":1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:",
      ":1:2:3:4:5:6:7:8", "1::2::3", "::1::", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
      "1:2:3:4::5:6:7:8", ":::1", "1:::2", "12345::", "g::", "-1::", "+1::", "::1%", "::1%0",
      "::1%01",
      "::1%eth0", "::1%1%2", "::1%4294967296", "%1", "[::1]", "::1.2.3", "::1.2.3.256",
      "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:7:8%", "::é",
    ])
  func bad(text: String) { #expect(IPAddress(text) == nil) }

  @Test(
    "Every form of an endpoint is read",
    arguments: [
      ("1.2.3.4:5", Endpoint(.v4(0x0102_0304), port: 5)), ("0.0.0.0:0", Endpoint(.anyV4, port: 0)),
      ("[::1]:5", Endpoint(.v6(0, 1, scope: 0), port: 5)),
      ("[fe80::1%2]:65535", Endpoint(.v6(0xFE80_0000_0000_0000, 1, scope: 2), port: .max)),
    ])
  func goodEndpoint(text: String, endpoint: Endpoint) {
    #expect(Endpoint(text) == endpoint)
    #expect(endpoint.description == text)
  }

  @Test(
    "What is no endpoint is refused",
    arguments: [
      "", ":", "1.2.3.4", "1.2.3.4:", ":5", "1.2.3.4:65536", "1.2.3.4:05", "1.2.3.4:-1",
      "1.2.3.4:5 ",
      "[1.2.3.4]:5", "::1:5", "[::1]", "[::1]:", "::1]:5", "[::1:5", "[]:5", "[:5", "[::1]5",
      "host:5",
      "1.2.3.4:٥",
    ])
  func badEndpoint(text: String) { #expect(Endpoint(text) == nil) }

  @Test("What is written is read again", arguments: Seed.some(50))
  func roundTrip(seed: Seed) {
    var random = seed.generator
    for _ in 0..<200 {
      let isSparse = random.below(2) == 0
      let mask = isSparse ? random.next() & random.next() & random.next() : .max
      let address: IPAddress =
        random.below(3) == 0
        ? .v4(UInt32(truncatingIfNeeded: random.next()))
        : .v6(
          random.next() & mask, isSparse ? random.next() & 0xFFFF : random.next(),
          scope: random.below(2) == 0 ? 0 : UInt32(truncatingIfNeeded: random.next()))
      let endpoint = Endpoint(address, port: UInt16(truncatingIfNeeded: random.next()))
      #expect(IPAddress(address.description) == address)
      #expect(Endpoint(endpoint.description) == endpoint)
    }
  }

  @Test("Any text is an address or is not, and what is read means the same when it is written")
  func fuzz() {
    let samples = [
      "10.0.0.1", "fe80::1%2", "::ffff:129.144.52.38", "1:2:3:4:5:6:7:8", "[::1]:5", "1.2.3.4:5",
    ]
    Fuzz.inputs(like: samples.map { Array($0.utf8) }, count: Fuzz.inputCount / 4) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let address = IPAddress(text) { #expect(IPAddress(address.description) == address) }
      if let endpoint = Endpoint(text) { #expect(Endpoint(endpoint.description) == endpoint) }
    }
  }
}
