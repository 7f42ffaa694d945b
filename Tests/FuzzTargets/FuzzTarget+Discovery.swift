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

  /// The strings of a TXT record.
  static let text = FuzzTarget("text", bytesMax: 1_400) { bytes in
    let record = TextRecord(bytes: bytes)
    try law(record.entries.count <= TextRecord.entriesMax, "\(record.entries.count) entries")
    // Keys that were no UTF-8 grow by what replaces it.
    if record.entries.allSatisfy({ $0.byteCount <= 255 }) {
      try law(TextRecord(bytes: record.bytes) == record, "strings are not read as written")
    }
    guard let info = DiscoveryInfo(remote: record) else { return }
    try law(info.keys.allSatisfy { !$0.hasPrefix("_") }, "a reserved key is the application's")
    _ = (info.dictionary, info["room"])
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
