import EarshotCore
import TestKit
import Testing

@Suite("DNS messages")
struct DNSMessageTests {
  private let instance = DNSName("Ann", "_chat", "_tcp", "local")

  /// Hexadecimal bytes; a word in quotes is a label or a string behind its length.
  private func bytes(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if word.hasPrefix("'") {
        let label = Array(word.dropFirst().dropLast().utf8)
        bytes.append(UInt8(label.count))
        bytes += label
      } else if let byte = UInt8(word, radix: 16) {
        bytes.append(byte)
      }
    }
    return bytes
  }

  @Test("A query is these bytes (M51: the id is 0)")
  func goldenQuery() throws {
    let query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr, wantsUnicast: true)])
    let golden = bytes(
      "00 00 00 00 00 01 00 00 00 00 00 00 '_chat' '_tcp' 'local' 00 00 0C 80 01")
    #expect(query.packets() == [golden])
    #expect(try DNSMessage(decoding: golden) == query)
  }

  @Test("A response is these bytes, every end of a name written once (M42, M53, M54)")
  func goldenResponse() throws {
    let host = DNSName("k7", "local")
    let response = DNSMessage(
      answering: [
        DNSRecord(Ann.domain, .pointer(instance), lifetimeSeconds: 4_500),
        DNSRecord(
          instance, .service(priority: 0, weight: 0, port: 7_100, host: host),
          lifetimeSeconds: 120, flushesCache: true),
        DNSRecord(instance, .text([3] + "v=1".utf8), lifetimeSeconds: 4_500, flushesCache: true),
      ],
      adding: [
        DNSRecord(host, .address(.v4(0x0A00_0001)), lifetimeSeconds: 120, flushesCache: true),
        DNSRecord(host, .types(next: host, [.a]), lifetimeSeconds: 120, flushesCache: true),
      ])
    let golden = bytes(
      """
      00 00 84 00 00 00 00 03 00 00 00 02
      '_chat' '_tcp' 'local' 00 00 0C 00 01 00 00 11 94 00 06 'Ann' C0 0C
      C0 28 00 21 80 01 00 00 00 78 00 0B 00 00 00 00 1B BC 'k7' C0 17
      C0 28 00 10 80 01 00 00 11 94 00 04 'v=1'
      C0 40 00 01 80 01 00 00 00 78 00 04 0A 00 00 01
      C0 40 00 2F 80 01 00 00 00 78 00 05 C0 40 00 01 40
      """)
    #expect(response.packets() == [golden])
    #expect(try DNSMessage(decoding: golden) == response)
  }

  @Test("What is written is read back", arguments: Seed.some(200))
  func roundTrip(seed: Seed) throws {
    var random = seed.generator
    let message = DNSMessage.any(using: &random)
    let packets = message.packets(bytesMax: 9_000)
    #expect(packets.count == 1)
    #expect(try DNSMessage(decoding: packets[0]) == message)
  }

  @Test("A query that is too long goes on with known answers alone (M28)", arguments: Seed.some(20))
  func splitting(seed: Seed) throws {
    var random = seed.generator
    let known = (0..<100 + random.below(200)).map { number in
      DNSRecord(
        Ann.domain, .pointer(DNSName("Peer number \(number)", "_chat", "_tcp", "local")),
        lifetimeSeconds: 4_000)
    }
    let packets = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)], knowing: known).packets()
    let messages = try packets.map { try DNSMessage(decoding: $0) }
    #expect(packets.allSatisfy { $0.count <= 1_440 })
    #expect(messages.flatMap(\.answers) == known)
    #expect(messages.map(\.questions.count) == [1] + messages.dropFirst().map { _ in 0 })
    #expect(messages.map(\.isTruncated) == messages.dropLast().map { _ in true } + [false])
  }

  @Test("A packet above the comfortable length has one record, and none exceeds 9,000 bytes (M50)")
  func largeRecords() throws {
    func record(_ count: Int) -> DNSRecord {
      DNSRecord(
        instance, .other(DNSType(rawValue: 99), [UInt8](repeating: 7, count: count)),
        lifetimeSeconds: 1)
    }
    let packets = DNSMessage(answering: [1_000, 2_000, 9_500, 1_000].map(record)).packets()
    let messages = try packets.map { try DNSMessage(decoding: $0) }
    #expect(messages.map(\.answers.count) == [1, 1, 1])
    #expect(packets.allSatisfy { $0.count <= 9_000 })
    #expect(messages.allSatisfy { !$0.isTruncated && $0.isResponse })  // M53
  }

  @Test("A host in a service record stands in full for resolvers that know only unicast DNS (M25)")
  func uncompressedService() throws {
    let record = DNSRecord(
      instance, .service(priority: 0, weight: 0, port: 1, host: DNSName("k7", "local")),
      lifetimeSeconds: 10)
    let message = DNSMessage(answering: [record])
    let long = message.packets(compressesServices: false)[0]
    #expect(long.suffix(10) == bytes("'k7' 'local' 00")[...])
    #expect(long.count > message.packets()[0].count)
    #expect(try DNSMessage(decoding: long) == message)
  }

  @Test("A record that cannot be read is left out without the others (M13)")
  func unreadableRecord() throws {
    let good = DNSRecord(Ann.domain, .pointer(instance), lifetimeSeconds: 9)
    var packet = DNSMessage(answering: [good]).packets()[0]
    packet[7] = 3
    packet += bytes("C0 0C 00 2F 80 01 00 00 00 78 00 02 C0 0C")  // Types without a bitmap.
    packet += bytes("C0 0C 00 01 80 01 00 00 00 78 00 03 0A 00 00")  // An address of three bytes.
    #expect(try DNSMessage(decoding: packet).answers == [good])
  }

  @Test("A strange next name in a record of types is read over (M13)")
  func strangeTypes() throws {
    let good = DNSRecord(Ann.domain, .pointer(instance), lifetimeSeconds: 9)
    let strange = DNSRecord(
      instance, .types(next: DNSName("somewhere", "else"), [.srv]), lifetimeSeconds: 9)
    let packet = DNSMessage(answering: [strange, good]).packets()[0]
    let answers = try DNSMessage(decoding: packet).answers
    #expect(answers.count == 2 && answers.last == good)
  }

  @Test("Another id, and bits that say nothing among neighbours, change nothing (M51, M53)")
  func strangeHeader() throws {
    let record = DNSRecord(Ann.domain, .pointer(instance), lifetimeSeconds: 9)
    let packet = DNSMessage(answering: [record]).packets()[0]
    // Not authoritative; recursion desired and available; reserved; authentic data; checking disabled.
    for flags: UInt16 in [0x8000, 0x8500, 0x8480, 0x8440, 0x8420, 0x8410, 0x81F0] {
      var strange = packet
      (strange[0], strange[1]) = (0x12, 0x34)
      (strange[2], strange[3]) = (UInt8(flags >> 8), UInt8(flags & 0xFF))
      let message = try DNSMessage(decoding: strange)
      #expect(message.isOrdinary && message.isResponse && !message.isTruncated)
      #expect(message.answers == [record])
    }
  }

  @Test("With another operation, or the code of an error, it is a message of another kind (M52)")
  func otherKinds() throws {
    let query = DNSMessage(asking: [DNSQuestion(Ann.domain, .ptr)]).packets()[0]
    for number: UInt8 in 1...15 {
      var (operation, code) = (query, query)
      operation[2] |= number << 3
      code[3] |= number
      #expect(try !DNSMessage(decoding: operation).isOrdinary, "\(number)")
      #expect(try !DNSMessage(decoding: code).isOrdinary, "\(number)")
    }
    #expect(try DNSMessage(decoding: query).isOrdinary)
  }

  @Test("Records and questions of another class are left out")
  func otherClasses() throws {
    let packet = bytes(
      """
      00 00 84 00 00 01 00 01 00 00 00 00 'a' 00 00 01 00 03
      C0 0C 00 01 00 03 00 00 00 01 00 04 01 02 03 04
      """)
    let message = try DNSMessage(decoding: packet)
    #expect(message.questions.isEmpty && message.answers.isEmpty)
  }

  @Test("Strings of no bytes at all are one empty string (D03)")
  func emptyText() throws {
    let packet = bytes(
      "00 00 84 00 00 00 00 01 00 00 00 00 'a' 00 00 10 00 01 00 00 00 01 00 00")
    #expect(try DNSMessage(decoding: packet).answers.first?.data == .text([0]))
  }

  @Test(
    "A name that leads forward, to itself, into the header or on for ever is refused",
    arguments: ["C0 0C", "C0 0E", "C0 00", "C0 FF", "40 61 00", "80", "3F 61"])
  func badNames(text: String) {
    let packet = bytes("00 00 00 00 00 01 00 00 00 00 00 00 \(text) 00 0C 00 01")
    #expect(throws: WireError.self) { try DNSMessage(decoding: packet) }
  }

  @Test("Pointers are followed sixteen times and no more")
  func pointerChain() throws {
    func packet(hops: Int) -> [UInt8] {
      var packet = bytes("00 00 00 00 00 00 00 00 00 00 00 00")
      packet[5] = UInt8(hops + 1)
      packet += bytes("'a' 00 00 0C 00 01")
      for hop in 0..<hops {
        let previous = hop == 0 ? 12 : 12 + 7 + (hop - 1) * 8
        packet += [1, 0x62, 0xC0, UInt8(previous)] + bytes("00 0C 00 01")
      }
      return packet
    }
    #expect(try DNSMessage(decoding: packet(hops: 16)).questions.last?.name.labels.count == 17)
    #expect(throws: WireError.malformed) { try DNSMessage(decoding: packet(hops: 17)) }
  }

  @Test("Too long a packet and too many records are refused before they are read")
  func bounds() {
    #expect(throws: WireError.tooLong) {
      try DNSMessage(decoding: [UInt8](repeating: 0, count: 9_001))
    }
    #expect(throws: WireError.tooLong) {
      try DNSMessage(decoding: bytes("00 00 84 00 00 00 02 01 00 00 00 00"))
    }
    #expect(throws: WireError.truncated) { try DNSMessage(decoding: []) }
    #expect(throws: WireError.truncated) {
      try DNSMessage(decoding: bytes("00 00 84 00 00 20 00 00 00 00 00 00"))
    }
  }

  @Test("No bytes trap the decoder, and whatever is read can be written and read again")
  func fuzz() throws {
    var random = Seed(7).generator
    let samples = (0..<40).flatMap { _ in
      DNSMessage.any(using: &random).packets(bytesMax: 9_000)
    }
    var (survived, unequal) = (0, 0)
    Fuzz.inputs(like: samples) { input in
      guard let message = try? DNSMessage(decoding: input) else { return }
      survived += 1
      guard survived % 16 == 0 else { return }
      let packets = message.packets(bytesMax: 9_000)
      if packets.count == 1, (try? DNSMessage(decoding: packets[0])) == nil { unequal += 1 }
    }
    #expect(survived > Fuzz.inputCount / 100)
    #expect(unequal == 0)
  }
}

extension DNSMessage {
  /// A message as it might come, of every kind of record.
  static func any(using random: inout RandomStream) -> DNSMessage {
    func name() -> DNSName {
      let labels = (0..<1 + random.below(4)).map { _ in
        random.bytes(1 + Int(random.below(6))).map { 97 + $0 % 26 }
      }
      return DNSName(labels: labels + [Array("local".utf8)]) ?? .root
    }
    func data() -> DNSData {
      switch random.below(7) {
      case 0: .address(.v4(UInt32(truncatingIfNeeded: random.next())))
      case 1: .address(.v6(random.next(), random.next(), scope: 0))
      case 2: .pointer(name())
      case 3:
        .service(
          priority: 1, weight: 2, port: UInt16(truncatingIfNeeded: random.next()), host: name())
      case 4: .text([2, 97, 61])
      case 5: .types(next: name(), [.a, .txt, .aaaa])
      default: .other(DNSType(rawValue: 99), random.bytes(Int(random.below(20))))
      }
    }
    func records() -> [DNSRecord] {
      (0..<random.below(5)).map { _ in
        DNSRecord(
          name(), data(), lifetimeSeconds: UInt32(random.below(5_000)),
          flushesCache: random.below(2) == 0)
      }
    }
    if random.below(2) == 0 {
      return DNSMessage(
        asking: (0...random.below(3)).map { _ in
          DNSQuestion(name(), .any, wantsUnicast: random.below(2) == 0)
        }, knowing: records(), claiming: records())
    }
    return DNSMessage(answering: records(), adding: records())
  }
}
