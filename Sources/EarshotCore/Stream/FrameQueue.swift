/// Frames of one kind that wait to be sent, or for their acknowledgement: the messages, or the
/// control frames.
///
/// ```
///   forgotten      under way      waiting
/// ──────────────┬──────────────┬───────────┐
///             start           sent        end
/// ```
///
/// In chunks: appending, sending and acknowledging cost constant time a frame, no allocation a
/// message, and move no byte that waits. A link that breaks only moves `sent` back to the start.
///
/// Not a machine with events: these few operations are the path of every message.
package struct FrameQueue: Hashable, Sendable {
  /// How many bytes may wait by default, 4 MiB.
  package static let bytesMaxDefault = 4 << 20

  /// How many messages wait for their acknowledgement, of which some bytes may have arrived.
  package private(set) var unacknowledgedMessages = 0
  /// How much credit was spent from the beginning on what was sent; control frames take none.
  package private(set) var spentCredit: UInt64 = 0

  private var frames: FrameChunks  // The bytes from start to end.
  private var cursor = FrameChunks.Place()  // Of what was not sent.
  private var sentBytes = 0  // From the start to the cursor.
  private var forgottenCredit: UInt64 = 0
  private let bytesMax: Int

  /// A queue in which nothing waits.
  package init(bytesMax: Int = bytesMaxDefault) {
    precondition(bytesMax > 0, "a queue without room takes nothing")
    self.bytesMax = bytesMax
    frames = FrameChunks(chunkBytesMax: bytesMax)
  }

  /// How many bytes are kept.
  package var bufferedBytes: Int { frames.count }

  /// How much memory the queue holds, which is little more than its bound.
  package var allocatedBytes: Int { frames.allocatedBytes }

  /// Whether everything was acknowledged.
  package var isEmpty: Bool { frames.count == 0 }

  /// Whether a message of so many bytes fits; one without messages takes a single one of any size.
  ///
  /// So the queue holds as much as it was allowed, or one message.
  package func hasRoom(forBytes count: Int) -> Bool {
    unacknowledgedMessages == 0 || count <= bytesMax - bufferedBytes
  }

  /// Appends a message, in parts if it is large.
  ///
  /// - Returns: Whether there was room; if not, nothing was appended.
  package mutating func append(message: Span<UInt8>) -> Bool {
    let byteCount = MessagePart.wireBytes(messageBytes: message.count)
    guard hasRoom(forBytes: byteCount) else { return false }
    frames.append(byteCount: byteCount) { MessagePart.append(message: message, to: &$0) }
    unacknowledgedMessages += 1
    return true
  }

  /// Appends a message, of which a large one is not copied: it is shared until it is acknowledged.
  ///
  /// - Returns: Whether there was room; if not, nothing was appended.
  package mutating func append(sharing message: [UInt8]) -> Bool {
    // Nothing is shared that would hold far more memory than it is reckoned to.
    guard message.count >= Self.sharedBytesMin, message.capacity <= 2 * message.count else {
      return append(message: message.span)
    }
    guard hasRoom(forBytes: MessagePart.wireBytes(messageBytes: message.count)) else {
      return false
    }
    for start in stride(from: 0, to: message.count, by: MessagePart.partBytesMax) {
      let part = message[start...].prefix(MessagePart.partBytesMax)
      let isLast = part.endIndex == message.endIndex
      if part.count < Self.sharedBytesMin {
        frames.append(byteCount: part.count) {
          MessagePart.appendPart(part.span, isLast: isLast, to: &$0)
        }
      } else {
        frames.append(sharing: part) {
          MessagePart.appendHeader(partBytes: part.count, isLast: isLast, to: &$0)
        }
      }
    }
    unacknowledgedMessages += 1
    return true
  }

  /// Appends another reliable frame, such as INTRODUCE, whether there is room or not.
  ///
  /// These are few and small: their number is bounded by what appends them.
  package mutating func append(_ payload: some FramePayload) {
    precondition(type(of: payload).type.isReliable, "only reliable frames are part of the log")
    frames.append(byteCount: 0) { payload.encode(into: &$0) }
  }

  /// Whether something waits to be sent, granted or not.
  package var hasUnsent: Bool { sentBytes < frames.count }

  /// Whether a frame may be sent now.
  ///
  /// - Parameter limit: How much credit there is from the beginning.
  /// - Returns: Whether one waits, and there is credit for it.
  package func hasSendable(limit: UInt64) -> Bool {
    guard hasUnsent else { return false }
    var (place, isSendable) = (cursor, false)
    frames.advance(&place) { frame in
      isSendable = frame.credit == 0 || spentCredit + UInt64(frame.credit) <= limit
      return false
    }
    return isSendable
  }

  /// Lends the frames that may be sent now, and counts them as sent.
  ///
  /// - Parameters:
  ///   - max: About how many bytes: whole frames within it, or a single larger one.
  ///   - isFirst: Whether a larger one may go.
  ///   - limit: How much credit there is from the beginning.
  ///   - partBytesMax: The most bytes of a message in one frame; longer parts are cut in two as
  ///     they come: the remote has not received them, so they may be sent as other frames than
  ///     before, too.
  ///   - body: Takes all bytes that it is lent, in their order.
  /// - Returns: How many bytes were lent; 0 when `body` was not called.
  package mutating func send(
    max: Int, isFirst: Bool = true, limit: UInt64 = .max,
    partBytesMax: Int = MessagePart.partBytesMax,
    _ body: (Span<UInt8>) -> Void
  ) -> Int {
    let granted = limit > spentCredit ? Int(min(limit - spentCredit, UInt64(Int.max))) : 0
    var (end, count, credit, isTooLong) = (cursor, 0, 0, true)
    while isTooLong {
      isTooLong = false
      frames.advance(&end) { frame in
        isTooLong = frame.partBytes > partBytesMax
        let (next, nextCredit) = (count + frame.bytes, credit + frame.credit)
        guard !isTooLong, nextCredit <= granted, next <= max || isFirst && count == 0 else {
          return false
        }
        (count, credit) = (next, nextCredit)
        return true
      }
      if isTooLong { frames.cutPart(at: end, to: partBytesMax) }
    }
    frames.lend(from: cursor, to: end, body)
    cursor = end
    sentBytes += count
    spentCredit += UInt64(credit)
    return count
  }

  /// Forgets so many bytes, which were received.
  ///
  /// - Returns: Whether they were sent, and a frame ends there; nothing has changed if not.
  package mutating func forget(_ bytes: Int) -> Bool {
    guard bytes <= sentBytes, let (place, messages, credit) = place(of: bytes) else { return false }
    frames.removeAll(before: place, keeping: &cursor)
    sentBytes -= bytes
    unacknowledgedMessages -= messages
    forgottenCredit += UInt64(credit)
    return true
  }

  /// Takes back everything that was sent and is not acknowledged: it waits again.
  package mutating func takeBack() {
    (cursor, sentBytes, spentCredit) = (frames.start, 0, forgottenCredit)
  }

  /// Takes everything as received.
  package mutating func removeAll() {
    (sentBytes, unacknowledgedMessages) = (0, 0)
    cursor = frames.end
    frames.removeAll(before: cursor, keeping: &cursor)
  }

  /// Where the frame ends that ends so many bytes after the start, and what goes before it; `nil`
  /// when none does.
  private func place(
    of bytes: Int
  ) -> (FrameChunks.Place, messages: Int, credit: Int)? {
    var (place, start, messages, credit) = (frames.start, 0, 0, 0)
    frames.advance(&place) { frame in
      guard start < bytes else { return false }
      if frame.isLastPart { messages += 1 }
      credit += frame.credit
      start += frame.bytes
      return true
    }
    return start == bytes ? (place, messages, credit) : nil
  }

  private static let sharedBytesMin = 8_192  // Less is copied sooner than kept apart.
}
