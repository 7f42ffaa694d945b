import EarshotCore
import TestKit
import Testing

@Suite("What a peer announces")
struct AnnouncementTests {
  @Test(
    "A service type has 1 to 15 lower-case letters, digits and lonely hyphens (D08)",
    arguments: ["a", "chat", "my-chat-2", "123456789012-ab", "1a"])
  func goodTypes(text: String) throws { #expect(try ServiceType(text).text == text) }

  @Test(
    "Any other service type is refused with a sentence (D08)",
    arguments: [
      ("", ServiceTypeError.length("")), ("a234567890123456", .length("a234567890123456")),
      ("Chat", .character("Chat")), ("_chat", .character("_chat")), ("ch t", .character("ch t")),
      ("chät", .character("chät")), ("123", .noLetter("123")), ("-", .noLetter("-")),
      ("-chat", .hyphen("-chat")), ("chat-", .hyphen("chat-")), ("a--b", .hyphen("a--b")),
    ])
  func badTypes(text: String, error: ServiceTypeError) {
    #expect(throws: error) { try ServiceType(text) }
    #expect(error.description.hasSuffix("."))
  }

  @Test("A display name has 1 to 63 bytes and no control characters (D01)")
  func names() throws {
    #expect(throws: DisplayNameError.empty) { try DisplayName("") }
    #expect(throws: DisplayNameError.tooLong(bytes: 64)) {
      try DisplayName(String(repeating: "a", count: 64))
    }
    #expect(throws: DisplayNameError.controlCharacter) { try DisplayName("a\nb") }
    #expect(throws: DisplayNameError.controlCharacter) { try DisplayName("a\u{7F}") }
    #expect(throws: DisplayNameError.controlCharacter) { try DisplayName("\u{FEFF}a") }
    #expect(try DisplayName(String(repeating: "a", count: 63)).text.count == 63)
    #expect(try DisplayName("Dr. Ann 👩‍🚀").text == "Dr. Ann 👩‍🚀")
  }

  @Test("Discovery info is refused with a sentence when it does not fit (D04, D05)")
  func info() {
    func check(_ values: [String: String], _ error: DiscoveryInfoError) {
      #expect(throws: error) { try DiscoveryInfo(values) }
      #expect(error.description.hasSuffix("."))
    }
    check(["": "x"], .emptyKey)
    check(["a=b": "x"], .keyCharacter("a=b"))
    check(["ä": "x"], .keyCharacter("ä"))
    for key in ["_v", "_ID", "_", "_mine"] { check([key: "x"], .reservedKey(key)) }
    check(["Room": "1", "room": "2"], .duplicateKey("room"))
    check(["k": String(repeating: "x", count: 254)], .entryTooLong(key: "k", bytes: 256))
    let many = Dictionary(
      uniqueKeysWithValues: (0..<6).map { ("k\($0)", String(repeating: "x", count: 240)) })
    check(many, .tooLarge(bytes: 6 * 244))
  }

  @Test("Discovery info of the largest size is read back as it was", arguments: Seed.some(50))
  func infoRoundTrip(seed: Seed) throws {
    var random = seed.generator
    let values = Dictionary(
      (0..<random.below(20)).map { number in
        ("key \(number)", String(repeating: "ä", count: Int(random.below(20))))
      }, uniquingKeysWith: { first, _ in first })
    let announcement = try Ann.announcement(info: values)
    let record = TextRecord(bytes: announcement.text.bytes)
    #expect(DiscoveryInfo(remote: record)?.dictionary == values)
    #expect(DiscoveryInfo(remote: record) == announcement.info)
  }

  @Test("Every key without an underscore is the application's, whatever Earshot's own are called")
  func ownKeys() throws {
    let values = ["id": "x", "v": "2", "n": "y", "info": "", "ID_": "z"]
    let announcement = try Ann.announcement(info: values)
    let peer = DiscoveredPeer(
      instance: announcement.instanceName, text: TextRecord(bytes: announcement.text.bytes),
      endpoints: [])
    #expect(peer?.info == values && peer?.id == Ann.id && peer?.name == "Ann")
  }

  @Test("Info that is absent is not the same as info without keys")
  func absentInfo() throws {
    for values in [nil, [:], ["room": "lobby"]] {
      var announcement = try Ann.announcement()
      announcement.info = try values.map { try DiscoveryInfo($0) }
      let peer = DiscoveredPeer(
        instance: announcement.instanceName, text: TextRecord(bytes: announcement.text.bytes),
        endpoints: [])
      #expect(peer != nil && peer?.info == values)
    }
    let id = TextRecord.Entry(key: "_id", value: Array(Ann.id.description.utf8))
    let foreign = TextRecord([
      TextRecord.Entry(key: "_v", value: [0x31]), id, TextRecord.Entry(key: "_new", value: [1]),
    ])
    let name = DNSName("x", "_chat", "_tcp", "local")
    #expect(DiscoveredPeer(instance: name, text: foreign, endpoints: [])?.info == .some(nil))
  }

  @Test("Of strings the first of equal keys wins, and those without a key are left out (D05, D06)")
  func strings() {
    let strings = ["v=1", "=x", "Room=a", "room=b", "flag", "empty=", ""]
    var bytes: [UInt8] = []
    for string in strings { bytes += [UInt8(string.utf8.count)] + Array(string.utf8) }
    bytes += [9, 120]  // Not whole.
    let record = TextRecord(bytes: bytes)
    #expect(record.entries.map(\.key) == ["v", "Room", "flag", "empty"])
    #expect(record["ROOM"] == Array("a".utf8))
    #expect(record["flag"] == [] && record["empty"] == [] && record["nothing"] == nil)
    #expect(TextRecord(bytes: []).entries.isEmpty && TextRecord([]).bytes == [0])  // D02
  }

  @Test("The version comes first, and the whole identifier is told (D07)")
  func text() throws {
    let announcement = try Ann.announcement()
    #expect(announcement.text.entries.map(\.key) == ["_v", "_id", "room"])
    #expect(announcement.text["_id"] == Array(Ann.id.description.utf8))
    #expect(announcement.instanceLabel == "Ann (\(Ann.id.short))")
    #expect(announcement.hostName == DNSName(String(Ann.id.description.prefix(16)), "local"))
  }

  @Test("A label has at most 63 bytes, cut between characters, and the whole name survives (D12)")
  func longNames() throws {
    let names = [
      String(repeating: "a", count: 63), String(repeating: "é", count: 31),
      String(repeating: "👩‍🚀", count: 5), "Ann",
    ]
    for name in names {
      for ordinal in [1, 2, 999] {
        var announcement = Announcement(
          of: Ann.id, named: try DisplayName(name), offering: try ServiceType("chat"), on: 1)
        announcement.ordinal = ordinal
        let label = announcement.instanceLabel
        #expect(label.utf8.count <= 63)
        #expect(label.hasSuffix(ordinal == 1 ? "(\(Ann.id.short))" : " (\(ordinal))"))
        let service = DiscoveredPeer(
          instance: announcement.instanceName, text: announcement.text, endpoints: [])
        #expect(service?.name == name && service?.id == Ann.id)
      }
    }
  }

  @Test("What is no peer of our version is none")
  func strangers() throws {
    let id = TextRecord.Entry(key: "_id", value: Array(Ann.id.description.utf8))
    let one = TextRecord.Entry(key: "_v", value: [0x31])
    let two = TextRecord.Entry(key: "_v", value: [0x32])
    let short = TextRecord.Entry(key: "_id", value: [0x61])
    for entries in [[], [id], [one], [two, id], [one, short]] {
      let name = DNSName("x", "_chat", "_tcp", "local")
      #expect(
        DiscoveredPeer(instance: name, text: TextRecord(entries), endpoints: []) == nil)
    }
  }

  @Test("No bytes trap the reading of strings")
  func fuzz() throws {
    let samples = [try Ann.announcement().text.bytes]
    var complete = 0
    Fuzz.inputs(like: samples, seed: Seed(3)) { input in
      let record = TextRecord(bytes: input)
      let name = DNSName("x", "local")
      if DiscoveredPeer(instance: name, text: record, endpoints: []) != nil { complete += 1 }
    }
    #expect(complete > 0)
  }
}
