/// An order-sensitive 64-bit hash of a sequence of words.
///
/// Equal sequences give equal hashes on every machine and in every build; it is no protection against an
/// attacker who chooses the words.
public struct RollingHash: Hashable, Sendable {
  /// The hash of all words so far.
  public private(set) var value: UInt64

  /// The hash of no words.
  public init() { value = 0x243F_6A88_85A3_08D3 }

  /// Takes in one word.
  public mutating func combine(_ word: UInt64) {
    value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
    value ^= value >> 32
  }

  /// Takes in one number.
  public mutating func combine(_ number: some BinaryInteger) {
    combine(UInt64(truncatingIfNeeded: number))
  }

  /// Takes in the bytes of a text, each as a word.
  package mutating func combine(text: String) {
    for byte in text.utf8 { combine(byte) }
  }

  /// Takes in bytes, eight at a time, and their count.
  public mutating func combine(bytes: Span<UInt8>) {
    var index = 0
    while index + 8 <= bytes.count {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      combine(UInt64(bigEndian: word))
      index += 8
    }
    while index < bytes.count {
      var word: UInt64 = 0
      for offset in index..<min(index + 8, bytes.count) { word = word << 8 | UInt64(bytes[offset]) }
      combine(word)
      index += 8
    }
    combine(UInt64(truncatingIfNeeded: bytes.count))
  }

  /// The finalizer of SplitMix64: every bit of the input moves half of the output's bits.
  package static func mix(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension RollingHash: CustomStringConvertible {
  /// Sixteen hexadecimal digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
