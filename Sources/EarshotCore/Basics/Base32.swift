/// Lower-case base32 without padding.
///
/// - SeeAlso: RFC 4648 §6.
package enum Base32 {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// The text of some bytes: ⌈8n/5⌉ characters.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (pending, pendingBits): (UInt32, Int) = (0, 0)
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      pendingBits += 8
      while pendingBits >= 5 {
        pendingBits -= 5
        text.append(alphabet[Int(pending >> UInt32(pendingBits) & 31)])
      }
    }
    if pendingBits > 0 { text.append(alphabet[Int(pending << UInt32(5 - pendingBits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text in either case, or `nil` when it is not the one text of so many bytes.
  package static func decode(_ text: some StringProtocol, byteCount: Int) -> [UInt8]? {
    guard text.utf8.count == (byteCount * 8 + 4) / 5 else { return nil }
    var bytes: [UInt8] = []
    var (pending, pendingBits): (UInt32, Int) = (0, 0)
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      pending = pending << 5 | value
      pendingBits += 5
      if pendingBits >= 8 {
        pendingBits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits)))
        pending &= 1 << UInt32(pendingBits) - 1
      }
    }
    return pending == 0 && bytes.count == byteCount ? bytes : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
    default: nil
    }
  }
}
