/// The number that a frame begins with, of a known type or not.
///
/// Two bits are for receivers that do not know the type. Bit 0 says that the frame may be skipped,
/// bit 1 that it belongs to the stream of bytes that survives a broken link.
package struct FrameNumber: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt64

  /// Any number.
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The number of a known type.
  @inlinable
  package init(_ type: FrameType) { self.init(rawValue: type.rawValue) }

  /// The type that has the number, or `nil` if it is not a known one.
  package var type: FrameType? { FrameType(rawValue: rawValue) }

  /// Whether a receiver that does not know the type goes on without the frame.
  package var isSkippable: Bool { rawValue & 1 != 0 }

  /// Whether the frame counts in the reliable stream.
  package var isReliable: Bool { rawValue & 2 != 0 }

  /// Whether the number is that of a type; cheaper than to find the type first.
  @inlinable
  package static func == (number: FrameNumber, type: FrameType) -> Bool {
    number.rawValue == type.rawValue
  }
}

extension FrameNumber: CustomStringConvertible {
  /// The name in the protocol, or `frame 0x7f` for a number without one.
  package var description: String {
    type?.description ?? "frame 0x\(String(rawValue, radix: 16))"
  }
}
