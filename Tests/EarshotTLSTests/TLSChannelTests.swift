import EarshotCore
import EarshotTLS
import TestKit
import Testing

@Suite("TLS channel")
struct TLSChannelTests {
  /// One side of a channel, and everything that came out of it.
  struct Side {
    let tls: TLSChannel
    var channel: SecureChannel
    var wire: [UInt8] = []
    var plaintext: [UInt8] = []

    init(
      _ context: TLSContext, as role: TLSChannel.Role, expecting expected: PeerID? = nil,
      recordsPerKey: Int = TLSChannel.recordsPerKey
    ) {
      tls = TLSChannel(context, as: role, expecting: expected, recordsPerKey: recordsPerKey)
      channel = .tls(tls)
      channel.start(into: &wire)
    }

    mutating func receive(_ bytes: [UInt8]) throws(SecureChannelError) {
      var lent: [UInt8] = []
      defer { plaintext += lent }
      try channel.receive(bytes.span, into: &wire) { lent.append(copying: $0) }
    }

    mutating func seal(_ bytes: [UInt8]) { channel.seal(bytes.span, into: &wire) }

    mutating func take() -> [UInt8] {
      defer { wire = [] }
      return wire
    }
  }

  /// Two sides, one of which has dialled the other.
  struct Pair {
    var client: Side
    var server: Side

    init(
      _ client: TLSContext, _ server: TLSContext, expecting expected: PeerID? = nil,
      recordsPerKey: Int = TLSChannel.recordsPerKey
    ) {
      self.client = Side(client, as: .client, expecting: expected, recordsPerKey: recordsPerKey)
      self.server = Side(server, as: .server, recordsPerKey: recordsPerKey)
    }

    /// Carries bytes both ways, whole or cut, until there are none.
    mutating func exchange(cut: (Int) -> Int = { $0 }) throws(SecureChannelError) {
      while !client.wire.isEmpty || !server.wire.isEmpty {
        var (forth, back) = (client.take()[...], server.take()[...])
        while !forth.isEmpty {
          let chunk = Array(forth.prefix(cut(forth.count)))
          forth = forth.dropFirst(chunk.count)
          try server.receive(chunk)
        }
        while !back.isEmpty {
          let chunk = Array(back.prefix(cut(back.count)))
          back = back.dropFirst(chunk.count)
          try client.receive(chunk)
        }
      }
    }
  }

  private static let keys: [KeyPair] = {
    var random = Seed(7).generator
    return (0..<3).map { _ in KeyPair(using: &random) }
  }()
  private let ann = TLSContext(keys[0])
  private let bob = TLSContext(keys[1])
  private let cy = TLSContext(keys[2])

  @Test(
    "However the bytes are cut, both sides know each other's key and read the same",
    arguments: Seed.some(30))
  func chunks(seed: Seed) throws {
    var random = seed.generator
    var pair = Pair(ann, bob, expecting: bob.id)
    let most = 1 + random.below(700)
    try pair.exchange { Int(1 + random.below(min(most, UInt64($0)))) }
    #expect(pair.client.channel.remote == bob.id && pair.server.channel.remote == ann.id)
    let messages = (0..<4).map { _ in random.bytes(Int(random.below(60_000))) }
    for message in messages {
      pair.client.seal(message)
      pair.server.seal(message.reversed())
      try pair.exchange { Int(1 + random.below(UInt64($0))) }
    }
    #expect(pair.server.plaintext == messages.flatMap { $0 })
    #expect(pair.client.plaintext == messages.flatMap { $0.reversed() })
  }

  @Test("The channel is TLS 1.3")
  func suite() throws {
    var pair = Pair(ann, bob)
    #expect(pair.client.tls.suite == nil)
    try pair.exchange()
    for side in [pair.client, pair.server] {
      #expect(side.tls.suite?.hasPrefix("TLSv1.3 TLS_") == true)
    }
  }

  @Test("Nothing that is sealed is seen on the wire")
  func secrecy() throws {
    var pair = Pair(ann, bob)
    try pair.exchange()
    let secret = Array("a secret of some length".utf8)
    pair.client.seal(secret)
    let wire = pair.client.wire
    #expect(wire.count == secret.count + 22)
    #expect(!wire.indices.contains { wire[$0...].starts(with: secret.prefix(4)) })
  }

  @Test("Another peer than the one that was dialled is refused, and hears so")
  func wrongPeer() throws {
    var pair = Pair(ann, cy, expecting: bob.id)
    #expect(throws: SecureChannelError.wrongPeer(expected: bob.id, found: cy.id)) {
      try pair.exchange()
    }
    #expect(!pair.client.channel.isReady && !pair.client.wire.isEmpty)
    #expect(throws: SecureChannelError.self) { try pair.exchange() }
    #expect(!pair.server.channel.isReady)
  }

  @Test("Nobody talks to themselves")
  func selfConnection() throws {
    var pair = Pair(ann, TLSContext(Self.keys[0]))
    #expect(throws: SecureChannelError.selfConnection) { try pair.exchange() }
  }

  @Test("The end is told from a cut: close notify comes before it")
  func ending() throws {
    var pair = Pair(ann, bob)
    #expect(throws: SecureChannelError.truncated) { try pair.client.channel.receiveEnd() }
    try pair.exchange()
    #expect(throws: SecureChannelError.truncated) { try pair.server.channel.receiveEnd() }
    pair.client.seal([1, 2, 3])
    pair.client.channel.finish(into: &pair.client.wire)
    try pair.exchange()
    #expect(pair.server.plaintext == [1, 2, 3])
    try pair.server.channel.receiveEnd()
    pair.server.seal([4])  // The other direction is open still.
    #expect(pair.server.wire.count == 23)
  }

  @Test("One changed bit, anywhere, is found", arguments: Seed.some(40))
  func tampered(seed: Seed) throws {
    var random = seed.generator
    var pair = Pair(ann, bob)
    try pair.exchange()
    pair.client.seal(random.bytes(500))
    var wire = pair.client.take()
    let place = Int(random.below(UInt64(wire.count)))
    wire[place] ^= 1 << random.below(8)
    // A record that says it is longer is waited for.
    wire += [UInt8](repeating: 0, count: 1 << 15)
    #expect(throws: SecureChannelError.self) { try pair.server.receive(wire) }
    #expect(pair.server.plaintext.isEmpty)
    pair.server.seal([1])
    #expect(!pair.server.wire.isEmpty, "an alert")
  }

  @Test("Keys change on the way, and nobody notices")
  func keyUpdate() throws {
    var pair = Pair(ann, bob)
    try pair.exchange()
    for number in 0..<TLSChannel.keyUpdatesMax {
      pair.client.tls.updateKeys()
      pair.client.seal([UInt8(number)])
      try pair.exchange()
      pair.server.seal([UInt8(number)])
      try pair.exchange()
    }
    let all = (0..<TLSChannel.keyUpdatesMax).map { UInt8($0) }
    #expect(pair.server.plaintext == all && pair.client.plaintext == all)
  }

  /// The lengths of the records on a wire, without their headers.
  private func records(on wire: [UInt8]) -> [Int] {
    var (lengths, rest): ([Int], ArraySlice<UInt8>) = ([], wire[...])
    while rest.count >= 5 {
      let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
      lengths.append(length)
      rest = rest.dropFirst(5 + length)
    }
    return lengths
  }

  @Test("Keys change after so many records, at both ends, and nothing is lost by it")
  func countedKeyUpdate() throws {
    #expect(TLSChannel.recordsPerKey == 1 << 22)
    var pair = Pair(ann, bob, recordsPerKey: 100)
    try pair.exchange()
    // One byte; five bytes of a KeyUpdate; each with a type and a tag.
    let (message, update) = (18, 22)
    for number in 0..<1_000 {
      pair.client.seal([UInt8(number % 251)])
      let isDue = number > 0 && number % 100 == 0
      #expect(records(on: pair.client.wire) == (isDue ? [update, message] : [message]))
      try pair.server.receive(pair.client.take())
      guard isDue else { continue }
      // The other end changes its own as it answers.
      pair.server.seal([UInt8(number / 100)])
      #expect(records(on: pair.server.wire) == [update, message])
      try pair.client.receive(pair.server.take())
    }
    #expect(pair.server.plaintext == (0..<1_000).map { UInt8($0 % 251) })
    #expect(pair.client.plaintext == (1..<10).map { UInt8($0) })
  }

  @Test("A message counts as the records that it takes, and no key has more than its share")
  func countedLargeMessages() throws {
    var pair = Pair(ann, bob, recordsPerKey: 8)
    try pair.exchange()
    let message = [UInt8](repeating: 7, count: 3 * 16_384)
    for number in 0..<12 {
      pair.server.seal(message)
      let isDue = number > 0 && number % 2 == 0
      #expect(records(on: pair.server.wire).count == (isDue ? 4 : 3))
      try pair.client.receive(pair.server.take())
      guard isDue else { continue }
      pair.client.seal([1])  // An answer, so that the next change may be asked for.
      try pair.server.receive(pair.client.take())
    }
    #expect(pair.client.plaintext.count == 12 * message.count)
    #expect(pair.server.plaintext == [UInt8](repeating: 1, count: 5))
  }

  @Test("Who changes keys for ever is refused; who does now and then is not")
  func keyUpdates() throws {
    var patient = Pair(ann, bob)
    try patient.exchange()
    for _ in 0..<3 * TLSChannel.keyUpdatesMax {
      patient.client.tls.updateKeys()
      for _ in 0..<TLSChannel.recordsPerKeyUpdate { patient.client.seal([1]) }
      try patient.exchange()
    }
    var hasty = Pair(ann, bob)
    try hasty.exchange()
    for _ in 0...TLSChannel.keyUpdatesMax {
      hasty.client.tls.updateKeys()
      hasty.client.seal([1])
    }
    #expect(throws: SecureChannelError.keyUpdates) { try hasty.server.receive(hasty.client.wire) }
    #expect(hasty.server.plaintext.count < TLSChannel.keyUpdatesMax + 1)
  }

  @Test("What is exported is the same at both ends, and another for each use and each connection")
  func exporter() throws {
    var (first, second) = (Pair(ann, bob), Pair(ann, bob))
    try first.exchange()
    try second.exchange()
    let secrets = [first.client, first.server, second.client].map {
      $0.tls.exportSecret(label: "EXPERIMENTAL earshot test", context: [1], count: 32)
    }
    #expect(secrets[0] == secrets[1] && secrets[0] != secrets[2])
    let others = [("other", 1), ("test", 2)].map { name, context in
      first.client.tls.exportSecret(
        label: "EXPERIMENTAL earshot \(name)", context: [UInt8(context)], count: 32)
    }
    #expect(!others.contains(secrets[0]))
  }

  @Test("With randomness from a seed, one seed is one conversation, to the byte")
  func seeded() throws {
    func conversation(_ seed: UInt64) throws -> [UInt8] {
      let contexts = [0, 1].map { index in
        TLSContext(
          Self.keys[index],
          randomness: SeededRandomness(RandomStream(seed: seed, name: "tls \(index)")))
      }
      var pair = Pair(contexts[0], contexts[1])
      var all = pair.client.wire
      try pair.server.receive(pair.client.take())
      all += pair.server.wire
      try pair.client.receive(pair.server.take())
      pair.client.seal([1, 2, 3])
      return all + pair.client.wire
    }
    let first = try conversation(1)
    #expect(try conversation(1) == first)
    #expect(try conversation(2) != first)
    // Nothing stays behind: the next one is anybody's guess.
    #expect(Side(ann, as: .client).wire != Side(ann, as: .client).wire)
  }

  @Test("The channel survives any bytes, whatever they were made from")
  func fuzzed() throws {
    var pair = Pair(ann, bob)
    let hello = pair.client.wire
    try pair.exchange()
    pair.client.seal([1, 2, 3])
    let record = pair.client.wire
    var refused = 0
    Fuzz.inputs(like: [hello, record, hello + record], count: 2_000) { bytes in
      var side = Side(bob, as: .server)
      do { try side.receive(bytes) } catch { refused += 1 }
      #expect(side.plaintext.isEmpty && !side.channel.isReady)
    }
    #expect(refused > 0)
  }
}
