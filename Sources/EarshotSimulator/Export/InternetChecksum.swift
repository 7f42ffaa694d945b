/// The checksum of the Internet protocols (RFC 1071).
struct InternetChecksum {
  private var sum: UInt64 = 0

  mutating func add(_ word: UInt16) { sum += UInt64(word) }

  mutating func add(_ address: IPAddress) {
    switch address {
    case .v4(let bits): add(bits)
    case .v6(let high, let low, _):
      for word in [high, low] {
        add(UInt32(truncatingIfNeeded: word >> 32))
        add(UInt32(truncatingIfNeeded: word))
      }
    }
  }

  /// Takes bytes in from an offset on, the most significant of each word first; an odd one at the end is a word's first.
  mutating func add(_ bytes: [UInt8], from start: Int = 0) {
    bytes.withUnsafeBytes { bytes in
      var offset = start
      while offset + 4 <= bytes.count {
        add(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        offset += 4
      }
      var isFirst = true
      while offset < bytes.count {
        sum += isFirst ? UInt64(bytes[offset]) << 8 : UInt64(bytes[offset])
        isFirst.toggle()
        offset += 1
      }
    }
  }

  /// Two words at once; 2^32 of them have room.
  private mutating func add(_ words: UInt32) { sum += UInt64(words) }

  /// The checksum.
  var value: UInt16 {
    var rest = sum
    while rest > 0xFFFF { rest = rest & 0xFFFF + rest >> 16 }
    return ~UInt16(rest)
  }
}
