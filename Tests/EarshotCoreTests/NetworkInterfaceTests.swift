import EarshotCore
import Testing

@Suite("Addresses of a link")
struct NetworkInterfaceTests {
  private let interface = NetworkInterface(
    index: 2, name: "en0", addresses: [],
    networks: [
      AddressRange(.v4(0xC0A8_0105), bits: 20), AddressRange(.v4(0x0A00_0001), bits: 32),
      AddressRange(.v4(0xAC10_0000), bits: 31),
      AddressRange(.v6(0x2001_0DB8_0000_0001, 5, scope: 0), bits: 72),
    ])

  @Test(
    "An address is of the link if it begins like one of its networks, or is link-local",
    arguments: [
      (.v4(0xC0A8_0000), true), (.v4(0xC0A8_0FFF), true), (.v4(0xC0A8_1000), false),
      (.v4(0x0A00_0001), true), (.v4(0x0A00_0002), false), (.v4(0xA9FE_1234), true),
      (.v6(0x2001_0DB8_0000_0001, 0x00FF << 48, scope: 0), true),
      (.v6(0x2001_0DB8_0000_0001, 0x01FF << 48, scope: 0), false),
      (.v6(0x2001_0DB8_0000_0002, 5, scope: 0), false), (.v6(0xFE80 << 48, 9, scope: 7), true),
    ] as [(IPAddress, Bool)])
  func onLink(address: IPAddress, isOnLink: Bool) {
    #expect(interface.isOnLink(address) == isOnLink)
  }

  @Test(
    "The last address of an IPv4 network is that of all its hosts, unless it has but one or two",
    arguments: [
      (.v4(0xC0A8_0FFF), false), (.v4(0xC0A8_0FFE), true), (.v4(0xAC10_0001), true),
      (.v4(0x0A00_0001), true), (.v4(0xE000_00FB), false), (.anyV4, false),
      (.v6(0xFE80 << 48, ~0, scope: 0), true),
    ] as [(IPAddress, Bool)])
  func hosts(address: IPAddress, canBeHost: Bool) {
    #expect(interface.canBeHost(address) == canBeHost)
  }

  @Test("A range of more bits than its addresses have holds none")
  func tooNarrow() {
    #expect(!AddressRange(.v4(1), bits: 33).contains(.v4(1)))
    #expect(AddressRange(.v4(1), bits: 0).contains(.v4(~0)))
  }
}
