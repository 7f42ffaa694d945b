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
}
