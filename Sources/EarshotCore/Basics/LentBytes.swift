extension [UInt8] {
  /// A copy of lent bytes.
  @inlinable
  package init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends a copy of lent bytes.
  @inlinable
  package mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Whether lent bytes are the same.
  package func isEqual(to bytes: Span<UInt8>) -> Bool {
    guard count == bytes.count else { return false }
    let own = span
    var index = 0
    while index + 8 <= count {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let ownWord = unsafe own.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word == ownWord else { return false }
      index += 8
    }
    while index < count {
      guard own[index] == bytes[index] else { return false }
      index += 1
    }
    return true
  }
}

extension ByteReader {
  /// Reads a copy of lent bytes.
  package init(copying bytes: Span<UInt8>) { self.init([UInt8](copying: bytes)) }
}

extension Varint {
  /// Reads the integer at a position of lent bytes, or `nil` when the bytes end before it does.
  ///
  /// The position moves behind the integer; with `nil` it stays.
  @inlinable
  package static func read(_ bytes: Span<UInt8>, at offset: inout Int) -> UInt64? {
    guard offset < bytes.count else { return nil }
    let first = bytes[offset]
    if first < 1 << 6 {  // Numbers of frames, and most lengths.
      offset += 1
      return UInt64(first)
    }
    let length = 1 << Int(first >> 6)
    guard length <= bytes.count - offset else { return nil }
    var value = UInt64(first & 0x3F)
    for index in offset + 1..<offset + length { value = value << 8 | UInt64(bytes[index]) }
    offset += length
    return value
  }

  /// The integer at a position, which moves behind it.
  ///
  /// - Throws: That the bytes end before it does.
  static func next(of bytes: Span<UInt8>, at offset: inout Int) throws(WireError) -> UInt64 {
    guard let value = read(bytes, at: &offset) else { throw .truncated }
    return value
  }
}
