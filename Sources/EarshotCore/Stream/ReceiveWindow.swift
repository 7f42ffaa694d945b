/// What was received of the reliable stream of one member, and how much more was granted.
///
/// The stream may run ahead of the application by one window: complete messages that the application has
/// not taken are *held*, with what they cost beside their bytes, and hold the window back. An unfinished message
/// does not: it is bounded by the largest message, which may be larger than the window.
///
/// An acknowledgement is due when a quarter of the window was received or can be granted since the last
/// one, or when its delay has passed.
///
/// Not a machine with events: these few operations are the path of every message.
package struct ReceiveWindow: Hashable, Sendable {
  /// The window by default, 1 MiB.
  package static let windowBytesDefault = 1 << 20
  /// The smallest window: with less, a frame of 64 KiB could wait for ever.
  package static let windowBytesMin = 128 << 10
  /// What a waiting message costs beside its bytes, so that even empty ones hold the window back.
  package static let messageOverheadBytes = 64
  /// How long an acknowledgement waits for company, 25 ms as in QUIC (RFC 9000 §18.2).
  package static let acknowledgementDelayDefault = Duration.milliseconds(25)

  /// How many bytes were received, whole frames only.
  package private(set) var received: UInt64 = 0
  /// How many bytes were granted from the beginning, as far as the remote was told.
  package private(set) var limit: UInt64 = 0
  /// How many bytes of complete messages the application has not taken, headers included.
  package private(set) var heldBytes = 0
  /// When an acknowledgement is due at the latest, or `nil` when nothing waits for one.
  package private(set) var acknowledgementDeadline: Instant?

  private var acknowledged: UInt64 = 0
  private let windowBytes: Int
  private let acknowledgementDelay: Duration

  /// A stream at position 0, of which nothing was granted yet.
  package init(
    windowBytes: Int = windowBytesDefault,
    acknowledgementDelay: Duration = acknowledgementDelayDefault
  ) {
    precondition(windowBytes >= Self.windowBytesMin, "\(windowBytes) bytes are no window")
    (self.windowBytes, self.acknowledgementDelay) = (windowBytes, acknowledgementDelay)
  }

  /// Counts one whole reliable frame, known or skipped.
  ///
  /// - Parameters:
  ///   - number: The frame's number, for the error.
  ///   - frameBytes: Its length, header included.
  ///   - now: The time.
  /// - Throws: That more was sent than was granted.
  package mutating func receive(
    _ number: FrameNumber, frameBytes: Int, at now: Instant
  ) throws(FrameError) {
    guard UInt64(frameBytes) <= limit - received else {
      throw FrameError(.overrun, number: number, payloadBytes: frameBytes)
    }
    received += UInt64(frameBytes)
    if acknowledgementDeadline == nil { acknowledgementDeadline = now + acknowledgementDelay }
  }

  /// Counts one complete message that waits for the application.
  package mutating func hold(messageBytes: Int) {
    heldBytes += Self.heldBytes(messages: 1, bytes: messageBytes)
  }

  /// What complete messages that wait hold of the window.
  package static func heldBytes(messages: Int, bytes: Int) -> Int {
    bytes + messages * messageOverheadBytes
  }

  /// Counts messages that the application has taken.
  ///
  /// - Parameter bytes: What they held, as ``heldBytes(messages:bytes:)`` counts it.
  /// - Precondition: They were held.
  package mutating func release(heldBytes bytes: Int) {
    precondition(bytes <= heldBytes, "only what is held can be released")
    heldBytes -= bytes
  }

  /// Whether an acknowledgement should be sent now.
  package func isAcknowledgementDue(at now: Instant) -> Bool {
    let quarter = UInt64(windowBytes / 4)
    if received - acknowledged >= quarter || grantable - limit >= quarter { return true }
    guard let acknowledgementDeadline else { return false }
    return acknowledgementDeadline <= now
  }

  /// The acknowledgement of everything up to now, which is to be sent at once.
  package mutating func takeAcknowledgement() -> Acknowledgement {
    limit = grantable
    acknowledged = received
    acknowledgementDeadline = nil
    return Acknowledgement(received: received, limit: limit)
  }

  /// How far may be granted; never less than what was.
  private var grantable: UInt64 {
    let open = received + UInt64(windowBytes)
    return open - min(UInt64(heldBytes), open - limit)
  }
}
