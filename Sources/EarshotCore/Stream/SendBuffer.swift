/// The reliable stream towards one member: what was appended and not yet acknowledged.
///
/// Positions count the bytes of whole frames, headers included, from 0:
///
/// ```
///   forgotten      in flight        waiting, granted    waiting
/// ──────────────┬────────────────┬───────────────────┬───────────┐
///          acknowledged         sent               limit        end
/// ```
///
/// In chunks: appending, sending and acknowledging cost constant time a frame, no allocation a message, and move no
/// byte that waits. A link that breaks only moves `sent` back.
///
/// Not a machine with events: these few operations are the path of every message.
package struct SendBuffer: Hashable, Sendable {
  /// How many bytes may wait by default, 4 MiB.
  package static let bytesMaxDefault = 4 << 20

  /// Everything before was received and is forgotten.
  package private(set) var acknowledged: UInt64 = 0
  /// Everything before was sent over the current link, or before it.
  package private(set) var sent: UInt64 = 0
  /// Everything before was sent over some link.
  package private(set) var sentEver: UInt64 = 0
  /// Everything before may be sent.
  package private(set) var limit: UInt64 = 0
  /// How many messages wait for their acknowledgement, of which some bytes may have arrived.
  package private(set) var unacknowledgedMessages = 0

  private var frames: FrameChunks  // The bytes of acknowledged ..< end.
  private var cursor = FrameChunks.Place()  // Of `sent`.
  private var ownEnd: UInt64 = 0  // Behind the last frame that is no part of a message.
  private let bytesMax: Int

  /// A stream at position 0, of which nothing may be sent until the remote grants it.
  package init(bytesMax: Int = bytesMaxDefault) {
    precondition(bytesMax > 0, "a log without room takes nothing")
    self.bytesMax = bytesMax
    frames = FrameChunks(chunkBytesMax: bytesMax)
  }

  /// Where the next frame will begin.
  package var end: UInt64 { acknowledged + UInt64(frames.count) }

  /// How many bytes are kept.
  package var bufferedBytes: Int { frames.count }

  /// How much memory the log holds, which is little more than its bound.
  package var allocatedBytes: Int { frames.allocatedBytes }

  /// Whether everything was acknowledged.
  package var isEmpty: Bool { frames.count == 0 }

  /// Whether a message of so many bytes fits; a log without messages takes a single one of any size.
  ///
  /// So the log holds as much as it was allowed, or one message.
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

  /// Appends another reliable frame, such as LEAVE, whether there is room or not.
  ///
  /// These are few and small: their number is bounded by who sends them.
  package mutating func append(_ payload: some FramePayload) {
    precondition(type(of: payload).type.isReliable, "only reliable frames are part of the stream")
    frames.append(byteCount: 0) { payload.encode(into: &$0) }
    ownEnd = end
  }

  /// Puts another reliable frame, such as INTRODUCE, in front of all messages that were not sent yet.
  ///
  /// What is said of the group does not wait for what programs say. Such frames, and those that were appended, keep
  /// their order. May come between two parts of a message.
  package mutating func insert(_ payload: some FramePayload) {
    precondition(type(of: payload).type.isReliable, "only reliable frames are part of the stream")
    if max(sent, ownEnd) == end { return append(payload) }
    var (place, position) = (cursor, sent)
    if position < ownEnd {
      frames.advance(&place) { frame in
        guard position < ownEnd else { return false }
        position += UInt64(frame.bytes)
        return true
      }
    }
    let count = frames.count
    frames.insert(at: place) { payload.encode(into: &$0) }
    ownEnd = position + UInt64(frames.count - count)
  }

  /// Whether something waits to be sent, granted or not.
  package var hasUnsent: Bool { sent < end }

  /// Whether a frame may be sent now.
  package var hasSendable: Bool {
    guard sent < end else { return false }
    var (place, isSendable) = (cursor, false)
    frames.advance(&place) { frame in
      isSendable = sent + UInt64(frame.bytes) <= limit
      return false
    }
    return isSendable
  }

  /// Lends the frames that may be sent now, and counts them as sent.
  ///
  /// - Parameters:
  ///   - max: About how many bytes: whole frames within it, or a single larger one.
  ///   - partBytesMax: The most bytes of a message in one frame; longer parts are cut in two as they come: the
  ///     remote has not received them, so they may be sent as other frames than before, too.
  ///   - body: Takes all bytes that it is lent, in their order.
  /// - Returns: How many bytes were lent; 0 when `body` was not called.
  @discardableResult
  package mutating func send(
    max: Int, partBytesMax: Int = MessagePart.partBytesMax, _ body: (Span<UInt8>) -> Void
  ) -> Int {
    let granted = limit > sent ? Int(min(limit - sent, UInt64(Int.max))) : 0
    var (end, count, isTooLong) = (cursor, 0, true)
    while isTooLong {
      isTooLong = false
      frames.advance(&end) { frame in
        isTooLong = frame.partBytes > partBytesMax
        let next = count + frame.bytes
        guard !isTooLong, next <= granted, next <= max || count == 0 else { return false }
        count = next
        return true
      }
      if isTooLong { cutPart(at: end, sent + UInt64(count), to: partBytesMax) }
    }
    frames.lend(from: cursor, to: end, body)
    cursor = end
    sent += UInt64(count)
    sentEver = Swift.max(sentEver, sent)
    return count
  }

  /// Cuts a part of a message in two; frames behind move.
  private mutating func cutPart(
    at place: FrameChunks.Place, _ position: UInt64, to partBytes: Int
  ) {
    let count = frames.count
    frames.cutPart(at: place, to: partBytes)
    if position < ownEnd { ownEnd += UInt64(frames.count - count) }
  }

  /// Takes up the stream on a new link, behind what the remote has received.
  ///
  /// - Parameters:
  ///   - received: How many bytes of this stream the remote has, as ATTACH or ATTACHED says.
  ///   - window: How far beyond that may be sent.
  /// - Throws: That the remote claims what was never sent, takes back what it had, or grants less.
  package mutating func rewind(to received: UInt64, window: UInt64) throws(FrameError) {
    let (sum, overflow) = received.addingReportingOverflow(window)
    try forget(before: received, sent: sentEver, limit: overflow ? .max : sum, type: .attach)
    (sent, cursor) = (received, frames.start)
  }

  /// Takes in an acknowledgement: forgets what was received, and opens the window.
  ///
  /// - Throws: That the remote claims what was never sent, or takes something back.
  package mutating func acknowledge(_ acknowledgement: Acknowledgement) throws(FrameError) {
    let (received, limit) = (acknowledgement.received, acknowledgement.limit)
    try forget(before: received, sent: sent, limit: limit, type: .acknowledgement)
  }

  /// Takes everything as received.
  package mutating func acknowledgeAll() {
    (acknowledged, sent, unacknowledgedMessages) = (end, end, 0)
    cursor = frames.end
    frames.removeAll(before: cursor, keeping: &cursor)
  }

  private mutating func forget(
    before received: UInt64, sent: UInt64, limit: UInt64, type: FrameType
  ) throws(FrameError) {
    guard acknowledged <= received, received <= sent, self.limit <= limit,
      let (place, messages) = place(of: received)
    else { throw FrameError(.contradictory, type: type, payloadBytes: 0) }
    frames.removeAll(before: place, keeping: &cursor)
    acknowledged = received
    unacknowledgedMessages -= messages
    self.limit = limit
  }

  /// Where a position is, and how many messages end before, or `nil` when no frame ends there.
  private func place(of position: UInt64) -> (FrameChunks.Place, messages: Int)? {
    var (place, start, messages) = (frames.start, acknowledged, 0)
    frames.advance(&place) { frame in
      guard start < position else { return false }
      if frame.isLastPart { messages += 1 }
      start += UInt64(frame.bytes)
      return true
    }
    return start == position ? (place, messages) : nil
  }

  private static let sharedBytesMin = 8_192  // Less is copied sooner than kept apart.
}
