import EarshotCore

/// What hosts of a link say in multicast DNS, as some bytes have it: announcements, goodbyes, questions, known answers
/// and probes, whole, in part, contradicted or with bytes changed; and noise.
///
/// Peer 0 is the one whose machine listens.
enum LinkSpeech {
  /// How many peers there are, and versions of what each says.
  static let (peers, versions) = (4, 4)
  static let service: ServiceType? = try? ServiceType("chat")
  /// On two networks; that of the second has one family of addresses.
  static let interfaces = [
    NetworkInterface(
      index: 1, name: "en0",
      addresses: [.v4(0x0A00_0064), .v6(0xFE80 << 48, 0x64, scope: 1)]),
    NetworkInterface(index: 2, name: "en1", addresses: [.v4(0x0A00_0164)]),
  ]

  /// Which interfaces there are.
  static func interfaces(from input: inout InputReader) -> [NetworkInterface] {
    switch input.number(below: 6) {
    case 0: []
    case 1: [interfaces[0]]
    case 2: [interfaces[1]]
    case 3: [NetworkInterface(index: 1, name: "en0", addresses: [.v4(0x0A00_0065)])]
    default: interfaces
    }
  }

  /// A message that arrives, or `nil` when no packet is one.
  static func arrival(from input: inout InputReader) -> DNSArrival? {
    let path = input.byte()
    let peer = Int(path) % peers
    let interface = path >> 5 & 1 == 0 ? interfaces[0] : interfaces[1]
    let network: UInt32 = interface.index == 1 ? 0x0A00_0000 : 0x0A00_0100
    let (address, port): (UInt32, UInt16) =
      switch path >> 2 & 7 {
      case 5: (network + 100, DNSArrival.port)  // A neighbour on the same host.
      case 6: (network + 1 + UInt32(peer), 4_711)
      case 7: (0xC0A8_0901, DNSArrival.port)  // From another network.
      default: (network + 1 + UInt32(peer), DNSArrival.port)
      }
    guard let message = message(of: peer, from: &input) else { return nil }
    return DNSArrival(
      message, from: Endpoint(.v4(address), port: port), on: interface.index,
      wasMulticast: path >> 6 != 3)
  }

  private static func message(of peer: Int, from input: inout InputReader) -> DNSMessage? {
    switch input.number(below: 8) {
    case 0: return decoded(DNSMessage(answering: records(of: peer, from: &input)))
    case 1:
      let (answers, additions) = (
        records(of: peer, from: &input), records(of: peer, from: &input)
      )
      return decoded(DNSMessage(answering: answers, adding: additions))
    case 2:  // With bytes changed.
      let message = DNSMessage(answering: records(of: peer, from: &input))
      guard var packet = message.packets().first else { return nil }
      for _ in 0...input.number(below: 4) {
        packet[(Int(input.byte()) << 8 | Int(input.byte())) % packet.count] ^= input.byte()
      }
      return try? DNSMessage(decoding: packet)
    case 3, 4:
      let asked = (0...input.number(below: 3)).map { _ in question(from: &input) }
      return query(asked, knowing: records(of: peer, from: &input), from: &input)
    case 5:  // More of what is known.
      return query([], knowing: records(of: peer, from: &input), from: &input)
    case 6:  // For the names of another peer.
      let claimed = contradicted(by: peer, from: &input)
      let names = claimed.map(\.name).reduce(into: [DNSName]()) { names, name in
        if !names.contains(name) { names.append(name) }
      }
      return decoded(
        DNSMessage(
          asking: names.map { DNSQuestion($0, .any, wantsUnicast: true) }, claiming: claimed))
    default:
      guard input.byte() % 2 == 0 else {
        return decoded(DNSMessage(answering: contradicted(by: peer, from: &input)))
      }
      return try? DNSMessage(decoding: input.bytes(Int(input.byte()) * 2))
    }
  }

  private static func decoded(_ message: DNSMessage) -> DNSMessage? {
    message.packets().first.flatMap { try? DNSMessage(decoding: $0) }
  }

  private static func query(
    _ questions: [DNSQuestion], knowing known: [DNSRecord], from input: inout InputReader
  ) -> DNSMessage? {
    var message = DNSMessage(asking: questions, knowing: known)
    let traits = input.byte()
    message.isTruncated = traits & 1 != 0
    message.id = UInt16(traits >> 1)
    return message
  }

  private static func question(from input: inout InputReader) -> DNSQuestion {
    let kind = input.byte()
    let all = said[Int(kind) % peers][0]
    let record = all[Int(kind >> 2) % all.count]
    let type = kind >> 5 & 3 == 0 ? DNSType.any : kind >> 5 & 3 == 1 ? .nsec : record.type
    return DNSQuestion(record.name, type, wantsUnicast: kind >> 7 == 1)
  }

  /// Some of what a peer says, for as long as the input has it.
  private static func records(of peer: Int, from input: inout InputReader) -> [DNSRecord] {
    let (which, how) = (input.byte(), input.byte())
    let all = said[peer][Int(how) % versions]
    return all.indices.filter { which == 0 || which >> UInt8($0 % 8) & 1 == 1 }.map { index in
      var record = all[index]
      if how >> 5 == 7 { record.flushesCache.toggle() }
      switch how >> 2 & 7 {
      case 0, 1, 2: break
      case 3: record.lifetimeSeconds = 0
      case 4: record.lifetimeSeconds = 1
      case 5: record.lifetimeSeconds /= 2
      case 6: record.lifetimeSeconds = .max
      default: record.lifetimeSeconds = 20
      }
      return record
    }
  }

  /// The same of one peer's names that another peer says of its own.
  private static func contradicted(
    by peer: Int, from input: inout InputReader
  ) -> [DNSRecord] {
    let names = said[input.number(below: peers)][0]
    return records(of: peer, from: &input).map { record in
      guard let owned = names.first(where: { $0.type == record.type && $0.flushesCache }) else {
        return record
      }
      return DNSRecord(
        owned.name, record.data, lifetimeSeconds: record.lifetimeSeconds,
        flushesCache: record.flushesCache)
    }
  }

  /// What an advertiser of a peer says at first, by the peer and the version.
  private static let said: [[[DNSRecord]]] = announcements.enumerated().map { peer, announcements in
    announcements.map { announcement in
      let address = IPAddress.v4(0x0A00_0001 + UInt32(peer))
      let interface = NetworkInterface(index: 1, name: "en0", addresses: [address])
      var actions: [AdvertiserMachine.Action] = []
      _ = AdvertiserMachine(
        announcement, on: [interface], random: RandomStream(seed: 1), at: Instant(nanoseconds: 0),
        into: &actions)
      return actions.flatMap { action -> [DNSRecord] in
        guard case .send(let packet, _, _) = action else { return [] }
        return (try? DNSMessage(decoding: packet))?.said ?? []
      }
    }
  }

  /// What peers announce, by the peer and the version: each version has another port and other info.
  static let announcements: [[Announcement]] = ids.enumerated().map { peer, id in
    (0..<versions).compactMap { version in
      guard let service, let name = try? DisplayName("Peer \(peer)"),
        let info = try? DiscoveryInfo(["version": "\(version)"])
      else { return nil }
      return Announcement(
        of: id, named: name, offering: service, on: 7_100 + UInt16(version), info: info)
    }
  }

  static let ids = (0..<peers).map { peer in
    var random = RandomStream(seed: UInt64(peer), name: "peer")
    return PeerID(random: &random)
  }
}
