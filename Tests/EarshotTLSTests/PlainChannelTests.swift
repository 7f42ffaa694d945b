import EarshotCore
import EarshotTLS
import TestKit
import Testing

@Suite("Plain channel")
struct PlainChannelTests {
  /// One side of a channel, and everything that came out of it.
  struct Side {
    var channel: SecureChannel
    var wire: [UInt8] = []
    var plaintext: [UInt8] = []

    init(_ identity: Identity, expecting expected: PeerID? = nil) {
      channel = .plain(PlainChannel(identity.id, expecting: expected))
      channel.start(into: &wire)
    }

    mutating func receive(_ bytes: [UInt8]) throws(SecureChannelError) {
      var lent: [UInt8] = []
      defer { plaintext += lent }
      try channel.receive(bytes.span, into: &wire) { lent.append(copying: $0) }
    }

    mutating func seal(_ bytes: [UInt8]) { channel.seal(bytes.span, into: &wire) }
  }

  private static let identities: [Identity] = {
    var random = Seed(7).generator
    return (0..<3).map { _ in Identity.plain(using: &random) }
  }()
  private let ann = identities[0]
  private let bob = identities[1]

  @Test("The preamble is the magic word and the identifier")
  func preamble() {
    let side = Side(ann)
    #expect(side.wire == Array("earshot0".utf8) + ann.id.bytes)
    #expect(side.wire.count == PlainChannel.preambleBytes)
    #expect(!side.channel.isReady)
  }

  @Test(
    "However the bytes are cut, both sides know each other and read the same",
    arguments: Seed.some(50))
  func chunks(seed: Seed) throws {
    var random = seed.generator
    var dialler = Side(ann, expecting: bob.id)
    var listener = Side(bob)
    let message = random.bytes(Int(random.below(200)))
    dialler.wire += message
    var rest = dialler.wire[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(Int(random.below(60)))
      rest = rest.dropFirst(chunk.count)
      try listener.receive(Array(chunk))
    }
    try dialler.receive(listener.wire)
    #expect(listener.channel.remote == ann.id)
    #expect(dialler.channel.remote == bob.id)
    #expect(listener.plaintext == message)
    #expect(dialler.plaintext.isEmpty)
    listener.seal(message)
    #expect(Array(listener.wire.dropFirst(PlainChannel.preambleBytes)) == message)
  }

  @Test("Nobody talks to themselves")
  func selfConnection() {
    var side = Side(ann)
    let wire = side.wire
    #expect(throws: SecureChannelError.selfConnection) { try side.receive(wire) }
    #expect(side.channel.remote == nil)
  }

  @Test("Somebody else than the one who was dialled is refused")
  func wrongPeer() {
    var side = Side(ann, expecting: Self.identities[2].id)
    let error = SecureChannelError.wrongPeer(expected: Self.identities[2].id, found: bob.id)
    #expect(throws: error) { try side.receive(Side(bob).wire) }
    #expect(!side.channel.isReady)
  }

  @Test(
    "Another protocol is refused at its first wrong byte",
    arguments: ["H", "earshot1", "GET / HTTP/1.1"])
  func badPreamble(text: String) {
    var side = Side(ann)
    #expect(throws: SecureChannelError.badPreamble) { try side.receive(Array(text.utf8)) }
    #expect(side.plaintext.isEmpty)
  }

  @Test("An end before the channel is ready is an error, and none afterwards")
  func ending() throws {
    var side = Side(ann)
    #expect(throws: SecureChannelError.truncated) { try side.channel.receiveEnd() }
    try side.receive(Side(bob).wire)
    try side.channel.receiveEnd()
    let before = side.wire
    side.channel.finish(into: &side.wire)
    #expect(side.wire == before)
  }

  @Test("The channel survives any bytes, and keeps no more than a preamble")
  func fuzzed() {
    let sample = Side(bob).wire + [1, 2, 3]
    var accepted = 0
    Fuzz.inputs(like: [sample]) { bytes in
      let channel = PlainChannel(ann.id, expecting: nil)
      var lentBytes = 0
      do throws(SecureChannelError) {
        try channel.receive(bytes.span) { lentBytes += $0.count }
        accepted += channel.remote == nil ? 0 : 1
      } catch {
        #expect(channel.remote == nil)
      }
      let held = channel.bufferedBytes
      if held > PlainChannel.preambleBytes || lentBytes > bytes.count {
        Issue.record("\(held) bytes kept, \(lentBytes) lent of \(bytes)")
      }
    }
    #expect(accepted > 0)
  }
}
