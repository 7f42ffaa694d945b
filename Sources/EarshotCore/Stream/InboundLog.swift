/// How much of a remote peer's log was received, and what of that was acknowledged.
///
/// An acknowledgement is due after a batch of bytes, after a delay, and at the end of a stream,
/// for which its sender may wait. It is urgent after a batch of streams' bytes: their sender stops
/// when ``BulkBudget/bytesUnderWayMax`` are not acknowledged.
package struct InboundLog: Hashable, Sendable {
  /// How long an acknowledgement waits for company, 25 ms as in QUIC (RFC 9000 §18.2).
  package static let acknowledgementDelayDefault = Duration.milliseconds(25)

  /// How many bytes were received, whole frames only.
  package private(set) var received: UInt64 = 0
  /// When an acknowledgement is due at the latest, or `nil` when nothing waits for one.
  package private(set) var acknowledgementDeadline: Instant?

  private var acknowledged: UInt64 = 0
  private var streamBytes = 0  // That are not acknowledged.
  private let batchBytes: Int
  private let acknowledgementDelay: Duration

  /// A log at position 0.
  ///
  /// - Parameters:
  ///   - batchBytes: How many bytes are acknowledged without delay.
  ///   - acknowledgementDelay: How long an acknowledgement waits for company.
  package init(
    batchBytes: Int, acknowledgementDelay: Duration = acknowledgementDelayDefault
  ) {
    (self.batchBytes, self.acknowledgementDelay) = (batchBytes, acknowledgementDelay)
  }

  /// Counts one whole reliable frame, known or skipped.
  ///
  /// - Parameters:
  ///   - frameBytes: Its length, header included.
  ///   - now: The time.
  package mutating func receive(frameBytes: Int, at now: Instant) {
    received += UInt64(frameBytes)
    if acknowledgementDeadline == nil { acknowledgementDeadline = now + acknowledgementDelay }
  }

  /// Counts one whole frame with bytes of a stream.
  ///
  /// - Parameters:
  ///   - frameBytes: Its length, header included.
  ///   - isFinal: Whether the stream ends with it.
  ///   - now: The time.
  package mutating func receive(streamFrameBytes frameBytes: Int, isFinal: Bool, at now: Instant) {
    receive(frameBytes: frameBytes, at: now)
    streamBytes += frameBytes
    if isFinal { acknowledgementDeadline = now }
  }

  /// Whether an acknowledgement should be sent before anything more is read.
  package var isAcknowledgementUrgent: Bool { streamBytes >= batchBytes }

  /// Whether an acknowledgement should be sent now.
  package func isAcknowledgementDue(at now: Instant) -> Bool {
    if received - acknowledged >= UInt64(batchBytes) { return true }
    guard let acknowledgementDeadline else { return false }
    return acknowledgementDeadline <= now
  }

  /// The acknowledgement of everything up to now, which is to be sent at once.
  package mutating func takeAcknowledgement() -> Acknowledgement {
    acknowledged = received
    streamBytes = 0
    acknowledgementDeadline = nil
    return Acknowledgement(received: received)
  }
}
