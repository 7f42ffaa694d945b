import EarshotCore

/// The bytes of a file: each follows from the content's number and its position, and no two blocks
/// of a file are alike.
package struct FileBytes: Hashable, Sendable {
  /// The number of the content.
  package let content: UInt64

  package init(content: UInt64) { self.content = content }

  /// The bytes of a whole file.
  package func bytes(_ count: Int) -> [UInt8] { bytes(count, at: 0) }

  /// Whether a file is as it should be: of so many bytes, each the right one.
  package func isWhole(_ bytes: [UInt8], count: Int) -> Bool {
    bytes.count == count && firstHarm(in: bytes) == nil
  }

  /// The position of the first byte that is not as it should be.
  func firstHarm(in bytes: [UInt8]) -> Int? {
    var start = 0
    while start < bytes.count {
      let part = bytes[start..<min(start + Self.partBytes, bytes.count)]
      let right = self.bytes(part.count, at: start)
      if !part.elementsEqual(right) {
        return zip(part.indices, right).first { bytes[$0] != $1 }?.0
      }
      start += Self.partBytes
    }
    return nil
  }

  /// So many bytes from a position on, which is a multiple of 8.
  private func bytes(_ count: Int, at start: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      for position in stride(from: 0, to: count, by: 8) {
        let word = word((start + position) / 8)
        for index in 0..<min(8, count - position) {
          bytes.initializeElement(
            at: position + index, to: UInt8(truncatingIfNeeded: word >> (8 * index)))
        }
      }
      filled = count
    }
  }

  /// A word of SplitMix64, which is not asked for those before it.
  private func word(_ index: Int) -> UInt64 {
    RollingHash.mix(content &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static let partBytes = 1 << 16
}
