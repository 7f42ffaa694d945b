/// What a frame is, as its first integer says.
///
/// Two bits are for receivers that do not know the type: bit 0 says that the frame may be skipped, bit 1
/// that it belongs to the stream of bytes that survives a broken link.
package struct FrameType: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt64

  /// The type of a number, known or not.
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether a receiver that does not know the type goes on without the frame.
  package var isSkippable: Bool { rawValue & 1 != 0 }

  /// Whether the frame counts in the reliable stream.
  package var isReliable: Bool { rawValue & 2 != 0 }

  /// The first frame in each direction: ``Hello``.
  package static let hello = FrameType(rawValue: 0x00)
  /// An invitation to a session: ``Invite``.
  package static let invite = FrameType(rawValue: 0x04)
  /// An invitation is accepted: ``Accept``.
  package static let accept = FrameType(rawValue: 0x08)
  /// An invitation is declined: ``Decline``.
  package static let decline = FrameType(rawValue: 0x0C)
  /// An invitation is taken back: ``Cancel``.
  package static let cancel = FrameType(rawValue: 0x10)
  /// The request to carry on with a membership on this link: ``Attach``.
  package static let attach = FrameType(rawValue: 0x14)
  /// The answer that this link carries the membership: ``Attached``.
  package static let attached = FrameType(rawValue: 0x18)
  /// A question whether the other side is alive: ``Ping``.
  package static let ping = FrameType(rawValue: 0x24)
  /// The answer to a ping: ``Ping``, with the token received.
  package static let pong = FrameType(rawValue: 0x28)
  /// What was received of the reliable stream, and what may be sent: ``Acknowledgement``.
  package static let acknowledgement = FrameType(rawValue: 0x2C)
  /// The last frame, with the reason: ``Close``.
  package static let close = FrameType(rawValue: 0x30)
  /// Where datagrams are taken: ``DatagramOffer``.
  package static let datagrams = FrameType(rawValue: 0x31)
  /// A message that may be lost: ``UnreliableMessage``.
  package static let unreliable = FrameType(rawValue: 0x35)
  /// The wish to compare a verification code: ``VerificationRequest``.
  package static let verify = FrameType(rawValue: 0x11)
  /// The promise of a nonce: ``VerificationCommitment``.
  package static let commit = FrameType(rawValue: 0x15)
  /// A nonce: ``VerificationNonce``.
  package static let nonce = FrameType(rawValue: 0x19)
  /// What is said of a verification code: ``VerificationVerdict``.
  package static let verdict = FrameType(rawValue: 0x1D)
  /// A part of a message: ``MessagePart``.
  package static let message = FrameType(rawValue: 0x02)
  /// Another member, and where to dial it: ``Introduce``.
  package static let introduce = FrameType(rawValue: 0x06)
  /// A member that is none any longer: ``Retract``.
  package static let retract = FrameType(rawValue: 0x0E)
  /// The end of a membership: ``Leave``.
  package static let leave = FrameType(rawValue: 0x0A)

  private static let names: [UInt64: String] = [
    0x00: "HELLO", 0x04: "INVITE", 0x08: "ACCEPT", 0x0C: "DECLINE", 0x10: "CANCEL",
    0x14: "ATTACH", 0x18: "ATTACHED", 0x24: "PING", 0x28: "PONG", 0x2C: "ACK", 0x30: "CLOSE",
    0x02: "MESSAGE", 0x06: "INTRODUCE", 0x0A: "LEAVE", 0x0E: "RETRACT",
    0x31: "DATAGRAMS", 0x35: "UNRELIABLE",
    0x11: "VERIFY", 0x15: "COMMIT", 0x19: "NONCE", 0x1D: "VERDICT",
  ]
}

extension FrameType: CustomStringConvertible {
  /// The name in the protocol, or `frame 0x7f` for a type without one.
  package var description: String {
    Self.names[rawValue] ?? "frame 0x\(String(rawValue, radix: 16))"
  }
}
