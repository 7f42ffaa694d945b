/// How a remote peer broke the protocol with one frame.
///
/// Costs the remote its link: the shell sends CLOSE with ``closeCode`` and ``description``.
package struct FrameError: Error, Hashable, Sendable {
  /// What was wrong with the frame.
  package enum Reason: Hashable, Sendable {
    /// The length exceeds the bound.
    case tooLarge
    /// The number is unknown, and the frame must not be skipped.
    case unknown
    /// The payload is none of the type's.
    case malformed(WireError)
    /// The frame must not come now.
    case unexpected
    /// More was sent than was granted.
    case overrun
    /// It contradicts what was said or sent before.
    case contradictory
    /// The message it belongs to exceeds the receiver's bound.
    case messageTooLarge
  }

  /// What was wrong.
  package let reason: Reason
  /// The number of the frame.
  package let number: FrameNumber
  /// The length of its payload in bytes, as the frame declared it.
  package let payloadBytes: UInt64

  /// An error of a frame of a known type.
  package init(_ reason: Reason, type: FrameType, payloadBytes: Int) {
    self.init(reason, number: FrameNumber(type), payloadBytes: payloadBytes)
  }

  /// An error of a frame of any type.
  package init(_ reason: Reason, number: FrameNumber, payloadBytes: Int) {
    (self.reason, self.number, self.payloadBytes) = (reason, number, UInt64(payloadBytes))
  }

  /// The code for CLOSE.
  package var closeCode: CloseCode {
    switch reason {
    case .tooLarge: .frameTooLarge
    case .unknown: .unknownFrame
    case .malformed, .unexpected, .contradictory: .protocolViolation
    case .overrun: .flowControl
    case .messageTooLarge: .messageTooLarge
    }
  }
}

extension FrameError: CustomStringConvertible {
  /// One sentence for a person, fit for the text of CLOSE.
  package var description: String {
    switch reason {
    case .tooLarge: "\(number) declares \(payloadBytes) bytes, more than a frame may have."
    case .unknown: "\(number) is not known here and must not be skipped."
    case .malformed(let error): "\(number) of \(payloadBytes) bytes has a bad payload (\(error))."
    case .unexpected: "\(number) must not come now."
    case .contradictory: "\(number) contradicts what was said or sent before."
    case .overrun: "\(number) of \(payloadBytes) bytes exceeds what was granted."
    case .messageTooLarge: "\(number) continues a message beyond the bound of its receiver."
    }
  }
}
