/// What was received of the messages of one member, and how much more was granted.
///
/// Counts the bytes of messages, and 64 for each message. The sender may run ahead of the
/// application by one window: complete messages that the application has not taken are *held*, and
/// hold the window back. An unfinished message does not: it is bounded by the largest message,
/// which may be larger than the window.
///
/// Not a machine with events: these few operations are the path of every message.
package struct ReceiveWindow: Hashable, Sendable {
  /// The window by default, 1 MiB.
  package static let windowBytesDefault = 1 << 20
  /// The smallest window: with less, a part of 64 KiB could wait for ever.
  package static let windowBytesMin = 128 << 10
  /// What a message costs beside its bytes, so that even empty ones hold the window back.
  package static let messageOverheadBytes = 64

  /// How many bytes were received.
  package private(set) var received: UInt64 = 0
  /// How many bytes were granted from the beginning, as far as the remote was told.
  package private(set) var limit: UInt64 = 0
  /// How many bytes of complete messages the application has not taken.
  package private(set) var heldBytes = 0

  private let windowBytes: Int

  /// A window at its beginning, of which nothing was granted yet.
  package init(windowBytes: Int = windowBytesDefault) {
    precondition(windowBytes >= Self.windowBytesMin, "\(windowBytes) bytes are no window")
    self.windowBytes = windowBytes
  }

  /// Counts one part of a message.
  ///
  /// - Parameters:
  ///   - partBytes: Its bytes.
  ///   - isLast: Whether a message ends with it.
  /// - Throws: That more was sent than was granted.
  package mutating func receive(partBytes: Int, isLast: Bool) throws(FrameError) {
    let bytes = UInt64(partBytes + (isLast ? Self.messageOverheadBytes : 0))
    guard bytes <= limit - received else {
      throw FrameError(.overrun, type: .message, payloadBytes: partBytes + 1)
    }
    received += bytes
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

  /// Whether a quarter of the window can be granted that was not.
  package var isCreditDue: Bool { grantable - limit >= UInt64(windowBytes / 4) }

  /// Grants what can be granted; the remote is to be told at once.
  ///
  /// - Returns: How many bytes are granted from the beginning.
  package mutating func takeCredit() -> UInt64 {
    limit = grantable
    return limit
  }

  /// How far may be granted; never less than what was.
  private var grantable: UInt64 {
    let open = received + UInt64(windowBytes)
    return open - min(UInt64(heldBytes), open - limit)
  }
}
