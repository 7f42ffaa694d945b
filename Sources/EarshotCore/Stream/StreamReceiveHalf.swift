/// What the other side writes to a stream, until the program has it.
///
/// Positions count the bytes of the stream, from 0:
///
/// ```
///   taken by the program     unread        granted
/// ─────────────────────────┬───────────┬─────────────┐
///                        taken      received       limit
/// ```
///
/// | state | after | what comes then |
/// |---|---|---|
/// | `open` | the opening | bytes |
/// | `finished` | the last frame | nothing |
/// | `aborted` | a reset by the remote | nothing; what was unread is dropped |
/// | `stopped` | the program reads no more, or the remote broke the rules | bytes, which are dropped, until the remote ends it |
/// | `closed` | the end of one that was stopped | nothing |
package struct StreamReceiveHalf: Hashable, Sendable {
  /// Where it is in its life.
  package enum State: Hashable, Sendable {
    case open, finished, closed
    case stopped(StreamAbort)
    case aborted(StreamAbort)
  }
  /// What a remote peer does wrong with one stream.
  package enum Violation: Error, Hashable, Sendable {
    case beyondCredit, afterEnd
  }

  /// Where it is in its life.
  package private(set) var state = State.open
  /// How many bytes the program has taken.
  package private(set) var taken: UInt64 = 0
  /// How many bytes were received.
  package private(set) var received: UInt64 = 0
  /// How many bytes were granted from the beginning, as far as the remote was told.
  package private(set) var limit: UInt64
  /// How many unread bytes there may be.
  package private(set) var windowBytes: Int

  private var chunks: [[UInt8]] = []
  private var head = 0
  private var headOffset = 0
  private var isDropped = false  // What was unread.

  /// A half at its beginning, of which one window is granted.
  package init(windowBytes: Int) {
    self.windowBytes = windowBytes
    limit = UInt64(windowBytes)
  }

  /// How many bytes wait for the program.
  package var unreadBytes: Int { isDropped ? 0 : Int(received - taken) }

  /// Whether the remote writes nothing more.
  package var isOver: Bool {
    switch state {
    case .open, .stopped: false
    case .finished, .closed, .aborted: true
    }
  }

  /// Whether the program has got everything that it will.
  package var isRead: Bool {
    switch state {
    case .open: false
    case .finished: unreadBytes == 0
    case .stopped, .closed, .aborted: true
    }
  }

  // MARK: The remote

  /// Takes in the bytes of one frame.
  ///
  /// - Throws: That they go beyond what was granted, or follow the end. The half is as before then.
  package mutating func receive(_ bytes: Span<UInt8>, isFinal: Bool) throws(Violation) {
    switch state {
    case .open: break
    case .stopped:
      if isFinal { state = .closed }
      return
    case .finished, .closed, .aborted: throw .afterEnd
    }
    guard UInt64(bytes.count) <= limit - received else { throw .beyondCredit }
    received += UInt64(bytes.count)
    if isFinal { state = .finished }
    guard bytes.count > 0 else { return }
    if let last = chunks.indices.last, last >= head,
      chunks[last].count + bytes.count <= Self.joinedBytesMax
    {
      chunks[last].append(copying: bytes)
    } else {
      chunks.append([UInt8](copying: bytes))
    }
  }

  /// Ends the half, and drops what was unread.
  package mutating func abort(_ abort: StreamAbort) {
    switch state {
    case .open: state = .aborted(abort)
    case .stopped: state = .closed
    case .finished, .closed, .aborted: return
    }
    drop()
  }

  // MARK: The program

  /// Reads no more: what is unread, and what comes, is dropped.
  ///
  /// - Parameter abort: Why.
  /// - Returns: Whether the remote has to be told.
  package mutating func stop(_ abort: StreamAbort) -> Bool {
    switch state {
    case .open:
      state = .stopped(abort)
      drop()
      return true
    case .finished:
      state = .closed
      drop()
    case .stopped, .closed, .aborted: break
    }
    return false
  }

  private mutating func drop() {
    (chunks, head, headOffset, isDropped) = ([], 0, 0, true)
  }

  /// Takes out the first chunk as it came, or its beginning.
  ///
  /// - Parameter bytesMax: The most bytes.
  /// - Returns: At least one byte; `nil` when nothing waits.
  package mutating func read(upTo bytesMax: Int) -> [UInt8]? {
    guard head < chunks.count, bytesMax > 0 else { return nil }
    let rest = chunks[head].count - headOffset
    let count = min(rest, bytesMax)
    taken += UInt64(count)
    if count == chunks[head].count {
      var chunk: [UInt8] = []
      swap(&chunk, &chunks[head])
      dropHead()
      return chunk
    }
    let bytes = Array(chunks[head][headOffset..<headOffset + count])
    if count == rest { dropHead() } else { headOffset += count }
    return bytes
  }

  /// Takes out so many bytes.
  ///
  /// - Returns: The bytes; `nil` when fewer wait.
  package mutating func read(exactly count: Int) -> [UInt8]? {
    guard count <= unreadBytes else { return nil }
    var bytes: [UInt8] = []
    while bytes.count < count, let more = read(upTo: count - bytes.count) {
      if bytes.isEmpty, more.count == count { return more }
      if bytes.isEmpty { bytes.reserveCapacity(count) }
      bytes += more
    }
    return bytes
  }

  private mutating func dropHead() {
    chunks[head] = []
    (head, headOffset) = (head + 1, 0)
    guard head > 16 || head == chunks.count else { return }
    if head == chunks.count || head > chunks.count / 2 {
      chunks.removeSubrange(..<head)
      head = 0
    }
  }

  // MARK: Credit

  /// Allows for more unread bytes from now on.
  package mutating func widen(to windowBytes: Int) {
    self.windowBytes = max(self.windowBytes, windowBytes)
  }

  /// Whether half of the window can be granted that was not, or what the program waits for is not
  /// granted.
  ///
  /// - Parameter wanted: How many bytes the program waits for at once.
  /// - Returns: Whether the remote is to be told of more credit.
  package func isCreditDue(wanting wanted: Int = 0) -> Bool {
    guard state == .open else { return false }
    let grantable = grantable(wanting: wanted)
    guard limit < grantable else { return false }
    return grantable - limit >= UInt64(windowBytes / 2) || limit < taken + UInt64(max(0, wanted))
  }

  /// Grants what can be granted; the remote is to be told at once.
  ///
  /// - Parameter wanted: How many bytes the program waits for at once.
  /// - Returns: How many bytes are granted from the beginning.
  package mutating func takeCredit(wanting wanted: Int = 0) -> UInt64 {
    if state == .open { limit = max(limit, grantable(wanting: wanted)) }
    return limit
  }

  private func grantable(wanting wanted: Int) -> UInt64 {
    min(taken + UInt64(max(windowBytes, wanted)), Varint.max)
  }

  private static let joinedBytesMax = 16_384
}
