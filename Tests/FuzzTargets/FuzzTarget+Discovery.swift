import EarshotCore

extension FuzzTarget {
  /// A packet of multicast DNS: what is read is written so that the same is read again.
  static let dns = FuzzTarget("dns", bytesMax: 9_000) { bytes in
    guard let message = try? DNSMessage(decoding: bytes) else { return }
    for compresses in [true, false] {
      let packets = message.packets(bytesMax: 9_000, compressesServices: compresses)
      for packet in packets {
        try law(packet.count <= 9_000, "a packet has \(packet.count) bytes")
        let again = try DNSMessage(decoding: packet)
        try law(
          again.answers.allSatisfy(message.answers.contains), "an answer is not read as written")
      }
    }
  }

  /// The strings of a TXT record: a key has the value that it has first, in any case (RFC 6763 §6.4).
  static let text = FuzzTarget("text", bytesMax: 1_400) { bytes in
    let record = TextRecord(bytes: bytes)
    try law(record.entries.count <= TextRecord.entriesMax, "\(record.entries.count) entries")
    let first = firstValues(in: bytes)
    let isFull = record.entries.count == TextRecord.entriesMax
    try law(isFull || record.entries.count == first.count, "not every key is read once")
    for (entry, expected) in zip(record.entries, first) {
      try law(entry.key == expected.key, "a key is read as another")
      try law(entry.value == expected.value, "a key has another's value")
      for key in [entry.key, asciiUppercased(entry.key)] {
        try law(record[key] == expected.value, "a key is not found")
      }
    }
    // Keys that were no UTF-8 grow by what replaces it.
    if record.entries.allSatisfy({ $0.byteCount <= 255 }) {
      try law(TextRecord(bytes: record.bytes) == record, "strings are not read as written")
    }
    guard let info = DiscoveryInfo(remote: record) else { return }
    try law(info.keys.allSatisfy { !$0.hasPrefix("_") }, "a reserved key is the application's")
    _ = (info.dictionary, info["room"])
  }

  /// The keys in the strings of a TXT record, each as it stands there first, with the value behind it.
  private static func firstValues(in bytes: [UInt8]) -> [(key: String, value: [UInt8])] {
    var (found, known, start) = ([(key: String, value: [UInt8])](), Set<String>(), 0)
    while start < bytes.count {
      let end = start + 1 + Int(bytes[start])
      guard end <= bytes.count else { break }
      let parts = bytes[(start + 1)..<end].split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(decoding: parts[0], as: UTF8.self)
      if !key.isEmpty, known.insert(asciiUppercased(key)).inserted {
        found.append((key, parts.count > 1 ? Array(parts[1]) : []))
      }
      start = end
    }
    return found
  }

  private static func asciiUppercased(_ text: String) -> String {
    String(
      decoding: text.utf8.map {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0
      },
      as: UTF8.self)
  }

  /// What a browser hears, packet by packet, at whatever times: it never sends more than its packets allow.
  static let discovery = FuzzTarget("discovery", bytesMax: 4_096) { bytes in
    var input = InputReader(bytes)
    guard let service = try? ServiceType("chat") else { return }
    var random = RandomStream(seed: 1)
    let own = PeerID(random: &random)
    let address = IPAddress.v4(0x0A00_0001)
    var now = Instant(nanoseconds: 0)
    var actions: [BrowserMachine.Action] = []
    var wake: Instant?
    var machine = BrowserMachine(
      for: service, as: own, on: [], random: random, at: now, into: &actions)
    var found: Set<PeerID> = []
    func perform() throws {
      for action in actions {
        switch action {
        case .send(let packet, _, _): try law(packet.count <= 9_000, "\(packet.count) bytes")
        case .wake(let instant): wake = instant
        case .report(.found(let peer)):
          try law(found.insert(peer.id).inserted, "a peer is found twice")
          try law(peer.id != own, "a browser finds itself")
        case .report(.updated(let peer)):
          try law(found.contains(peer.id), "an unknown peer changes")
        case .report(.lost(let id)): try law(found.remove(id) != nil, "an unknown peer is lost")
        case .report(.unavailable), .report(.available): break
        }
      }
      actions.removeAll(keepingCapacity: true)
    }
    try perform()
    while !input.isAtEnd {
      now = now + .milliseconds(1 << input.number(below: 22))
      var wakes = 0
      while let due = wake, due <= now, wakes < 64 {
        (wake, wakes) = (nil, wakes + 1)
        machine.handle(.deadlineReached, at: due, into: &actions)
        try perform()
      }
      let packet = input.bytes(Int(input.byte()) * 2)
      guard let message = try? DNSMessage(decoding: packet) else { continue }
      let arrival = DNSArrival(message, from: Endpoint(address, port: DNSArrival.port), on: 1)
      machine.handle(.received(arrival), at: now, into: &actions)
      try perform()
    }
  }
}
