import EarshotCore

/// A message of a workload: which one it is, and bytes that tell whether it arrived unharmed.
///
/// ```text
/// 0        8        16             size
/// | series | number | pattern …    |
/// ```
package struct TestMessage: Hashable {
  package let series: Int
  package let number: Int
  package let size: Int

  /// The message as it is sent.
  package var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: max(16, size)) { bytes, count in
      for index in 0..<8 {
        let shift = 56 - 8 * index
        bytes.initializeElement(at: index, to: UInt8(truncatingIfNeeded: series >> shift))
        bytes.initializeElement(at: 8 + index, to: UInt8(truncatingIfNeeded: number >> shift))
      }
      for index in 16..<bytes.count { bytes.initializeElement(at: index, to: pattern(index)) }
      count = max(16, size)
    }
  }

  private func pattern(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: number &+ 31 &* series &+ 7 &* index)
  }

  /// A message of at least 16 bytes.
  package init(series: Int, number: Int, size: Int) {
    (self.series, self.number, self.size) = (series, number, size)
  }

  /// The message that the bytes are, or `nil` when they are none.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 16 else { return nil }
    var (first, second) = (UInt64(0), UInt64(0))
    for index in 0..<8 {
      first = first << 8 | UInt64(bytes[index])
      second = second << 8 | UInt64(bytes[8 + index])
    }
    guard let series = Int(exactly: first), let number = Int(exactly: second) else { return nil }
    self.init(series: series, number: number, size: bytes.count)
    var (expected, difference) = (pattern(16), UInt8(0))
    for byte in bytes[16...] {
      difference |= byte ^ expected
      expected &+= 7
    }
    guard difference == 0 else { return nil }
  }
}
