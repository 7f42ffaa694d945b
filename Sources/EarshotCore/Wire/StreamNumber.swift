/// The number of a stream in a frame, as seen by the sender of the frame.
///
/// ```
/// 0            the messages
/// 2, 4, 6 …    the streams that the sender of the frame opened, in the order of their OPENs
/// 3, 5, 7 …    the streams that its receiver opened
/// ```
///
/// 1 is the number of no stream. Both sides count from 1 what they open themselves, so that no
/// number has to be agreed on.
package struct StreamNumber: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt64

  /// The stream of a number, which may be the number of none.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The stream that one side opened as its n-th, from 1.
  package init(opened ordinal: UInt64, byLocal isLocal: Bool) {
    precondition(0 < ordinal && ordinal <= Self.ordinalMax, "\(ordinal) is the place of no stream")
    rawValue = ordinal << 1 | (isLocal ? 0 : 1)
  }

  /// The stream of messages.
  package static let messages = StreamNumber(rawValue: 0)
  /// The greatest number of streams that one side opens in a membership.
  package static let ordinalMax: UInt64 = 1 << 60

  /// The place among the streams that its opener opened, from 1; 0 for no stream and for the
  /// messages.
  package var ordinal: UInt64 { rawValue >> 1 }

  /// Whether the side that states the number has opened the stream.
  package var isLocal: Bool { rawValue & 1 == 0 }

  /// The number of the same stream as the other side states it.
  package var mirrored: StreamNumber {
    self == .messages ? self : StreamNumber(rawValue: rawValue ^ 1)
  }
}

extension StreamNumber: CustomStringConvertible {
  /// The number in the protocol.
  package var description: String { "stream \(rawValue)" }
}
