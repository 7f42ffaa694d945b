/// The sending side of a TCP connection: what was written, what is under way, how much may be.
///
/// Sequence numbers count bytes from zero and do not wrap; the end of the stream (FIN) takes the one behind
/// the last byte.
///
/// - SeeAlso: RFC 9293.
struct OutboundStream {
  /// Everything before has been acknowledged (SND.UNA).
  private(set) var acknowledged = 0
  /// The next sequence number to be sent (SND.NXT).
  private(set) var next = 0
  private(set) var isEnding = false
  private(set) var isEndAcknowledged = false
  /// How many bytes the other side takes from `acknowledged` on (SND.WND).
  private(set) var peerWindow = 0
  private(set) var roundTrips = RoundTripEstimator()
  private var windowSequence = 0  // SND.WL1
  private var bytes = ByteQueue()  // From `acknowledged` on, until the end is acknowledged.
  private var bufferBytes = Self.leastBufferBytes
  private var scoreboard = Scoreboard()
  private var congestion = CongestionWindow()
  private var lastSentAt = Int64.min
  /// The first lost segment is sent whatever is under way.
  private var mustResend = false
  /// A tail loss probe that has not been answered.
  private var probe: (end: Int, sentAt: Int64, isResent: Bool)?

  // When something has to be done about what is under way.
  private var timeOutAt: Int64?
  private var lookAgainAt: Int64?
  private var probeAt: Int64?

  /// Where the stream ends so far.
  private var end: Int { isEndAcknowledged ? acknowledged - 1 : acknowledged + bytes.count }
  /// What is in the network, as far as can be known (RFC 6675's pipe).
  private var inFlight: Int {
    next - acknowledged - scoreboard.sackedBytes - scoreboard.lostBytes
  }

  var room: Int { isEnding ? 0 : max(0, bufferBytes - bytes.count) }
  /// Whether a writer that waits should hear of the room: not for a little.
  var isWorthWriting: Bool { room >= bufferBytes / 3 }
  var isInFlight: Bool { next > acknowledged }
  /// Whether only the other side's full buffer keeps the stream from being sent.
  var isStarved: Bool { !isInFlight && !bytes.isEmpty && peerWindow <= 0 }
  /// When ``deadlineReached(at:)`` is due.
  var deadline: Int64? {
    let first = min(timeOutAt ?? .max, lookAgainAt ?? .max, probeAt ?? .max)
    return first == .max ? nil : first
  }
  /// How long to wait for an answer now.
  var timeout: Int64 { roundTrips.timeout }

  /// Takes bytes in, as many as there is room for.
  mutating func append(_ more: Span<UInt8>) -> Int {
    let count = min(more.count, room)
    if count > 0 { bytes.append(copying: more.extracting(0..<count)) }
    return count
  }

  mutating func finish() { isEnding = true }

  /// The connection is open: the other side has said how much it takes, and how long an answer takes.
  mutating func open(window: Int, roundTrip: Int64) {
    peerWindow = window
    roundTrips = RoundTripEstimator()
    roundTrips.sample(roundTrip, acknowledged: 0, next: 0)
  }

  /// The other side has room again, or was asked for it in vain.
  mutating func backOff() { roundTrips.backOff() }

  mutating func forgetBackOffs() { roundTrips.forgetBackOffs() }

  static let segmentBytes = 1_448
  static let bufferBytes = 256 * 1024
  private static let leastBufferBytes = 32 * segmentBytes
}

// MARK: Sending

extension OutboundStream {
  struct Outgoing {
    let sequence: Int
    let payload: [UInt8]
    let isLast: Bool
  }

  /// The next segment to be sent now, at most so many bytes of it: what was lost comes first.
  mutating func nextSegment(atMost largest: Int, at now: Int64) -> Outgoing? {
    guard !isEndAcknowledged else { return nil }
    if scoreboard.lostBytes > 0 {
      guard mustResend || congestion.bytes - inFlight >= Self.segmentBytes else { return nil }
      mustResend = false
      return scoreboard.resendLost(atMost: largest, at: now).map { resent($0, at: now) }
    }
    return newSegment(atMost: largest, within: congestion.bytes - inFlight, at: now)
  }

  private mutating func newSegment(atMost largest: Int, within window: Int, at now: Int64)
    -> Outgoing?
  {
    guard next <= end else { return nil }
    if !isInFlight { noteIdleTime(now) }
    let waiting = end - next
    let taken = acknowledged + peerWindow - next
    let count = max(0, min(waiting, largest, taken, window))
    let isShort = count < min(waiting, Self.segmentBytes)
    noteUsage(isLimited: waiting > count && window < min(taken, waiting))
    guard count > 0 || waiting == 0, !isShort || !isInFlight else { return nil }
    let isLast = isEnding && count == waiting
    guard count > 0 || isLast else { return nil }
    let payload = bytes.copy(from: next - acknowledged, count: count)
    let sequence = next
    next += count + (isLast ? 1 : 0)
    scoreboard.append(sequence, next, at: now)
    noteUsage(isLimited: false)
    lastSentAt = now
    if timeOutAt == nil { timeOutAt = now + timeout }
    scheduleProbe(now)
    return Outgoing(sequence: sequence, payload: payload, isLast: isLast)
  }

  private mutating func noteIdleTime(_ now: Int64) {
    guard lastSentAt > .min else { return }
    congestion.restart(afterIdle: now - lastSentAt, timeout: timeout)
  }

  private mutating func noteUsage(isLimited: Bool) {
    congestion.noteUsage(
      inFlight, acknowledged: acknowledged, next: next, isLimited: isLimited)
  }

  private mutating func resent(_ range: Range<Int>, at now: Int64) -> Outgoing {
    congestion.resent(at: now)
    lastSentAt = now
    // The answer to the first segment is what the time-out waits for.
    if timeOutAt == nil || range.lowerBound == acknowledged { timeOutAt = now + timeout }
    let isLast = range.upperBound > end
    let count = range.count - (isLast ? 1 : 0)
    return Outgoing(
      sequence: range.lowerBound,
      payload: bytes.copy(from: range.lowerBound - acknowledged, count: count), isLast: isLast)
  }
}

// MARK: Acknowledgements

extension OutboundStream {
  /// Takes in what a segment of the other side acknowledges.
  ///
  /// - Returns: Whether that is more than before.
  mutating func acknowledge(with segment: Segment, at now: Int64) -> Bool {
    let sequence = segment.acknowledgment
    guard sequence >= acknowledged, sequence <= next else { return false }
    takeWindow(segment)
    let count = sequence - acknowledged
    let flight = next - acknowledged
    scoreboard.acknowledge(
      upTo: sequence, echo: segment.echo, at: now, leastRoundTrip: roundTrips.least)
    if count > 0 { advance(to: sequence, count, echo: segment.echo, at: now) }
    let isFirstWaitedFor = takeBlocks(segment.selective, isTimed: count > 0, at: now)
    answerProbe(segment.echo, flight)
    detectLosses(now, flight)
    if count > 0 || isFirstWaitedFor { restartTimer(now) }
    if !segment.selective.isEmpty { probeAt = nil }
    if scoreboard.lostBytes == 0 { mustResend = false }
    return count > 0
  }

  /// An older segment must not take back what a newer one said of the window.
  private mutating func takeWindow(_ segment: Segment) {
    guard
      segment.acknowledgment > acknowledged || segment.sequence > windowSequence
        || (segment.sequence == windowSequence && segment.window > peerWindow)
    else { return }
    (peerWindow, windowSequence) = (segment.window, segment.sequence)
  }

  /// Takes in what has arrived behind gaps.
  ///
  /// - Returns: Whether something was sent before the first segment that is missing, was last: the answer to
  ///   that one is still to come, so the time-out counts from now.
  private mutating func takeBlocks(_ blocks: [Range<Int>], isTimed: Bool, at now: Int64) -> Bool {
    var sentAt: Int64?
    for block in blocks where block.lowerBound >= acknowledged {
      let first = scoreboard.sack(block, at: now, leastRoundTrip: roundTrips.least)
      sentAt = [sentAt, first].compactMap { $0 }.min()
    }
    guard !isTimed, let sentAt, let first = scoreboard.first else { return false }
    roundTrips.sample(now - sentAt, acknowledged: acknowledged, next: next)
    return sentAt < first.sentAt
  }

  private mutating func advance(to sequence: Int, _ count: Int, echo: Int64, at now: Int64) {
    let isEnd = sequence > end
    bytes.drop(min(count, bytes.count))
    isEndAcknowledged = isEnd
    acknowledged = sequence
    roundTrips.sample(now - echo, acknowledged: acknowledged, next: next)
    if congestion.isSpurious(echo: echo) {
      congestion.undo()
      scoreboard.undo()
      mustResend = false
    }
    congestion.acknowledged(count, upTo: sequence)
    bufferBytes = max(bufferBytes, min(2 * congestion.bytes, Self.bufferBytes))
  }

  private mutating func detectLosses(_ now: Int64, _ flight: Int) {
    lookAgainAt = scoreboard.detectLosses(
      at: now, leastRoundTrip: roundTrips.least, isRecovering: congestion.phase != .open)
    guard scoreboard.lostBytes > 0, congestion.recover(until: next, inFlight: flight) else {
      return
    }
    (mustResend, probeAt, probe) = (true, nil, nil)
  }

  private mutating func restartTimer(_ now: Int64) {
    timeOutAt = isInFlight ? now + timeout : nil
    if isInFlight { scheduleProbe(now) } else { (probeAt, lookAgainAt) = (nil, nil) }
  }
}

// MARK: Deadlines

extension OutboundStream {
  /// What to do because time has passed.
  enum Overdue { case nothing, transmit, timedOut }

  mutating func deadlineReached(at now: Int64) -> Overdue {
    if let timeOutAt, timeOutAt <= now {
      timeOut(now)
      return .timedOut
    }
    if let lookAgainAt, lookAgainAt <= now {
      detectLosses(now, next - acknowledged)
      return .transmit
    }
    return .nothing
  }

  private mutating func timeOut(_ now: Int64) {
    let flight = next - acknowledged
    scoreboard.timeOut(at: now)
    congestion.timeOut(until: next, inFlight: flight, remaining: inFlight)
    roundTrips.backOff()
    (mustResend, lookAgainAt, probeAt, probe) = (true, nil, nil, nil)
    timeOutAt = now + timeout
  }

  // MARK: Tail loss probes

  /// The last segments of a flight have none behind them that would show their loss: after two round trips
  /// the last one is sent again, or a further one (RFC 8985 §7).
  private mutating func scheduleProbe(_ now: Int64) {
    guard congestion.phase == .open, scoreboard.sackedBytes == 0, probe == nil,
      let roundTrip = roundTrips.smoothed, let timeOutAt
    else {
      probeAt = nil
      return
    }
    let isAlone = scoreboard.first.map { $0.end == next } ?? true
    let due = now + 2 * roundTrip + (isAlone ? Self.delayedAcknowledgement : Self.probeSlack)
    probeAt = due < timeOutAt ? due : nil
  }

  /// The tail loss probe, if its time has come.
  mutating func takeProbe(atMost largest: Int, at now: Int64) -> Outgoing? {
    guard let due = probeAt, due <= now else { return nil }
    let before = next
    let outgoing =
      newSegment(atMost: largest, within: Self.segmentBytes, at: now)
      ?? scoreboard.resendLast(atMost: largest, at: now).map { resent($0, at: now) }
    (probe, probeAt) = ((next, now, next == before), nil)
    timeOutAt = now + timeout
    return outgoing
  }

  /// An answer to a probe that was sent again says that the segment had been lost.
  private mutating func answerProbe(_ echo: Int64, _ flight: Int) {
    guard let probe, acknowledged >= probe.end else { return }
    self.probe = nil
    if probe.isResent, echo >= probe.sentAt { congestion.reduceOnce(inFlight: flight) }
  }

  private static let delayedAcknowledgement: Int64 = 200_000_000  // The most that Linux allows for.
  private static let probeSlack: Int64 = 2_000_000
}
