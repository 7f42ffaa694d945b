/// Why a link ends, as CLOSE and LEAVE say it.
///
/// An unknown code keeps its number.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt64

  /// The code of a number, known or not.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The session was left; LEAVE came before it.
  package static let done = CloseCode(rawValue: 0)
  /// The peer goes to sleep and will be back.
  package static let suspending = CloseCode(rawValue: 1)
  /// Another link serves the same purpose.
  package static let duplicate = CloseCode(rawValue: 2)
  /// The invitation was no longer open.
  package static let expired = CloseCode(rawValue: 3)
  /// There is nothing to attach to.
  package static let unknownSession = CloseCode(rawValue: 4)
  /// Attaching was not permitted.
  package static let notIntroduced = CloseCode(rawValue: 5)
  /// The session is full.
  package static let full = CloseCode(rawValue: 6)
  /// The member was removed.
  package static let removed = CloseCode(rawValue: 7)
  /// The answer to LEAVE: everything before it was received.
  package static let farewell = CloseCode(rawValue: 8)
  /// The membership was given up, since its link was broken for too long.
  package static let givenUp = CloseCode(rawValue: 9)
  /// Nothing is known of the membership.
  package static let unknownMembership = CloseCode(rawValue: 10)
  /// Another session of the same peer has replaced this one.
  package static let superseded = CloseCode(rawValue: 11)
  /// The sender of CLOSE does not trust the other side's key.
  package static let untrusted = CloseCode(rawValue: 12)
  /// The acceptance of an invitation was taken back, before or while it was confirmed.
  package static let takenBack = CloseCode(rawValue: 13)
  /// The nonce of a verification code was not the one that was promised.
  package static let verificationFailed = CloseCode(rawValue: 24)
  /// A frame that must not come now, or with a payload that is none.
  package static let protocolViolation = CloseCode(rawValue: 16)
  /// A length above the bound.
  package static let frameTooLarge = CloseCode(rawValue: 17)
  /// An unknown frame that must not be skipped.
  package static let unknownFrame = CloseCode(rawValue: 18)
  /// More was sent than granted.
  package static let flowControl = CloseCode(rawValue: 19)
  /// A message above the receiver's bound.
  package static let messageTooLarge = CloseCode(rawValue: 20)
  /// The first frames did not come in time.
  package static let handshakeTimeout = CloseCode(rawValue: 21)
  /// There is no common version.
  package static let unsupportedVersion = CloseCode(rawValue: 22)
  /// The peer has dialled itself.
  package static let selfConnection = CloseCode(rawValue: 23)

  private static let names: [UInt64: String] = [
    0: "done", 1: "suspending", 2: "duplicate", 3: "expired", 4: "unknownSession",
    5: "notIntroduced", 6: "full", 7: "removed", 8: "farewell", 9: "givenUp",
    10: "unknownMembership", 11: "superseded", 12: "untrusted", 13: "takenBack",
    16: "protocolViolation", 17: "frameTooLarge",
    18: "unknownFrame", 19: "flowControl", 20: "messageTooLarge", 21: "handshakeTimeout",
    22: "unsupportedVersion", 23: "selfConnection", 24: "verificationFailed",
  ]
}

extension CloseCode: CustomStringConvertible {
  /// The name in the protocol; `nil` for a code without one.
  package var name: String? { Self.names[rawValue] }

  /// The name in the protocol, or `code 99` for a code without one.
  package var description: String { name ?? "code \(rawValue)" }
}

/// The reason why an invitation is declined.
public struct DeclineReason: Hashable, Sendable {
  /// The number on the wire; an unknown one is kept.
  package let rawValue: UInt64

  /// The reason of a number, known or not.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The program declines; the inviter's outcome is `declined`.
  public static let declined = DeclineReason(rawValue: 0)
  /// The program is occupied, and another time may be better; the inviter's outcome is `busy`.
  public static let busy = DeclineReason(rawValue: 1)
  /// The session is full; the inviter's outcome is `full`.
  public static let full = DeclineReason(rawValue: 2)
  /// Nothing of that service type is advertised.
  package static let notAdvertising = DeclineReason(rawValue: 3)
  /// The program did not answer in time.
  package static let expired = DeclineReason(rawValue: 4)
  /// The peer stopped before its program answered.
  package static let stopped = DeclineReason(rawValue: 5)

  private static let names = ["declined", "busy", "full", "notAdvertising", "expired", "stopped"]
}

extension DeclineReason: CustomStringConvertible {
  /// The name in the protocol, or `reason 99` for a reason without one.
  public var description: String {
    rawValue < UInt64(Self.names.count) ? Self.names[Int(rawValue)] : "reason \(rawValue)"
  }
}

/// Why an inviter takes its invitation back.
///
/// An unknown reason keeps its number.
package struct CancelReason: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt64

  /// The reason of a number, known or not.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The application changed its mind.
  package static let cancelled = CancelReason(rawValue: 0)
  /// The deadline passed.
  package static let timedOut = CancelReason(rawValue: 1)

  private static let names = ["cancelled", "timedOut"]
}

extension CancelReason: CustomStringConvertible {
  /// The name in the protocol, or `reason 99` for a reason without one.
  package var description: String {
    rawValue < UInt64(Self.names.count) ? Self.names[Int(rawValue)] : "reason \(rawValue)"
  }
}
