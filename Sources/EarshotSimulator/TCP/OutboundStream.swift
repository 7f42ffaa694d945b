/// The sending side of a TCP connection: what was written, what is under way, how much may be.
///
/// The end of the stream (FIN) takes the position behind the last byte. Loss is answered as NewReno does:
/// one segment again after three equal acknowledgements, everything again after silence.
///
/// - SeeAlso: RFC 9293, RFC 5681, RFC 6582.
struct OutboundStream {
  /// Everything before has been acknowledged.
  private(set) var acknowledged = 0
  /// The next position to be sent.
  private(set) var next = 0
  private(set) var isEnding = false
  /// How many bytes the other side takes from `acknowledged` on.
  var peerWindow = 0
  private var bytes = ByteQueue()  // From `acknowledged` on, until the end is acknowledged.
  private var congestionWindow = 10 * segmentBytes
  private var threshold = Int.max
  private var equalAcknowledgements = 0
  /// During a fast recovery: what had been sent when it began.
  private var recovery: Int?

  /// Where the stream ends so far.
  private var end: Int { isEndAcknowledged ? acknowledged - 1 : acknowledged + bytes.count }
  private(set) var isEndAcknowledged = false

  var room: Int { isEnding ? 0 : max(0, Self.bufferBytes - bytes.count) }
  var unacknowledgedBytes: Int { bytes.count }
  var isInFlight: Bool { next > acknowledged }
  /// Whether all that was written has arrived, and the end if there is one.
  var isSettled: Bool { bytes.isEmpty && isEnding == isEndAcknowledged }
  /// Whether only the other side's full buffer keeps us from sending.
  var isStarved: Bool { !isInFlight && !bytes.isEmpty && peerWindow <= 0 }

  /// Takes bytes in, as many as there is room for.
  mutating func append(_ more: Span<UInt8>) -> Int {
    let count = min(more.count, room)
    if count > 0 { bytes.append(copying: more.extracting(0..<count)) }
    return count
  }

  mutating func finish() { isEnding = true }

  /// What may be sent now, at most so many bytes of it.
  mutating func takeSegment(atMost largest: Int) -> (position: Int, payload: [UInt8], isLast: Bool)?
  {
    guard !isEndAcknowledged, next <= end else { return nil }
    let inFlight = next - acknowledged
    let waiting = end - next
    let count = max(0, min(waiting, largest, min(peerWindow, congestionWindow) - inFlight))
    if count == 0 && waiting > 0 { return nil }
    if count < min(waiting, Self.segmentBytes) && inFlight > 0 { return nil }
    let isLast = isEnding && count == waiting
    guard count > 0 || isLast else { return nil }
    defer { next += count + (isLast ? 1 : 0) }
    return (next, bytes.copy(from: inFlight, count: count), isLast)
  }

  /// What an acknowledgement means.
  enum Progress { case none, advanced, resend }

  mutating func acknowledge(_ position: Int, window: Int, isBare: Bool) -> Progress {
    let windowMoved = window != peerWindow
    guard position <= end + (isEnding ? 1 : 0), position >= acknowledged else { return .none }
    peerWindow = window
    if position > acknowledged { return advance(to: position) }
    guard isBare, isInFlight, !windowMoved else { return .none }
    equalAcknowledgements += 1
    guard equalAcknowledgements == 3, recovery == nil else { return .none }
    recovery = next
    threshold = max((next - acknowledged) / 2, 2 * Self.segmentBytes)
    congestionWindow = threshold
    return .resend
  }

  private mutating func advance(to position: Int) -> Progress {
    let count = position - acknowledged
    let isEnd = position > end
    bytes.drop(min(count, bytes.count))
    isEndAcknowledged = isEnd
    acknowledged = position
    next = max(next, position)
    equalAcknowledgements = 0
    if let recovery, position < recovery { return .resend }
    recovery = nil
    grow(by: count)
    return .advanced
  }

  private mutating func grow(by count: Int) {
    if congestionWindow < threshold {
      congestionWindow += count
    } else {
      congestionWindow += max(1, Self.segmentBytes * count / congestionWindow)
    }
    congestionWindow = min(congestionWindow, 4 * Self.bufferBytes)
  }

  /// The first segment that is not acknowledged, once more.
  func firstSegment(atMost largest: Int) -> (position: Int, payload: [UInt8], isLast: Bool) {
    let count = min(bytes.count, largest, next - acknowledged)
    let isLast = isEnding && count == bytes.count && next > end
    return (acknowledged, bytes.copy(from: 0, count: count), isLast)
  }

  /// Nothing was acknowledged for too long: everything is sent again, slowly at first.
  mutating func restart() {
    threshold = max((next - acknowledged) / 2, 2 * Self.segmentBytes)
    congestionWindow = Self.segmentBytes
    (next, equalAcknowledgements, recovery) = (acknowledged, 0, nil)
  }

  static let segmentBytes = 1_448
  static let bufferBytes = 256 * 1024
}
