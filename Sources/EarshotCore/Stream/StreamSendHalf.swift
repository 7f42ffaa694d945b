/// What one side writes to a stream, until the other side has it.
///
/// Positions count the bytes of the stream, from 0:
///
/// ```
///   forgotten      under way      waiting
/// ──────────────┬──────────────┬───────────┐
///          acknowledged       sent        end
/// ```
///
/// | state | after | then |
/// |---|---|---|
/// | `open` | the opening | bytes are taken |
/// | `finished` | the half-close | what waits goes out, the last frame with the end |
/// | `delivered` | the acknowledgement of the end | nothing |
/// | `aborted` | a reset by either side | nothing; what was not received is dropped |
package struct StreamSendHalf: Hashable, Sendable {
  /// Where it is in its life.
  package enum State: Hashable, Sendable {
    case open, finished, delivered
    case aborted(StreamAbort, byRemote: Bool)
  }

  /// Where it is in its life.
  package private(set) var state = State.open
  /// Whether the program has written the end, though the half may have been aborted before or since.
  package private(set) var isEndWritten = false
  /// Everything before was received.
  package private(set) var acknowledged: UInt64 = 0
  /// Everything before was sent.
  package private(set) var sent: UInt64 = 0
  /// How many bytes the program has written.
  package private(set) var end: UInt64 = 0
  /// Everything before may be sent.
  package private(set) var limit: UInt64

  private struct Chunk: Hashable {
    var bytes: ArraySlice<UInt8>
    var start: UInt64
    var isShared: Bool

    var end: UInt64 { start + UInt64(bytes.count) }
  }
  private var chunks: [Chunk] = []  // The bytes from `acknowledged` on; the first may begin before.
  private var head = 0
  private var cursor = 0  // The index of the chunk where `sent` is, or the end.
  private var isEndSent = false

  /// A half at its beginning.
  ///
  /// - Parameter limit: How many bytes may be sent before the remote grants more.
  package init(limit: UInt64) { self.limit = limit }

  /// How many bytes are kept.
  package var bufferedBytes: Int { isOver ? 0 : Int(end - acknowledged) }

  /// Whether bytes are taken.
  package var isOpen: Bool { state == .open }

  /// Whether nothing is left to do.
  package var isOver: Bool {
    switch state {
    case .open, .finished: false
    case .delivered, .aborted: true
    }
  }

  /// Whether a frame can be sent now.
  package var isSendable: Bool {
    switch state {
    case .open: sent < end && sent < limit
    case .finished: sent < end ? sent < limit : !isEndSent
    case .delivered, .aborted: false
    }
  }

  /// Whether everything that was written, and the end if it was finished, has gone out.
  package var isDrained: Bool {
    switch state {
    case .open: sent == end
    case .finished: isEndSent
    case .delivered, .aborted: true
    }
  }

  // MARK: The program

  /// Takes bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - isShareable: Whether a large part need not be copied: it is shared until it is
  ///     acknowledged then.
  /// - Precondition: The half is open.
  package mutating func write(_ bytes: ArraySlice<UInt8>, isShareable: Bool) {
    precondition(isOpen, "a half that has ended takes nothing")
    guard !bytes.isEmpty else { return }
    if isShareable, bytes.count >= Self.sharedBytesMin {
      chunks.append(Chunk(bytes: bytes, start: end, isShared: true))
    } else if let last = chunks.indices.last, last >= head, !chunks[last].isShared,
      chunks[last].bytes.count + bytes.count <= Self.chunkBytesMax
    {
      chunks[last].bytes += bytes
      cursor = min(cursor, last)  // It may have gone out up to its former end.
    } else {
      chunks.append(Chunk(bytes: ArraySlice(Array(bytes)), start: end, isShared: false))
    }
    end += UInt64(bytes.count)
  }

  /// Ends the half behind everything that was written.
  package mutating func finish() {
    isEndWritten = true
    if state == .open { state = .finished }
  }

  /// Ends the half at once, and drops what waits.
  ///
  /// - Returns: Whether it had not ended.
  package mutating func abort(_ abort: StreamAbort, byRemote: Bool) -> Bool {
    guard !isOver else { return false }
    state = .aborted(abort, byRemote: byRemote)
    (chunks, head, cursor) = ([], 0, 0)
    return true
  }

  // MARK: The link

  /// Takes in how far the remote grants.
  ///
  /// - Returns: Whether that is no less than before.
  package mutating func grant(_ limit: UInt64) -> Bool {
    guard limit >= self.limit else { return false }
    self.limit = limit
    return true
  }

  /// Appends the next frame, which counts as sent then.
  ///
  /// - Parameters:
  ///   - stream: The number of the stream.
  ///   - bytesMax: The most bytes of the stream in it.
  ///   - wire: Where to append it.
  /// - Returns: Its length, the bytes of the stream in it, and whether it is the last one; `nil`
  ///   when nothing can be sent.
  package mutating func send(
    as stream: StreamNumber, bytesMax: Int, to wire: inout [UInt8]
  ) -> (frameBytes: Int, streamBytes: Int, isFinal: Bool)? {
    guard isSendable else { return nil }
    let count = min(Int(min(limit, end) - sent), bytesMax)
    let isFinal = state == .finished && sent + UInt64(count) == end
    guard count > 0 || isFinal else { return nil }
    StreamData.appendHeader(stream, bytes: count, isFinal: isFinal, to: &wire)
    let target = sent + UInt64(count)
    while sent < target {
      let chunk = chunks[cursor]
      let upTo = min(chunk.end, target)
      let range = Int(sent - chunk.start)..<Int(upTo - chunk.start)
      wire.append(copying: chunk.bytes.span.extracting(range))
      sent = upTo
      if sent == chunk.end { cursor += 1 }
    }
    isEndSent = isFinal
    return (StreamData.frameBytes(stream, bytes: count), count, isFinal)
  }

  /// Forgets what was received.
  package mutating func forget(_ bytes: Int, isFinal: Bool) {
    guard !isOver else { return }
    acknowledged += UInt64(bytes)
    while head < chunks.count, chunks[head].end <= acknowledged {
      chunks[head].bytes = []
      head += 1
    }
    if head > 16, head > chunks.count / 2 || head == chunks.count {
      chunks.removeSubrange(..<head)
      (cursor, head) = (cursor - head, 0)
    }
    if head == chunks.count { (chunks, head, cursor) = ([], 0, 0) }
    if isFinal { state = .delivered }
  }

  /// Takes back everything that was sent and is not acknowledged: it waits again.
  package mutating func takeBack() {
    guard !isOver else { return }
    (sent, cursor, isEndSent) = (acknowledged, head, false)
  }

  private static let sharedBytesMin = 8_192  // Less is copied sooner than kept apart.
  private static let chunkBytesMax = 65_536
}
