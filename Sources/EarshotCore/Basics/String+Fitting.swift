extension String {
  /// The beginning that fits into so many bytes of UTF-8, cut between characters.
  package func prefix(utf8BytesMax bytesMax: Int) -> String {
    var (end, bytes) = (startIndex, 0)
    while end < endIndex {
      bytes += self[end].utf8.count
      guard bytes <= bytesMax else { break }
      end = index(after: end)
    }
    return String(self[..<end])
  }
}

extension UnsignedInteger where Self: FixedWidthInteger {
  /// All digits of the number to the base of 16, zeros at the front included.
  package var hexadecimalDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
  }
}
