/// The checksum of the Internet protocols (RFC 1071).
struct InternetChecksum {
  private var sum: UInt32 = 0

  mutating func add(_ word: UInt16) { sum += UInt32(word) }

  /// Takes bytes in, the most significant of each word first; an odd one at the end counts as a word's first.
  mutating func add(_ bytes: some RandomAccessCollection<UInt8>) {
    var index = bytes.startIndex
    var isFirst = true
    while index != bytes.endIndex {
      sum &+= isFirst ? UInt32(bytes[index]) << 8 : UInt32(bytes[index])
      if sum >= 0xFFFF_0000 { fold() }
      isFirst.toggle()
      index = bytes.index(after: index)
    }
  }

  private mutating func fold() { sum = sum & 0xFFFF + sum >> 16 }

  /// The checksum.
  var value: UInt16 {
    var rest = self
    while rest.sum > 0xFFFF { rest.fold() }
    return ~UInt16(rest.sum)
  }
}
