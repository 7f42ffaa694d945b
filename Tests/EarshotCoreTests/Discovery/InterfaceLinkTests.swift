import EarshotCore
import Testing

@Suite("Interfaces of one link")
struct InterfaceLinkTests {
  private static func interface(
    _ index: UInt32, _ addresses: [IPAddress], bits: Int = 24
  ) -> NetworkInterface {
    NetworkInterface(
      index: index, name: "en\(index)", addresses: addresses,
      networks: addresses.map { AddressRange($0, bits: $0.family == .v4 ? bits : 64) })
  }

  private static let first = IPAddress.v4(0x0A4D_0001)
  private static let second = IPAddress.v4(0x0A4D_0002)
  private static let elsewhere = IPAddress.v4(0x0A4E_0001)
  private static func linkLocal(_ index: UInt32) -> IPAddress {
    .v6(0xFE80 << 48, UInt64(index), scope: index)
  }

  @Test("Each interface of a link has the addresses of all of them, and no network more")
  func shared() {
    let interfaces = [
      Self.interface(1, [Self.first, Self.linkLocal(1)]),
      Self.interface(2, [Self.second, Self.linkLocal(2)]),
    ]
    let all = Set(interfaces.flatMap(\.addresses))
    for (before, after) in zip(interfaces, interfaces.withAddressesOfLinks) {
      #expect(Set(after.addresses) == all && after.addresses == after.addresses.sorted())
      #expect(after.networks == before.networks && after.index == before.index)
    }
  }

  @Test("Interfaces of different links keep to their own addresses")
  func apart() {
    let interfaces = [
      Self.interface(1, [Self.first, Self.linkLocal(1)]),
      Self.interface(2, [Self.elsewhere, Self.linkLocal(2)]),
    ]
    #expect(interfaces.withAddressesOfLinks == interfaces)
    let nested = [Self.interface(1, [Self.first]), Self.interface(2, [Self.second], bits: 30)]
    #expect(nested.withAddressesOfLinks == nested)
  }
}
