import EarshotCore
import Testing

@Suite("Another host with the identity of this peer")
struct IdentityWatchTests {
  private static let own = IPAddress.v4(0x0A00_0001)
  private static func other(_ number: UInt32) -> IPAddress { .v4(0x0A00_0100 + number) }

  private static func watch() -> IdentityWatch {
    var watch = IdentityWatch(for: Ann.id)
    watch.note([NetworkInterface(index: 1, name: "en0", addresses: [own])])
    return watch
  }

  /// What a host says of a peer.
  private static func arrival(
    of addresses: [IPAddress], ordinal: Int = 1, seconds: UInt32 = 120, id: PeerID = Ann.id,
    from source: IPAddress? = nil, isQuestion: Bool = false
  ) throws -> DNSArrival {
    var announcement = try Ann.announcement(id: id)
    announcement.ordinal = ordinal
    let records = addresses.map {
      DNSRecord(announcement.hostName, .address($0), lifetimeSeconds: seconds)
    }
    let message =
      isQuestion
      ? DNSMessage(asking: [DNSQuestion(announcement.hostName, .any)], claiming: records)
      : DNSMessage(answering: records)
    let source = Endpoint(source ?? addresses[0], port: DNSArrival.port)
    return DNSArrival(message, from: source, on: 1)
  }

  @Test("Each host that announces it is reported once, by whatever address and name")
  func once() throws {
    var watch = Self.watch()
    let both = [Self.other(1), Self.other(2)]
    #expect(watch.review(try Self.arrival(of: both)) == Self.other(1))
    #expect(watch.review(try Self.arrival(of: both)) == nil)
    #expect(watch.review(try Self.arrival(of: [Self.other(2)], ordinal: 2)) == nil)
    #expect(watch.review(try Self.arrival(of: [Self.other(3)], ordinal: 2)) == Self.other(3))
  }

  @Test("What this host said, at addresses that it has or had, is not another host's")
  func ownWords() throws {
    var watch = Self.watch()
    let moved = IPAddress.v4(0x0A00_0002)
    watch.note([NetworkInterface(index: 1, name: "en0", addresses: [moved])])
    for address in [Self.own, moved] {
      let reflected = try Self.arrival(of: [address], from: Self.other(9))
      #expect(watch.review(reflected) == nil)
    }
    #expect(watch.review(try Self.arrival(of: [Self.other(1)], from: moved)) == nil)
  }

  @Test("Goodbyes, questions and other identities are none of it")
  func others() throws {
    var watch = Self.watch()
    #expect(watch.review(try Self.arrival(of: [Self.other(1)], seconds: 0)) == nil)
    #expect(watch.review(try Self.arrival(of: [Self.other(1)], isQuestion: true)) == nil)
    #expect(watch.review(try Self.arrival(of: [Self.other(1)], id: Ann.peer(2))) == nil)
  }

  @Test("However many hosts announce it, sixteen are reported")
  func bounded() throws {
    var watch = Self.watch()
    let reported = try (1...1_000).compactMap { number in
      watch.review(try Self.arrival(of: [Self.other(number)]))
    }
    #expect(reported == (1...16).map { Self.other($0) })
    #expect(IdentityWatch.reportsMax == 16)
  }
}
