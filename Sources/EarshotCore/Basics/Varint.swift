/// The variable-length integers of the wire: 1, 2, 4 or 8 bytes, the length in the first two bits.
///
/// ```
/// 00xxxxxx                                0 … 63
/// 01xxxxxx xxxxxxxx                       0 … 16 383
/// 10xxxxxx xxxxxxxx × 3                   0 … 2³⁰−1
/// 11xxxxxx xxxxxxxx × 7                   0 … 2⁶²−1
/// ```
///
/// - SeeAlso: RFC 9000 §16.
package enum Varint {
  /// The largest value, 2⁶²−1.
  package static let max: UInt64 = 1 << 62 - 1

  /// How many bytes an integer takes that begins with this byte.
  @inlinable
  package static func length(first: UInt8) -> Int { 1 << Int(first >> 6) }

  /// How many bytes the shortest form of a value takes.
  ///
  /// - Precondition: `value <= max`.
  @inlinable
  package static func length(of value: UInt64) -> Int {
    precondition(value <= max, "\(value) has no variable-length form")
    return value < 1 << 6 ? 1 : value < 1 << 14 ? 2 : value < 1 << 30 ? 4 : 8
  }

  /// The value of exactly the bytes of one integer.
  package static func value(of bytes: some Collection<UInt8>) -> UInt64 {
    bytes.dropFirst().reduce(UInt64((bytes.first ?? 0) & 0x3F)) { $0 << 8 | UInt64($1) }
  }

  /// Appends the shortest form of a value.
  ///
  /// - Precondition: `value <= max`.
  @inlinable
  package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    if value < 1 << 6 {
      bytes.append(UInt8(truncatingIfNeeded: value))
    } else if value < 1 << 14 {
      bytes.append(UInt8(truncatingIfNeeded: value >> 8 | 0x40))
      bytes.append(UInt8(truncatingIfNeeded: value))
    } else {
      appendLong(value, to: &bytes)
    }
  }

  @usableFromInline
  static func appendLong(_ value: UInt64, to bytes: inout [UInt8]) {
    let length = length(of: value)
    let prefix = UInt64(length.trailingZeroBitCount) << UInt64(length * 8 - 2)
    let word = value | prefix
    bytes.append(addingCapacity: length) { output in
      for shift in stride(from: length * 8 - 8, through: 0, by: -8) {
        output.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
  }
}
