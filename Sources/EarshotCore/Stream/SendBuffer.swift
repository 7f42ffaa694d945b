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
/// One flat buffer, compacted now and then: appending, sending and acknowledging cost amortised constant
/// time a frame and no allocation a message. A link that breaks only moves `sent` back.
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

  private static let compactedBytesMin = 65_536
  private static let keptBytesMax = 16_384
  private var bytes: [UInt8] = []  // From `head`: the bytes of acknowledged ..< end.
  private var head = 0
  private let bytesMax: Int

  /// A stream at position 0, of which nothing may be sent until the remote grants it.
  package init(bytesMax: Int = bytesMaxDefault) {
    precondition(bytesMax > 0, "a log without room takes nothing")
    self.bytesMax = bytesMax
  }

  /// Where the next frame will begin.
  package var end: UInt64 { acknowledged + UInt64(bytes.count - head) }

  /// How many bytes are kept.
  package var bufferedBytes: Int { bytes.count - head }

  /// How much memory the log holds, which is at most a small multiple of its bound.
  package var allocatedBytes: Int { bytes.capacity }

  /// Whether everything was acknowledged.
  package var isEmpty: Bool { bytes.count == head }

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
    guard hasRoom(forBytes: MessagePart.wireBytes(messageBytes: message.count)) else {
      return false
    }
    MessagePart.append(message: message, to: &bytes)
    unacknowledgedMessages += 1
    return true
  }

  /// Appends another reliable frame, such as LEAVE, whether there is room or not.
  ///
  /// These are few and small: their number is bounded by who sends them.
  package mutating func append(_ payload: some FramePayload) {
    precondition(type(of: payload).type.isReliable, "only reliable frames are part of the stream")
    payload.encode(into: &bytes)
  }

  /// Whether something waits to be sent, granted or not.
  package var hasUnsent: Bool { sent < end }

  /// Whether a frame may be sent now.
  package var hasSendable: Bool {
    guard sent < end else { return false }
    return sent + UInt64(frameBytes(at: index(of: sent))) <= limit
  }

  /// Lends the frames that may be sent now, and counts them as sent.
  ///
  /// - Parameters:
  ///   - max: About how many bytes: whole frames within it, or a single larger one.
  ///   - partBytesMax: The most bytes of a message in one frame; longer parts are cut in two as they come.
  ///   - body: Takes all bytes that it is lent.
  /// - Returns: How many bytes were lent; 0 when `body` was not called.
  @discardableResult
  package mutating func send(
    max: Int, partBytesMax: Int = MessagePart.partBytesMax, _ body: (Span<UInt8>) -> Void
  ) -> Int {
    let start = index(of: sent)
    let granted = limit > sent ? Int(min(limit - sent, UInt64(Int.max))) : 0
    var count = 0
    while start + count < bytes.count {
      cutPart(at: start + count, to: partBytesMax)
      let next = count + frameBytes(at: start + count)
      guard next <= granted, next <= max || count == 0 else { break }
      count = next
    }
    guard count > 0 else { return 0 }
    body(bytes.span.extracting(start..<start + count))
    sent += UInt64(count)
    sentEver = Swift.max(sentEver, sent)
    return count
  }

  /// Cuts a part of a message in two, if it is longer than so many bytes.
  ///
  /// The remote has not received it: so it may be sent as other frames than before, too.
  private mutating func cutPart(at index: Int, to partBytes: Int) {
    precondition(partBytes > 0, "a part that is not the last has bytes")
    let (start, payloadBytes) = header(at: index)
    guard payloadBytes - 1 > partBytes, bytes[index] == UInt8(FrameType.message.rawValue) else {
      return
    }
    var (first, second): ([UInt8], [UInt8]) = ([], [])
    FrameEncoder.appendHeader(.message, payloadBytes: partBytes + 1, to: &first)
    FrameEncoder.appendHeader(.message, payloadBytes: payloadBytes - partBytes, to: &second)
    bytes.insert(contentsOf: second + [bytes[start]], at: start + 1 + partBytes)
    bytes.replaceSubrange(index...start, with: first + [0])
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
    sent = received
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
    bytes = []
    head = 0
  }

  private mutating func forget(
    before received: UInt64, sent: UInt64, limit: UInt64, type: FrameType
  ) throws(FrameError) {
    guard acknowledged <= received, received <= sent, self.limit <= limit,
      let messages = messages(before: received)
    else { throw FrameError(.contradictory, type: type, payloadBytes: 0) }
    head = index(of: received)
    acknowledged = received
    unacknowledgedMessages -= messages
    self.limit = limit
    compact()
  }

  /// How many messages end before a position, or `nil` when no frame ends there.
  private func messages(before position: UInt64) -> Int? {
    let end = index(of: position)
    var (messages, index) = (0, head)
    while index < end {
      if bytes[index] == UInt8(FrameType.message.rawValue), isLastPart(at: index) { messages += 1 }
      index += frameBytes(at: index)
    }
    return index == end ? messages : nil
  }

  private mutating func compact() {
    if isEmpty {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytesMax)
      head = 0
    } else if head >= Self.compactedBytesMin, head >= bytes.count / 2 {
      bytes.removeSubrange(..<head)
      head = 0
    }
  }

  private func index(of position: UInt64) -> Int { head + Int(position - acknowledged) }

  private func frameBytes(at index: Int) -> Int {
    let length = header(at: index)
    return length.payloadStart - index + length.payloadBytes
  }

  private func isLastPart(at index: Int) -> Bool { bytes[header(at: index).payloadStart] == 1 }

  private func header(at index: Int) -> (payloadStart: Int, payloadBytes: Int) {
    var offset = index + 1  // The types of Earshot's own reliable frames take one byte.
    let length = Varint.read(bytes.span, at: &offset) ?? 0
    return (offset, Int(length))
  }
}
