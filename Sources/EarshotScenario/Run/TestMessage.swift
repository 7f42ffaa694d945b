import EarshotCore

/// A message of a workload: which one it is, and bytes that tell whether it arrived unharmed.
///
/// ```text
/// 0        8        16             size
/// | stream | number | pattern …    |
/// ```
package struct TestMessage: Hashable {
  package let stream: Int
  package let number: Int
  package let size: Int

  /// The message as it is sent.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    for word in [stream, number] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    for index in 16..<max(16, size) { bytes.append(pattern(index)) }
    return bytes
  }

  private func pattern(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: number &+ 31 &* stream &+ 7 &* index)
  }

  /// A message of at least 16 bytes.
  package init(stream: Int, number: Int, size: Int) {
    (self.stream, self.number, self.size) = (stream, number, size)
  }

  /// The message that the bytes are, or `nil` when they are none.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 16 else { return nil }
    let words = [0, 8].map { start in
      bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    guard let stream = Int(exactly: words[0]), let number = Int(exactly: words[1]) else {
      return nil
    }
    self.init(stream: stream, number: number, size: bytes.count)
    for index in 16..<bytes.count where bytes[index] != pattern(index) { return nil }
  }
}
