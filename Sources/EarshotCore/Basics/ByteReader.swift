/// Reads numbers and bytes from the front of a buffer; what is missing is an error, never a trap.
///
/// For headers and control messages. A failed read leaves the reader where it was.
package struct ByteReader: Hashable, Sendable {
  /// The whole buffer, also what was read already.
  package let bytes: [UInt8]
  /// Where the next read begins, in bytes from the start of the buffer.
  package private(set) var offset: Int
  private let end: Int

  /// Reads the given part of a buffer, or all of it.
  package init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    let range = range ?? 0..<bytes.count
    precondition(range.upperBound <= bytes.count, "the range ends past the buffer")
    (self.bytes, offset, end) = (bytes, range.lowerBound, range.upperBound)
  }

  /// How many bytes are left.
  package var remaining: Int { end - offset }

  /// Whether everything was read.
  package var isAtEnd: Bool { offset == end }

  /// The next byte.
  package mutating func readUInt8() throws(WireError) -> UInt8 {
    guard remaining >= 1 else { throw .truncated }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// The next two bytes, the most significant first.
  package mutating func readUInt16() throws(WireError) -> UInt16 {
    guard remaining >= 2 else { throw .truncated }
    defer { offset += 2 }
    return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
  }

  /// The next four bytes, the most significant first.
  package mutating func readUInt32() throws(WireError) -> UInt32 {
    guard remaining >= 4 else { throw .truncated }
    defer { offset += 4 }
    return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The next eight bytes, the most significant first.
  package mutating func readUInt64() throws(WireError) -> UInt64 {
    guard remaining >= 8 else { throw .truncated }
    defer { offset += 8 }
    return bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The next variable-length integer, 0 through 2⁶²−1.
  package mutating func readVarint() throws(WireError) -> UInt64 {
    guard remaining >= 1 else { throw .truncated }
    let length = Varint.length(first: bytes[offset])
    guard remaining >= length else { throw .truncated }
    defer { offset += length }
    return Varint.value(of: bytes[offset..<offset + length])
  }

  /// So many bytes, as a copy.
  package mutating func readBytes(_ count: Int) throws(WireError) -> [UInt8] {
    guard count >= 0, remaining >= count else { throw .truncated }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  /// Bytes behind a variable-length count, at most so many.
  package mutating func readPrefixedBytes(max: Int) throws(WireError) -> [UInt8] {
    var ahead = self
    let count = try ahead.readVarint()
    guard count <= UInt64(max) else { throw .tooLong }
    let bytes = try ahead.readBytes(Int(count))
    self = ahead
    return bytes
  }

  /// A string behind a variable-length count of its UTF-8 bytes, at most so many.
  package mutating func readPrefixedString(maxBytes: Int) throws(WireError) -> String {
    var ahead = self
    let bytes = try ahead.readPrefixedBytes(max: maxBytes)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    self = ahead
    return text
  }

  /// Everything that is left, as a copy.
  package mutating func readRest() -> [UInt8] {
    defer { offset = end }
    return Array(bytes[offset..<end])
  }

  /// Leaves out so many bytes.
  package mutating func skip(_ count: Int) throws(WireError) {
    guard count >= 0, remaining >= count else { throw .truncated }
    offset += count
  }
}
