/// Writes frames: type, length, payload.
///
/// ```
/// +----------------+------------------+------------------ … -+
/// | type (varint)  | length (varint)  | payload              |
/// +----------------+------------------+------------------ … -+
/// ```
package enum FrameEncoder {
  /// The largest payload of a frame, 64 KiB.
  package static let payloadBytesMax = 65_536

  /// How many bytes a frame takes on the wire, header included.
  @inlinable
  package static func frameBytes(_ type: FrameType, payloadBytes: Int) -> Int {
    frameBytes(FrameNumber(type), payloadBytes: payloadBytes)
  }

  /// How many bytes a frame of any number takes on the wire, header included.
  @inlinable
  package static func frameBytes(_ number: FrameNumber, payloadBytes: Int) -> Int {
    Varint.length(of: number.rawValue) + Varint.length(of: UInt64(payloadBytes)) + payloadBytes
  }

  /// Appends one frame.
  ///
  /// - Precondition: The payload has at most ``payloadBytesMax`` bytes.
  @inlinable
  package static func append(
    _ type: FrameType, payload: Span<UInt8>, to wire: inout [UInt8]
  ) {
    append(FrameNumber(type), payload: payload, to: &wire)
  }

  /// Appends one frame of any number, also one that no receiver knows.
  ///
  /// - Precondition: The payload has at most ``payloadBytesMax`` bytes.
  @inlinable
  package static func append(
    _ number: FrameNumber, payload: Span<UInt8>, to wire: inout [UInt8]
  ) {
    appendHeader(number, payloadBytes: payload.count, to: &wire)
    wire.append(copying: payload)
  }

  /// Appends the header of a frame whose payload the caller appends.
  ///
  /// - Precondition: `payloadBytes <= payloadBytesMax`.
  @inlinable
  package static func appendHeader(
    _ type: FrameType, payloadBytes: Int, to wire: inout [UInt8]
  ) {
    appendHeader(FrameNumber(type), payloadBytes: payloadBytes, to: &wire)
  }

  /// Appends the header of a frame of any number, whose payload the caller appends.
  ///
  /// - Precondition: `payloadBytes <= payloadBytesMax`.
  @inlinable
  package static func appendHeader(
    _ number: FrameNumber, payloadBytes: Int, to wire: inout [UInt8]
  ) {
    precondition(payloadBytes <= payloadBytesMax, "\(payloadBytes) bytes exceed a frame")
    Varint.append(number.rawValue, to: &wire)
    Varint.append(UInt64(payloadBytes), to: &wire)
  }
}
