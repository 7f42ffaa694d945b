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
  /// How many segments were sent again.
  private(set) var retransmissionCount: UInt64 = 0
  private var windowUpdateSequence = 0  // SND.WL1
  private var bytes = ByteQueue()  // From `unacknowledged` on, until the FIN is acknowledged.
  private var bufferBytes = Self.leastBufferBytes
  private var scoreboard = Scoreboard()
  private var congestion: CongestionWindow
  private var train = SegmentTrain()
  private var lastSentAt = Int64.min
  /// The first lost segment is retransmitted whatever is in flight.
  private var retransmitsAtOnce = false
  /// Something new goes before what is lost, to find out whether a time-out was needless (RFC 5682).
  private var prefersNew = false
  /// Time-outs since something was acknowledged.
  private var timeouts = 0
  /// A tail loss probe that has not been answered.
  private var tailLossProbe: (end: Int, isRetransmission: Bool)?

  private var timer: StreamTimer?

  init(_ control: CongestionControl) { congestion = CongestionWindow(control) }

  /// Where the stream ends so far.
  private var end: Int { isFINAcknowledged ? unacknowledged - 1 : unacknowledged + bytes.count }
  /// What is in the network, as far as can be known (RFC 6675's pipe).
  private var inFlight: Int {
    nextSequence - unacknowledged - scoreboard.sackedBytes - scoreboard.lostBytes
  }

  /// How many bytes are kept until they are acknowledged.
  var bufferedBytes: Int { bytes.count }
  var room: Int { hasFIN ? 0 : max(0, bufferBytes - bytes.count) }
  /// Whether a writer that waits should hear of the room: not for a little.
  var isWorthWriting: Bool { room >= bufferBytes / 3 }
  var isInFlight: Bool { nextSequence > unacknowledged }
  /// Whether only the other side's full buffer keeps the stream from being sent.
  var isWindowClosed: Bool { !isInFlight && !bytes.isEmpty && sendWindow <= 0 }
  /// When ``deadlineReached(at:)`` is due.
  var deadline: Int64? {
    @inline(__always)
    get { timer?.deadline }
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
  ///
  /// - Parameters:
  ///   - window: The other side's receive window.
  ///   - roundTrip: How long an answer has taken.
  ///   - evenRetries: How many SYNs were sent again besides those after which the time-out doubled.
  mutating func open(window: Int, roundTrip: Int64, evenRetries: Int) {
    if roundTrips.backOffs + evenRetries > 1 { congestion.beginSmall() }
    sendWindow = window
    roundTrips = RoundTripEstimator()
    roundTrips.sample(roundTrip, shortest: roundTrip, acknowledged: 0, next: 0)
  }

  /// The other side has room again, or was asked for it in vain.
  mutating func backOff() { roundTrips.backOff() }

  mutating func forgetBackOffs() { roundTrips.forgetBackOffs() }

  /// The most that is kept until it is acknowledged: Linux's `tcp_wmem`.
  static let bufferBytesMax = 4 * 1024 * 1024
  private static let leastBufferBytes = 32 * TCP.segmentBytes
}

// MARK: Sending

extension OutboundStream {
  struct Outgoing {
    let sequenceNumber: Int
    let payload: [UInt8]
    let carriesFIN: Bool
  }

  /// Whether something may be to be sent; if nothing is, notes that, as ``nextSegment(atMost:at:)`` does.
  // Inlined, since most segments are answered by nothing.
  @inline(__always)
  mutating func mayHaveNext(at now: Int64) -> Bool {
    if nextSequence < unacknowledged + bytes.count || hasFIN { return true }
    if prefersNew || scoreboard.lostBytes > 0 { return true }
    if !isInFlight { noteIdleTime(now) }
    noteUsage(isLimited: false)
    return false
  }

  /// The next segment to be sent now, at most so many bytes of it: what was lost comes first.
  mutating func nextSegment(atMost largest: Int, at now: Int64) -> Outgoing? {
    guard !isFINAcknowledged else { return nil }
    if prefersNew, let outgoing = firstNew(atMost: largest, at: now) { return outgoing }
    if scoreboard.lostBytes > 0 {
      guard !prefersNew, retransmitsAtOnce || congestion.bytes - inFlight >= TCP.segmentBytes else {
        return nil
      }
      retransmitsAtOnce = false
      return scoreboard.retransmitLost(atMost: largest, at: now).map { retransmitted($0, at: now) }
    }
    let window = congestion.bytes - inFlight
    guard admitsNew(atMost: largest, within: window, at: now) else { return nil }
    return newSegment(atMost: largest, within: window, at: now)
  }

  /// Whether something new is sent now, and not later with more: it waits only while acknowledgements tell of a gap, since
  /// without one the goodput of Linux shows no wait.
  private mutating func admitsNew(atMost largest: Int, within window: Int, at now: Int64) -> Bool {
    guard congestion.phase == .open, scoreboard.sackedBytes > 0, !hasFIN,
      largest <= TCP.segmentBytes,
      end - nextSequence > largest, let oldest = scoreboard.first,
      let roundTrip = roundTrips.smoothed
    else { return true }
    return train.admits(
      nextSequence,
      SegmentTrain.Conditions(
        limit: min(unacknowledged + sendWindow - nextSequence, window), segmentBytes: largest,
        windowBytes: min(sendWindow, congestion.bytes), now: now, lastSentAt: lastSentAt,
        oldestSentAt: oldest.sentAt, roundTrip: roundTrip))
  }

  /// Something new while it is to be found out whether a time-out was needless, as much as the window allows; without any
  /// that ends.
  private mutating func firstNew(atMost largest: Int, at now: Int64) -> Outgoing? {
    let outgoing = newSegment(atMost: largest, within: congestion.bytes - inFlight, at: now)
    if outgoing == nil, let end = congestion.recoveryEnd, nextSequence <= end {
      prefersNew = false
      congestion.stopDoubting()
    }
    return outgoing
  }

  private mutating func newSegment(
    atMost largest: Int, within window: Int, isProbe: Bool = false, at now: Int64
  ) -> Outgoing? {
    guard nextSequence <= end else { return nil }
    if !isInFlight { noteIdleTime(now) }
    let waiting = end - nextSequence
    let taken = unacknowledged + sendWindow - nextSequence
    let count = max(0, min(waiting, largest, taken, window))
    let isShort = count < min(waiting, largest, TCP.segmentBytes)
    noteUsage(isLimited: waiting > count && window < min(taken, waiting))
    guard count > 0 || waiting == 0, !isShort || !isInFlight else { return nil }
    let carriesFIN = hasFIN && count == waiting
    guard count > 0 || carriesFIN else { return nil }
    let payload = bytes.copy(from: nextSequence - unacknowledged, count: count)
    let sequence = nextSequence
    nextSequence += count + (carriesFIN ? 1 : 0)
    scoreboard.append(sequence, nextSequence, at: now)
    congestion.noteSent(count, isRetransmission: false, at: now)
    noteUsage(isLimited: false)
    if nextSequence >= end {
      congestion.noteStarving(inFlight, at: now, timeout: retransmissionTimeout)
    }
    lastSentAt = now
    if timer == nil || timer?.purpose == .probing { armRetransmission(now) }
    if !isProbe { scheduleProbe(now, isProgress: false) }
    return Outgoing(sequenceNumber: sequence, payload: payload, carriesFIN: carriesFIN)
  }

  private mutating func noteIdleTime(_ now: Int64) {
    guard lastSentAt > .min else { return }
    congestion.restart(afterIdleFrom: lastSentAt, to: now, timeout: retransmissionTimeout)
  }

  private mutating func noteUsage(isLimited: Bool) {
    congestion.noteUsage(
      inFlight, acknowledged: unacknowledged, next: nextSequence, isLimited: isLimited)
  }

  private mutating func retransmitted(_ range: Range<Int>, at now: Int64) -> Outgoing {
    retransmissionCount += UInt64(max(1, (range.count + TCP.segmentBytes - 1) / TCP.segmentBytes))
    congestion.noteSent(range.count, isRetransmission: true, at: now)
    lastSentAt = now
    // The answer to the first segment is what the time-out waits for.
    let isFirst = range.lowerBound == unacknowledged
    if timer == nil || (isFirst && timer?.purpose != .reordering) { restartRetransmission(now) }
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
  mutating func acknowledge(with segment: borrowing Segment, at now: Int64) -> Bool {
    let sequence = segment.acknowledgementNumber
    guard sequence >= unacknowledged, sequence <= nextSequence else { return false }
    takeWindow(segment)
    let isAdvance = sequence > unacknowledged
    let delivery = takeDelivery(segment, at: now)
    if isAdvance { advance(to: sequence) }
    let isTimed = sampleRoundTrip(delivery, isAdvance, segment.echoedTimestamp, at: now)
    concludeTailLossProbe(segment, delivery)
    review(delivery, isAdvance, segment.echoedTimestamp)
    let lostBefore = scoreboard.lostBytes
    let mayBeReordered = detectLosses(now).mayBeReordered
    congestion.adjust(
      delivery, isAdvance: isAdvance, hasNewLoss: scoreboard.lostBytes > lostBefore,
      inFlight: inFlight, at: now)
    bufferBytes = max(bufferBytes, min(2 * congestion.bytes, Self.bufferBytesMax))
    if !isInFlight {
      timer = nil
    } else if !mayBeReordered, isAdvance || (isTimed && isFirstWaitedFor(delivery)) {
      if !scheduleProbe(now, isProgress: true) { armRetransmission(now) }
    }
    if scoreboard.lostBytes == 0 { retransmitsAtOnce = false }
    return isAdvance
  }

  private mutating func takeDelivery(_ segment: borrowing Segment, at now: Int64) -> Delivery {
    var delivery = Delivery()
    let moment = Scoreboard.Moment(
      now: now, leastRoundTrip: roundTrips.least, recoveryEnd: congestion.recoveryEnd,
      highestArrived: scoreboard.highestArrived)
    delivery.isDuplicate = segment.duplicate != nil
    if !segment.selectiveAcknowledgements.isEmpty {
      let blocks = segment.selectiveAcknowledgements.sorted { $0.lowerBound < $1.lowerBound }
      for block in blocks where block.lowerBound >= unacknowledged {
        scoreboard.sack(block, at: moment, into: &delivery)
      }
    }
    scoreboard.acknowledge(
      upTo: segment.acknowledgementNumber, echo: segment.echoedTimestamp, at: moment,
      into: &delivery)
    return delivery
  }

  /// An older segment must not take back what a newer one said of the window.
  private mutating func takeWindow(_ segment: borrowing Segment) {
    guard
      segment.acknowledgementNumber > unacknowledged
        || segment.sequenceNumber > windowUpdateSequence
        || (segment.sequenceNumber == windowUpdateSequence && segment.window > sendWindow)
    else { return }
    (sendWindow, windowUpdateSequence) = (segment.window, segment.sequenceNumber)
  }

  private mutating func advance(to sequence: Int) {
    let isEnd = sequence > end
    bytes.drop(min(sequence - unacknowledged, bytes.count))
    isFINAcknowledged = isEnd
    unacknowledged = sequence
    timeouts = 0
  }

  /// Takes the time that an answer took: to a segment that was sent once, or else to the one that the timestamp names.
  ///
  /// - Returns: Whether there is such a time.
  private mutating func sampleRoundTrip(
    _ delivery: Delivery, _ isAdvance: Bool, _ echo: Int64, at now: Int64
  ) -> Bool {
    if let latest = delivery.latest {
      congestion.note(
        roundTrip: now - latest, at: now, acknowledged: unacknowledged, next: nextSequence)
    }
    guard let timed = delivery.timed ?? (isAdvance ? (echo, echo) : nil) else { return false }
    roundTrips.sample(
      now - timed.first, shortest: now - timed.last, acknowledged: unacknowledged,
      next: nextSequence)
    return true
  }

  /// Whether what has arrived behind a gap was sent before the first segment that is missing, was last: the answer
  /// to that one is still to come, so the time-out counts from now.
  private func isFirstWaitedFor(_ delivery: Delivery) -> Bool {
    guard let sacked = delivery.sacked, let first = scoreboard.first else { return false }
    return sacked.first < first.sentAt
  }

  private mutating func review(_ delivery: Delivery, _ isAdvance: Bool, _ echo: Int64) {
    prefersNew = false
    let verdict = congestion.review(
      delivery, isAdvance: isAdvance, upTo: unacknowledged, next: nextSequence, echo: echo,
      retransmissionsInFlight: scoreboard.retransmissionsInFlight)
    switch verdict {
    case .none: break
    case .undone:
      scoreboard.undo()
      retransmitsAtOnce = false
    case .probes: prefersNew = true
    }
  }

  /// - Returns: Whether recovery begins, and whether some may have been overtaken only, which time will show.
  private mutating func detectLosses(_ now: Int64) -> (beginsRecovery: Bool, mayBeReordered: Bool) {
    let count = scoreboard.lostRetransmissionCount
    let next = scoreboard.detectLosses(
      at: now, leastRoundTrip: roundTrips.least, isRecovering: congestion.phase != .open)
    if let next { timer = StreamTimer(.reordering, at: next + Self.leastTimeout, setAt: now) }
    let isLostAgain = scoreboard.lostRetransmissionCount > count
    let begins =
      scoreboard.hasLosses && congestion.recover(until: nextSequence, isLostAgain: isLostAgain)
    if begins { tailLossProbe = nil }
    return (begins, next != nil)
  }
}

// MARK: Deadlines

extension OutboundStream {
  /// What to do because time has passed.
  enum Overdue { case nothing, probe, transmit, timedOut }

  mutating func deadlineReached(at now: Int64) -> Overdue {
    guard let timer, timer.deadline <= now else { return .nothing }
    switch timer.purpose {
    case .probing: return .probe
    case .retransmission:
      timeOut(now)
      return .timedOut
    case .reordering:
      if detectLosses(now).beginsRecovery { congestion.beginByTime(inFlight: inFlight) }
      armRetransmission(now)
      return .transmit
    }
  }

  /// Sets the timer to the time-out; what was waited for instead has not lengthened the time since the first segment was sent.
  private mutating func armRetransmission(_ now: Int64) {
    guard let timer, timer.purpose != .retransmission else { return restartRetransmission(now) }
    let left = (scoreboard.first?.sentAt ?? now) + retransmissionTimeout - now
    self.timer = StreamTimer(.retransmission, at: now + max(left, 1_000), setAt: now)
  }

  private mutating func restartRetransmission(_ now: Int64) {
    timer = StreamTimer(.retransmission, at: now + retransmissionTimeout, setAt: now)
  }

  private mutating func timeOut(_ now: Int64) {
    scoreboard.timeOut(at: now)
    congestion.timeOut(until: nextSequence, remaining: inFlight, isRepeated: timeouts > 0, at: now)
    timeouts += 1
    roundTrips.backOff()
    (retransmitsAtOnce, prefersNew, tailLossProbe) = (true, false, nil)
    restartRetransmission(now)
  }

  // MARK: Tail loss probes

  /// Has the last one of a flight retransmitted after two round trips, or a new one sent.
  ///
  /// The last segments have none behind them that would show their loss (RFC 8985 §7). It waits no longer than the time-out,
  /// which begins anew with progress, and otherwise counts from the sending of the first segment.
  ///
  /// - Returns: Whether the connection probes at all now.
  @discardableResult
  private mutating func scheduleProbe(_ now: Int64, isProgress: Bool) -> Bool {
    guard congestion.phase == .open, scoreboard.sackedBytes == 0,
      let roundTrip = roundTrips.smoothed, let first = scoreboard.first
    else { return false }
    let isAlone = first.end == nextSequence
    let wait = 2 * roundTrip + (isAlone ? TCP.delayedAcknowledgementMax : Self.leastTimeout)
    let left = isProgress ? retransmissionTimeout : first.sentAt + retransmissionTimeout - now
    timer = StreamTimer(.probing, at: now + (left > 0 ? min(wait, left) : wait), setAt: now)
    return true
  }

  /// The tail loss probe, whose time has come; none while an earlier one is not answered.
  mutating func takeTailLossProbe(atMost largest: Int, at now: Int64) -> Outgoing? {
    let before = nextSequence
    guard tailLossProbe == nil,
      let probe = newSegment(atMost: largest, within: TCP.segmentBytes, isProbe: true, at: now)
        ?? scoreboard.retransmitLast(atMost: largest, at: now).map({ retransmitted($0, at: now) })
    else {
      armRetransmission(now)
      return nil
    }
    tailLossProbe = (nextSequence, nextSequence == before)
    restartRetransmission(now)
    return probe
  }

  /// An answer beyond a probe that was a retransmission says that the segment had been lost, unless it has arrived twice.
  private mutating func concludeTailLossProbe(_ segment: borrowing Segment, _ delivery: Delivery) {
    guard let probe = tailLossProbe, unacknowledged >= probe.end else { return }
    if !probe.isRetransmission || segment.duplicate?.upperBound == probe.end {
      tailLossProbe = nil
    } else if unacknowledged > probe.end {
      tailLossProbe = nil
      congestion.reduceOnce()
    } else if segment.acknowledgementNumber == probe.end, delivery.bytes == 0 {
      tailLossProbe = nil
    }
  }

  private static let leastTimeout: Int64 = 2_000_000
}
