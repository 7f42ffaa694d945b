/// Writes messages of Protocol Buffers, field by field.
struct ProtobufWriter {
  var bytes: [UInt8] = []

  /// Writes a number as a varint.
  mutating func write(_ field: Int, _ value: UInt64) {
    varint(UInt64(field) << 3)
    varint(value)
  }

  /// Writes a number of eight bytes.
  mutating func write(_ field: Int, fixed value: UInt64) {
    varint(UInt64(field) << 3 | 1)
    var rest = value
    for _ in 0..<8 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Writes a text.
  mutating func write(_ field: Int, _ text: String) {
    varint(UInt64(field) << 3 | 2)
    varint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a message within the message.
  ///
  /// Its length takes four bytes, whatever it is: a varint may be longer than it has to be.
  mutating func write(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
    varint(UInt64(field) << 3 | 2)
    let start = bytes.count
    for _ in 0..<4 { bytes.append(0) }
    body(&self)
    let count = bytes.count - start - 4
    for index in 0..<4 {
      let group = UInt8(truncatingIfNeeded: count >> (7 * index)) & 0x7F
      bytes[start + index] = index < 3 ? group | 0x80 : group
    }
  }

  /// Writes a message of at most 127 bytes within the message.
  mutating func write(short field: Int, _ body: (inout ProtobufWriter) -> Void) {
    varint(UInt64(field) << 3 | 2)
    let start = bytes.count
    bytes.append(0)
    body(&self)
    bytes[start] = UInt8(bytes.count - start - 1)
    precondition(bytes[start] < 0x80, "a short message of \(bytes[start]) bytes")
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
