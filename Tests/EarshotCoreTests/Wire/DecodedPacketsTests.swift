import EarshotCore
import TestKit
import Testing

@Suite("Packets that were decoded lately")
struct DecodedPacketsTests {
  private func packet(_ number: Int) throws -> [UInt8] {
    let name = DNSName("Guest \(number)", "_chat", "_tcp", "local")
    let record = DNSRecord(name, .text([0]), lifetimeSeconds: 4_500)
    return try #require(DNSMessage(answering: [record]).packets().first)
  }

  @Test("What a packet says is the same the second time, whatever came in between")
  func same() throws {
    var decoded = DecodedPackets()
    for _ in 0..<2 {
      for number in 0..<6_000 {
        let packet = try packet(number)
        let hash = PacketMemory.hash(of: packet.span)
        let message = try decoded.message(of: packet.span, on: 1, hash: hash).message
        #expect(try message == DNSMessage(decoding: packet))
      }
    }
  }

  @Test("Packets of the same hash are not taken for each other")
  func sameHash() throws {
    var decoded = DecodedPackets()
    for number in [1, 2, 1] {
      let packet = try packet(number)
      let message = try decoded.message(of: packet.span, on: 1, hash: 7).message
      #expect(try message == DNSMessage(decoding: packet))
    }
  }

  @Test("What was said before in other letters, or for another time, is said as it is now")
  func letters() throws {
    var decoded = DecodedPackets()
    let words = ["Ann", "ANN", "ann", "Ann"]
    for (number, word) in words.enumerated() {
      let (name, service) = (DNSName(word, "_chat", "_tcp", "local"), DNSName("_chat", "local"))
      let records = [
        DNSRecord(service, .pointer(name), lifetimeSeconds: UInt32(number)),
        DNSRecord(
          service, .service(priority: 0, weight: 0, port: 7, host: name), lifetimeSeconds: 120,
          flushesCache: number > 1),
        DNSRecord(name, .types(next: name, [.txt]), lifetimeSeconds: 120),
        DNSRecord(name, .text([1, UInt8(number / 2)]), lifetimeSeconds: 120),
      ]
      let packet = try #require(DNSMessage(answering: records).packets().first)
      let hash = PacketMemory.hash(of: packet.span)
      let message = try decoded.message(of: packet.span, on: 1, hash: hash).message
      #expect(try message == DNSMessage(decoding: packet))
      #expect(DNSMessage(answering: message.answers).packets() == [packet])
    }
  }

  @Test("A browser finds and updates the same peers, whether it decodes its packets alone")
  func peers() throws {
    var decoded = DecodedPackets()
    var (alone, sharing) = (
      try BrowserBench(interfaces: [1, 2]), try BrowserBench(interfaces: [1, 2])
    )
    var ann = Said(announcement: try Ann.announcement())
    let link = IPAddress.v6(0xFE80 << 48, 1, scope: 0)
    let linkHost = DNSRecord(
      ann.announcement.hostName, .address(link), lifetimeSeconds: 120, flushesCache: false)
    var said = [ann.all, [ann.text], ann.all + [linkHost]]
    ann.announcement = try Ann.announcement(info: ["room": "bar"])
    said += [[ann.text], ann.all, [ann.pointer.living(0)]]
    for records in said {
      for interface: UInt32 in [2, 1, 2] {
        let packet = try #require(DNSMessage(answering: records).packets().first)
        alone.hear(try DNSMessage(decoding: packet), on: interface)
        let hash = PacketMemory.hash(of: packet.span)
        let shared = try decoded.message(of: packet.span, on: interface, hash: hash)
        sharing.hear(shared.message, on: interface)
        alone.run(for: .seconds(3))
        sharing.run(for: .seconds(3))
      }
    }
    #expect(alone.news == sharing.news && alone.news.contains("updated"))
    #expect(alone.reports.map(\.report) == sharing.reports.map(\.report))
  }

  @Test("A packet that cannot be read is refused every time")
  func refused() throws {
    var decoded = DecodedPackets()
    let whole = try packet(1)
    for count in 0..<whole.count {
      let packet = Array(whole[..<count])
      for _ in 0..<2 {
        #expect(throws: WireError.self) {
          try decoded.message(of: packet.span, on: 1, hash: UInt64(count))
        }
      }
    }
  }
}

@Suite("Numbers that are computed the short way")
struct ShortWayTests {
  @Test("A duration has the nanoseconds of its seconds and attoseconds", arguments: Seed.some(200))
  func nanoseconds(seed: Seed) {
    var random = seed.generator
    for bits in 1..<64 {
      let seconds = Int64(random.next() >> UInt64(bits)) / 1_000_000_000
      let attoseconds = Int64(random.below(1_000_000_000_000_000_000))
      for sign: Int64 in [1, -1] {
        let duration = Duration(
          secondsComponent: sign * seconds, attosecondsComponent: sign * attoseconds)
        #expect(
          duration.nanoseconds == sign * (seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
      }
    }
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
    #expect(Duration.seconds(9_223_372_037).nanoseconds == .max)
  }

  @Test("The hash of bytes is that of their words, the most significant byte first")
  func hash() {
    var random = RandomStream(seed: 1)
    for count in 0..<40 {
      let bytes = random.bytes(count)
      var (hash, words) = (RollingHash(), RollingHash())
      hash.combine(bytes: bytes.span)
      for start in stride(from: 0, to: count, by: 8) {
        words.combine(
          bytes[start..<min(start + 8, count)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      }
      words.combine(UInt64(count))
      #expect(hash == words)
    }
  }
}
