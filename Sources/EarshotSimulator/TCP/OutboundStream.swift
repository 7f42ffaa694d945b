/// The sending side of a TCP connection: what was written, what is in flight, how much may be.
///
/// Sequence numbers count bytes from zero and do not wrap; the end of the stream (FIN) takes the one behind
/// the last byte.
///
/// - SeeAlso: RFC 9293.
struct OutboundStream {
  /// The oldest sequence number that has not been acknowledged (SND.UNA).
  private(set) var unacknowledged = 0
  /// The next sequence number to be sent (SND.NXT).
  private(set) var nextSequence = 0
  /// Whether a FIN follows the last byte.
  private(set) var hasFIN = false
  private(set) var isFINAcknowledged = false
  /// How many bytes the other side takes from `unacknowledged` on (SND.WND).
  private(set) var sendWindow = 0
  private(set) var roundTrips = RoundTripEstimator()
  private var windowUpdateSequence = 0  // SND.WL1
  private var bytes = ByteQueue()  // From `unacknowledged` on, until the FIN is acknowledged.
  private var bufferBytes = Self.leastBufferBytes
  private var scoreboard = Scoreboard()
  private var congestion = CongestionWindow()
  private var lastSentAt = Int64.min
  /// The first lost segment is retransmitted whatever is in flight.
  private var retransmitsAtOnce = false
  /// A tail loss probe that has not been answered.
  private var tailLossProbe: (end: Int, sentAt: Int64, isRetransmission: Bool)?

  // When something has to be done about what is in flight.
  private var retransmissionDeadline: Int64?
  private var reorderingDeadline: Int64?
  private var probeDeadline: Int64?

  /// Where the stream ends so far.
  private var end: Int { isFINAcknowledged ? unacknowledged - 1 : unacknowledged + bytes.count }
  /// What is in the network, as far as can be known (RFC 6675's pipe).
  private var inFlight: Int {
    nextSequence - unacknowledged - scoreboard.sackedBytes - scoreboard.lostBytes
  }

  var room: Int { hasFIN ? 0 : max(0, bufferBytes - bytes.count) }
  /// Whether a writer that waits should hear of the room: not for a little.
  var isWorthWriting: Bool { room >= bufferBytes / 3 }
  var isInFlight: Bool { nextSequence > unacknowledged }
  /// Whether only the other side's full buffer keeps the stream from being sent.
  var isWindowClosed: Bool { !isInFlight && !bytes.isEmpty && sendWindow <= 0 }
  /// When ``deadlineReached(at:)`` is due.
  var deadline: Int64? {
    @inline(__always)
    get {
      let first = min(
        min(retransmissionDeadline ?? .max, reorderingDeadline ?? .max), probeDeadline ?? .max)
      return first == .max ? nil : first
    }
  }
  /// How long to wait for an answer now.
  var retransmissionTimeout: Int64 { roundTrips.retransmissionTimeout }

  /// Takes bytes in, as many as there is room for.
  mutating func append(_ more: Span<UInt8>) -> Int {
    let count = min(more.count, room)
    if count > 0 { bytes.append(copying: more.extracting(0..<count)) }
    return count
  }

  mutating func finish() { hasFIN = true }

  /// The connection is open: the other side has said how much it takes, and how long an answer takes.
  mutating func open(window: Int, roundTrip: Int64) {
    sendWindow = window
    roundTrips = RoundTripEstimator()
    roundTrips.sample(roundTrip, acknowledged: 0, next: 0)
  }

  /// The other side has room again, or was asked for it in vain.
  mutating func backOff() { roundTrips.backOff() }

  mutating func forgetBackOffs() { roundTrips.forgetBackOffs() }

  static let bufferBytes = 256 * 1024
  private static let leastBufferBytes = 32 * TCP.segmentBytes
}

// MARK: Sending

extension OutboundStream {
  struct Outgoing {
    let sequenceNumber: Int
    let payload: [UInt8]
    let carriesFIN: Bool
  }

  /// The next segment to be sent now, at most so many bytes of it: what was lost comes first.
  mutating func nextSegment(atMost largest: Int, at now: Int64) -> Outgoing? {
    guard !isFINAcknowledged else { return nil }
    if scoreboard.lostBytes > 0 {
      guard retransmitsAtOnce || congestion.bytes - inFlight >= TCP.segmentBytes else {
        return nil
      }
      retransmitsAtOnce = false
      return scoreboard.retransmitLost(atMost: largest, at: now).map { retransmitted($0, at: now) }
    }
    return newSegment(atMost: largest, within: congestion.bytes - inFlight, at: now)
  }

  private mutating func newSegment(atMost largest: Int, within window: Int, at now: Int64)
    -> Outgoing?
  {
    guard nextSequence <= end else { return nil }
    if !isInFlight { noteIdleTime(now) }
    let waiting = end - nextSequence
    let taken = unacknowledged + sendWindow - nextSequence
    let count = max(0, min(waiting, largest, taken, window))
    let isShort = count < min(waiting, TCP.segmentBytes)
    noteUsage(isLimited: waiting > count && window < min(taken, waiting))
    guard count > 0 || waiting == 0, !isShort || !isInFlight else { return nil }
    let carriesFIN = hasFIN && count == waiting
    guard count > 0 || carriesFIN else { return nil }
    let payload = bytes.copy(from: nextSequence - unacknowledged, count: count)
    let sequence = nextSequence
    nextSequence += count + (carriesFIN ? 1 : 0)
    scoreboard.append(sequence, nextSequence, at: now)
    noteUsage(isLimited: false)
    lastSentAt = now
    if retransmissionDeadline == nil { retransmissionDeadline = now + retransmissionTimeout }
    scheduleProbe(now)
    return Outgoing(sequenceNumber: sequence, payload: payload, carriesFIN: carriesFIN)
  }

  private mutating func noteIdleTime(_ now: Int64) {
    guard lastSentAt > .min else { return }
    congestion.restart(afterIdle: now - lastSentAt, timeout: retransmissionTimeout)
  }

  private mutating func noteUsage(isLimited: Bool) {
    congestion.noteUsage(
      inFlight, acknowledged: unacknowledged, next: nextSequence, isLimited: isLimited)
  }

  private mutating func retransmitted(_ range: Range<Int>, at now: Int64) -> Outgoing {
    congestion.retransmitted(at: now)
    lastSentAt = now
    // The answer to the first segment is what the time-out waits for.
    if retransmissionDeadline == nil || range.lowerBound == unacknowledged {
      retransmissionDeadline = now + retransmissionTimeout
    }
    let carriesFIN = range.upperBound > end
    let count = range.count - (carriesFIN ? 1 : 0)
    return Outgoing(
      sequenceNumber: range.lowerBound,
      payload: bytes.copy(from: range.lowerBound - unacknowledged, count: count),
      carriesFIN: carriesFIN)
  }
}

// MARK: Acknowledgements

extension OutboundStream {
  /// Takes in what a segment of the other side acknowledges.
  ///
  /// - Returns: Whether that is more than before.
  mutating func acknowledge(with segment: Segment, at now: Int64) -> Bool {
    let sequence = segment.acknowledgementNumber
    guard sequence >= unacknowledged, sequence <= nextSequence else { return false }
    takeWindow(segment)
    let count = sequence - unacknowledged
    let flight = nextSequence - unacknowledged
    scoreboard.acknowledge(
      upTo: sequence, echo: segment.echoedTimestamp, at: now, leastRoundTrip: roundTrips.least)
    if count > 0 { advance(to: sequence, count, echo: segment.echoedTimestamp, at: now) }
    let isFirstWaitedFor = takeSelectiveAcknowledgements(
      segment.selectiveAcknowledgements, isTimed: count > 0, at: now)
    concludeTailLossProbe(segment.echoedTimestamp, flight)
    detectLosses(now, flight)
    if count > 0 || isFirstWaitedFor { restartRetransmissionTimer(now) }
    if !segment.selectiveAcknowledgements.isEmpty { probeDeadline = nil }
    if scoreboard.lostBytes == 0 { retransmitsAtOnce = false }
    return count > 0
  }

  /// An older segment must not take back what a newer one said of the window.
  private mutating func takeWindow(_ segment: Segment) {
    guard
      segment.acknowledgementNumber > unacknowledged
        || segment.sequenceNumber > windowUpdateSequence
        || (segment.sequenceNumber == windowUpdateSequence && segment.window > sendWindow)
    else { return }
    (sendWindow, windowUpdateSequence) = (segment.window, segment.sequenceNumber)
  }

  /// Takes in what has arrived behind gaps.
  ///
  /// - Returns: Whether something was sent before the first segment that is missing, was last: the answer to
  ///   that one is still to come, so the time-out counts from now.
  private mutating func takeSelectiveAcknowledgements(
    _ blocks: [Range<Int>], isTimed: Bool, at now: Int64
  ) -> Bool {
    var sentAt: Int64?
    for block in blocks where block.lowerBound >= unacknowledged {
      let first = scoreboard.sack(block, at: now, leastRoundTrip: roundTrips.least)
      if let first { sentAt = min(sentAt ?? first, first) }
    }
    guard !isTimed, let sentAt, let first = scoreboard.first else { return false }
    roundTrips.sample(now - sentAt, acknowledged: unacknowledged, next: nextSequence)
    return sentAt < first.sentAt
  }

  private mutating func advance(to sequence: Int, _ count: Int, echo: Int64, at now: Int64) {
    let isEnd = sequence > end
    bytes.drop(min(count, bytes.count))
    isFINAcknowledged = isEnd
    unacknowledged = sequence
    roundTrips.sample(now - echo, acknowledged: unacknowledged, next: nextSequence)
    if congestion.isSpurious(echo: echo) {
      congestion.undo()
      scoreboard.undo()
      retransmitsAtOnce = false
    }
    congestion.acknowledged(count, upTo: sequence)
    bufferBytes = max(bufferBytes, min(2 * congestion.bytes, Self.bufferBytes))
  }

  private mutating func detectLosses(_ now: Int64, _ flight: Int) {
    reorderingDeadline = scoreboard.detectLosses(
      at: now, leastRoundTrip: roundTrips.least, isRecovering: congestion.phase != .open)
    guard scoreboard.lostBytes > 0, congestion.recover(until: nextSequence, inFlight: flight) else {
      return
    }
    (retransmitsAtOnce, probeDeadline, tailLossProbe) = (true, nil, nil)
  }

  private mutating func restartRetransmissionTimer(_ now: Int64) {
    retransmissionDeadline = isInFlight ? now + retransmissionTimeout : nil
    if isInFlight { scheduleProbe(now) } else { (probeDeadline, reorderingDeadline) = (nil, nil) }
  }
}

// MARK: Deadlines

extension OutboundStream {
  /// What to do because time has passed.
  enum Overdue { case nothing, transmit, timedOut }

  mutating func deadlineReached(at now: Int64) -> Overdue {
    if let retransmissionDeadline, retransmissionDeadline <= now {
      timeOut(now)
      return .timedOut
    }
    if let reorderingDeadline, reorderingDeadline <= now {
      detectLosses(now, nextSequence - unacknowledged)
      return .transmit
    }
    return .nothing
  }

  private mutating func timeOut(_ now: Int64) {
    let flight = nextSequence - unacknowledged
    scoreboard.timeOut(at: now)
    congestion.timeOut(until: nextSequence, inFlight: flight, remaining: inFlight)
    roundTrips.backOff()
    (retransmitsAtOnce, reorderingDeadline, probeDeadline, tailLossProbe) = (true, nil, nil, nil)
    retransmissionDeadline = now + retransmissionTimeout
  }

  // MARK: Tail loss probes

  /// The last segments of a flight have none behind them that would show their loss: after two round trips
  /// the last one is retransmitted, or a new one sent (RFC 8985 §7).
  private mutating func scheduleProbe(_ now: Int64) {
    guard congestion.phase == .open, scoreboard.sackedBytes == 0, tailLossProbe == nil,
      let roundTrip = roundTrips.smoothed, let retransmissionDeadline
    else {
      probeDeadline = nil
      return
    }
    let isAlone = scoreboard.first.map { $0.end == nextSequence } ?? true
    let due = now + 2 * roundTrip + (isAlone ? TCP.delayedAcknowledgementMax : Self.probeSlack)
    probeDeadline = due < retransmissionDeadline ? due : nil
  }

  /// The tail loss probe, if its time has come.
  mutating func takeTailLossProbe(atMost largest: Int, at now: Int64) -> Outgoing? {
    guard let due = probeDeadline, due <= now else { return nil }
    let before = nextSequence
    let outgoing =
      newSegment(atMost: largest, within: TCP.segmentBytes, at: now)
      ?? scoreboard.retransmitLast(atMost: largest, at: now).map { retransmitted($0, at: now) }
    (tailLossProbe, probeDeadline) = ((nextSequence, now, nextSequence == before), nil)
    retransmissionDeadline = now + retransmissionTimeout
    return outgoing
  }

  /// An answer to a probe that was a retransmission says that the segment had been lost.
  private mutating func concludeTailLossProbe(_ echo: Int64, _ flight: Int) {
    guard let probe = tailLossProbe, unacknowledged >= probe.end else { return }
    tailLossProbe = nil
    if probe.isRetransmission, echo >= probe.sentAt { congestion.reduceOnce(inFlight: flight) }
  }

  private static let probeSlack: Int64 = 2_000_000
}
