import EarshotCore
import EarshotTLS
import Foundation
import TestKit
import Testing

/// Somebody between two peers who wants them to agree on less, or on another peer, than they would alone.
///
/// `EARSHOT_PROXIED_SESSIONS=100000 swift test --filter ProxyTests` tries more sessions.
@Suite("A proxy that changes handshakes")
struct ProxyTests {
  private typealias Side = TLSChannelTests.Side

  private static let keys: [KeyPair] = {
    var random = Seed(23).generator
    return (0..<3).map { _ in KeyPair(using: &random) }
  }()
  private let ann = TLSContext(keys[0])
  private let bob = TLSContext(keys[1])
  private let mallory = TLSContext(keys[2])

  /// How many sessions are tried: some thousand, or as many as the environment says.
  private static let sessions =
    ProcessInfo.processInfo.environment["EARSHOT_PROXIED_SESSIONS"].flatMap(Int.init) ?? 5_000
  private static let blocks = 10

  @Test(
    "No session is below TLS 1.3, and none is with another than it says",
    arguments: Seed.some(blocks))
  func downgrade(seed: Seed) {
    var random = seed.generator
    var old: [UInt8] = []  // Of an earlier session.
    var (open, failed) = (0, 0)
    for _ in 0..<Self.sessions / Self.blocks {
      let attack = Attack.allCases[Int(random.below(UInt64(Attack.allCases.count)))]
      // What discovery says may be changed as well.
      let expected = [nil, bob.id, bob.id, bob.id, mallory.id][Int(random.below(5))]
      var client = Side(ann, as: .client, expecting: expected)
      let isBob = attack != .impersonate
      var server = Side(isBob ? bob : mallory, as: .server)
      old += relay(&client, &server, attack, replaying: old, using: &random)
      if old.count > 8_192 { old.removeFirst(old.count - 8_192) }
      let other = isBob ? bob.id : mallory.id
      if attack == .none {
        #expect(client.channel.isReady == (expected != mallory.id))
      }
      for (side, remote) in [(client, attack == .reflect ? nil : other), (server, ann.id)] {
        guard side.channel.isReady else {
          failed += 1
          #expect(side.plaintext.isEmpty)
          continue
        }
        open += 1
        #expect(side.channel.remote == remote, "\(attack)")
        #expect(side.tls.suite?.hasPrefix("TLSv1.3 TLS_") == true, "\(attack)")
        #expect(Self.secret.starts(with: side.plaintext), "\(attack)")
      }
      if client.channel.isReady, let expected { #expect(client.channel.remote == expected) }
    }
    // Some get through unchanged, or it would say nothing.
    #expect(open > 0 && failed > 0)
  }

  private static let secret = Array("what one says to the other".utf8)

  /// Carries a conversation as the attack would have it.
  ///
  /// - Returns: The bytes that went both ways.
  private func relay(
    _ client: inout Side, _ server: inout Side, _ attack: Attack, replaying old: [UInt8],
    using random: inout RandomStream
  ) -> [UInt8] {
    var (all, flights) = ([UInt8](), 0)
    let attacked = Int(random.below(4))
    var saysMore = true
    while flights < 12 {
      for isForth in [true, false] {
        var bytes = isForth ? client.take() : server.take()
        all += bytes
        if flights == attacked || attack.isLasting {
          attack.change(&bytes, of: isForth ? .client : .server, replaying: old, using: &random)
        }
        flights += 1
        // Who refuses says so, and the other hears it.
        if isForth, attack != .reflect {
          try? server.receive(bytes)
        } else {
          try? client.receive(bytes)
        }
      }
      guard client.wire.isEmpty, server.wire.isEmpty else { continue }
      guard saysMore, client.channel.isReady || server.channel.isReady else { break }
      saysMore = false
      if client.channel.isReady { client.seal(Self.secret) }
      if server.channel.isReady { server.seal(Self.secret) }
    }
    return all
  }
}

/// What is done to the bytes of one flight, or of all.
private enum Attack: CaseIterable {
  case none, impersonate, reflect
  case flipBits, cutOff, insert, dropRecord, swapRecords, repeatRecord, replay
  case olderVersion, olderVersions, noVersions, weakCipher, otherProtocol, noExtension, alert
  case changeCipherSpec

  /// Whether it is done to every flight.
  var isLasting: Bool {
    switch self {
    case .reflect, .olderVersion, .olderVersions, .noVersions, .weakCipher, .otherProtocol: true
    default: false
    }
  }

  func change(
    _ bytes: inout [UInt8], of role: TLSChannel.Role, replaying old: [UInt8],
    using random: inout RandomStream
  ) {
    guard !bytes.isEmpty else { return }
    let place = Int(random.below(UInt64(bytes.count)))
    switch self {
    case .none, .impersonate, .reflect: break
    case .flipBits: bytes[place] ^= 1 << UInt8(random.below(8))
    case .cutOff: bytes.removeSubrange(place...)
    case .insert: bytes.insert(contentsOf: random.bytes(1 + place % 40), at: place)
    case .dropRecord, .swapRecords, .repeatRecord, .changeCipherSpec, .alert:
      var records = Self.records(of: bytes)
      let index = Int(random.below(UInt64(records.count)))
      switch self {
      case .dropRecord: records.remove(at: index)
      case .swapRecords: records.swapAt(0, index)
      case .repeatRecord: records.insert(records[index], at: index)
      case .alert: records.insert([21, 3, 3, 0, 2, 1, 70], at: index)  // protocol_version
      default: records.insert([20, 3, 3, 0, 1, 1], at: index)
      }
      bytes = records.flatMap { $0 }
    case .replay:
      let other = Self.records(of: old)
      if !other.isEmpty { bytes = other[Int(random.below(UInt64(other.count)))] + bytes }
    case .olderVersion, .olderVersions, .noVersions, .weakCipher, .otherProtocol, .noExtension:
      guard var hello = Hello(bytes) else { return }
      // But for the version of the record.
      #expect(hello.bytes.dropFirst(3) == bytes[3..<hello.recordBytes])
      change(&hello, using: &random)
      bytes = hello.bytes + bytes[hello.recordBytes...]
    }
  }

  private func change(_ hello: inout Hello, using random: inout RandomStream) {
    let older: [UInt8] = [3, UInt8(random.below(4))]
    switch self {
    case .olderVersion: hello.version = older
    case .olderVersions: hello.replace(43, by: hello.isClient ? [2] + older : older)
    case .noVersions: hello.extensions.removeAll { $0.type == 43 }
    case .weakCipher: hello.ciphers = [0x00, [0x2F, 0xFF, 0x9C, 0x00][Int(random.below(4))]]
    case .otherProtocol: hello.replace(16, by: [0, 3, 2] + Array("h2".utf8))
    default:
      let index = Int(random.below(UInt64(hello.extensions.count)))
      hello.extensions.remove(at: index)
    }
  }

  private static func records(of bytes: [UInt8]) -> [[UInt8]] {
    var (records, rest) = ([[UInt8]](), bytes[...])
    while rest.count >= 5 {
      let start = rest.startIndex
      let count = 5 + Int(rest[start + 3]) << 8 + Int(rest[start + 4])
      records.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    if !rest.isEmpty { records.append(Array(rest)) }
    return records
  }
}

/// ClientHello or ServerHello of RFC 8446 §4.1, taken apart.
private struct Hello {
  let isClient: Bool
  let recordBytes: Int
  var version: [UInt8]
  private let random: [UInt8]  // And the session's identifier.
  var ciphers: [UInt8]
  var extensions: [(type: Int, body: [UInt8])] = []

  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes[...])
    guard reader.take(1) == [22], reader.take(2).count == 2, let record = reader.vector(2),
      [1, 2].contains(record.first)
    else { return nil }
    (isClient, recordBytes) = (record.first == 1, 5 + record.count)
    reader = Reader(record.dropFirst(4))
    version = reader.take(2)
    let fixed = reader.take(32)
    guard let session = reader.vector(1) else { return nil }
    random = fixed + [UInt8(session.count)] + session
    if isClient {
      guard let list = reader.vector(2), reader.vector(1) != nil else { return nil }
      ciphers = Array(list)
    } else {
      ciphers = reader.take(2)
      _ = reader.take(1)
    }
    guard let all = reader.vector(2) else { return nil }
    reader = Reader(all)
    while case let type = reader.take(2), type.count == 2, let body = reader.vector(2) {
      extensions.append((Int(type[0]) << 8 + Int(type[1]), Array(body)))
    }
  }

  mutating func replace(_ type: Int, by body: [UInt8]) {
    for index in extensions.indices where extensions[index].type == type {
      extensions[index].body = body
    }
  }

  var bytes: [UInt8] {
    func long(_ bytes: [UInt8]) -> [UInt8] {
      [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
    let list = extensions.flatMap { [UInt8($0.type >> 8), UInt8($0.type & 0xFF)] + long($0.body) }
    let choice = isClient ? long(ciphers) + [1, 0] : ciphers + [0]
    let body = version + random + choice + long(list)
    return [22, 3, 1] + long([isClient ? 1 : 2, 0] + long(body))
  }

  private struct Reader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func take(_ count: Int) -> [UInt8] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }

    /// Bytes behind their number, which takes so many bytes.
    mutating func vector(_ lengthBytes: Int) -> ArraySlice<UInt8>? {
      let count = take(lengthBytes).reduce(0) { $0 << 8 + Int($1) }
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
