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
    Varint.length(of: type.rawValue) + Varint.length(of: UInt64(payloadBytes)) + payloadBytes
  }

  /// Appends one frame.
  ///
  /// - Precondition: The payload has at most ``payloadBytesMax`` bytes.
  @inlinable
  package static func append(
    _ type: FrameType, payload: Span<UInt8>, to wire: inout [UInt8]
  ) {
    appendHeader(type, payloadBytes: payload.count, to: &wire)
    wire.append(copying: payload)
  }

  /// Appends the header of a frame whose payload the caller appends.
  ///
  /// - Precondition: `payloadBytes <= payloadBytesMax`.
  @inlinable
  package static func appendHeader(
    _ type: FrameType, payloadBytes: Int, to wire: inout [UInt8]
  ) {
    precondition(payloadBytes <= payloadBytesMax, "\(payloadBytes) bytes exceed a frame")
    Varint.append(type.rawValue, to: &wire)
    Varint.append(UInt64(payloadBytes), to: &wire)
  }
}
