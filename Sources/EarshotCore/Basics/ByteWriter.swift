/// Appends numbers and bytes to a buffer.
package struct ByteWriter: Hashable, Sendable {
  /// What was written so far.
  package private(set) var bytes: [UInt8]

  /// Appends to an empty buffer, or behind what is given.
  package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// How many bytes were written.
  package var count: Int { bytes.count }

  /// Appends one byte.
  package mutating func write(_ value: UInt8) { bytes.append(value) }

  /// Appends two bytes, the most significant first.
  package mutating func write(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  /// Appends four bytes, the most significant first.
  package mutating func write(_ value: UInt32) {
    write(UInt16(truncatingIfNeeded: value >> 16))
    write(UInt16(truncatingIfNeeded: value))
  }

  /// Appends eight bytes, the most significant first.
  package mutating func write(_ value: UInt64) {
    write(UInt32(truncatingIfNeeded: value >> 32))
    write(UInt32(truncatingIfNeeded: value))
  }

  /// Appends a variable-length integer in its shortest form.
  ///
  /// - Precondition: `value <= Varint.max`.
  package mutating func writeVarint(_ value: UInt64) { Varint.append(value, to: &bytes) }

  /// Appends bytes as they are.
  package mutating func write(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  /// Appends bytes behind their variable-length count.
  package mutating func writePrefixed(_ more: some Collection<UInt8>) {
    writeVarint(UInt64(more.count))
    write(more)
  }

  /// Appends a string's UTF-8 bytes behind their variable-length count.
  package mutating func writePrefixed(_ text: String) { writePrefixed(text.utf8) }

  /// Replaces two bytes that were written already.
  ///
  /// - Precondition: `offset + 2 <= count`.
  package mutating func replaceUInt16(at offset: Int, with value: UInt16) {
    bytes[offset] = UInt8(truncatingIfNeeded: value >> 8)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
  }
}
