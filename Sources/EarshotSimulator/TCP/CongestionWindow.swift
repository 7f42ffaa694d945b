/// How many bytes may be in flight: slow start, congestion avoidance, and the answer to losses.
///
/// CUBIC or Reno, with a window that shrinks as fast as segments arrive (RFC 6937). A loss that turns out to be none is
/// undone: what was sent first arrived after all (RFC 3522, RFC 5682), or all that was sent again arrived twice (RFC 2883).
///
/// - SeeAlso: RFC 5681, RFC 6675.
struct CongestionWindow {
  /// What the connection is doing about losses.
  enum Phase: Equatable {
    case open
    /// Fast recovery, until everything up to a sequence number is acknowledged.
    case recovery(until: Int)
    /// After a time-out, the same.
    case loss(until: Int)
  }
  /// The congestion window, cwnd.
  private(set) var bytes = 10 * TCP.segmentBytes
  private(set) var phase = Phase.open
  /// ssthresh.
  private var slowStartThreshold = Int.max
  /// Bytes that were acknowledged towards the next segment of the window.
  private var credit = 0
  private let control: CongestionControl
  private var cubic = CubicWindow()
  private var hyStart = HyStart()
  private var reduction: RateReduction?
  private var evidence: LossEvidence?
  private var retransmissions = Retransmissions()
  /// A time-out may have been needless: what comes next shows it (F-RTO).
  private var doubtsTimeout = false
  // Whether the window, and not the application, decided how much was sent in the last round trip.
  private var isLimiting = false
  private var usedBytes = 0
  private var usageEnd = 0
  // Since when the application has left a part of the window unused, and the most it used since.
  private var starvedSince: Int64 = 0
  private var starvedBytes = 0

  /// Begins with ten segments (RFC 6928).
  init(_ control: CongestionControl) { self.control = control }

  /// Begins with one segment, since more than one SYN was lost (RFC 6298 §5.7).
  mutating func beginSmall() { bytes = TCP.segmentBytes }

  /// What had been sent when losses were noticed that the connection recovers from (RecoveryPoint).
  var recoveryEnd: Int? {
    switch phase {
    case .open: nil
    case .recovery(let end), .loss(let end): end
    }
  }

  // MARK: Acknowledgements

  /// What an acknowledgement says about segments that were taken for lost.
  enum Verdict {
    case none
    /// They were not lost.
    case undone
    /// A time-out may have been needless; something new is sent to find out.
    case probes
  }

  /// Takes in an acknowledgement, before losses are looked for.
  mutating func review(
    _ delivery: Delivery, isAdvance: Bool, upTo sequence: Int, next: Int, echo: Int64,
    retransmissionsInFlight: Int
  ) -> Verdict {
    retransmissions.inFlight = retransmissionsInFlight
    if retransmissionsInFlight == 0, phase == .open { retransmissions.firstAt = nil }
    if delivery.isDuplicate { evidence?.noteDuplicate() }
    switch phase {
    case .open: return .none
    case .recovery(let end) where sequence >= end:
      if evidence?.isRefuted(echo: echo) == true { undo() } else { bytes = slowStartThreshold }
      leave()
      return .none
    case .recovery:
      if isAdvance, evidence?.isOvertaken(echo: echo) == true {
        guard retransmissionsInFlight == 0 else { return .none }
        undo()
        leave()
        return .undone
      }
      guard evidence?.isAllDuplicate == true else { return .none }
      undo()
      leave()
      return .none
    case .loss(let end):
      return reviewTimeout(
        delivery, isAdvance: isAdvance, upTo: sequence, next: next, echo: echo, end)
    }
  }

  private mutating func reviewTimeout(
    _ delivery: Delivery, isAdvance: Bool, upTo sequence: Int, next: Int, echo: Int64, _ end: Int
  ) -> Verdict {
    let isRefuted = isAdvance && evidence?.isRefuted(echo: echo) == true
    if isRefuted || (doubtsTimeout && delivery.isOriginalDelivered) {
      undo()
      leave()
      return .undone
    }
    if doubtsTimeout {
      if next > end {
        if delivery.isSelective || !isAdvance { doubtsTimeout = false }
      } else if isAdvance, sequence < end {
        phase = .loss(until: next)
        return .probes
      }
    }
    if sequence >= end { leave() }
    return .none
  }

  /// Nothing new could be sent: what is lost is retransmitted after all.
  mutating func stopDoubting() { doubtsTimeout = false }

  /// Takes in the time from the last segment that is acknowledged now to its acknowledgement, before losses are looked for.
  mutating func note(
    roundTrip: Int64, at now: Int64, acknowledged: Int, next: Int
  ) {
    guard control == .cubic, cubic.note(roundTrip: roundTrip, at: now), bytes < slowStartThreshold
    else { return }
    hyStart.note(
      HyStart.Sample(
        roundTrip: roundTrip, least: cubic.leastRoundTrip, now: now, acknowledged: acknowledged,
        next: next, window: bytes / TCP.segmentBytes))
    if hyStart.isOver { slowStartThreshold = bytes }
  }

  /// Sets the window, after losses were looked for.
  mutating func adjust(
    _ delivery: Delivery, isAdvance: Bool, hasNewLoss: Bool, inFlight: Int, at now: Int64
  ) {
    if case .recovery = phase {
      guard delivery.bytes > 0 else { return }
      shrink(delivered: delivery.bytes, inFlight, isClean: isAdvance && !hasNewLoss)
    } else if isAdvance {
      if case .loss = phase { isLimiting = true }
      grow(by: delivery.bytes, at: now)
    }
  }

  private mutating func shrink(delivered: Int, _ inFlight: Int, isClean: Bool) {
    let allowance = reduction?.allowance(
      delivered: delivered, inFlight: inFlight, isClean: isClean)
    bytes = inFlight + (allowance ?? 0)
  }

  // MARK: Losses

  /// Segments are lost: fast recovery begins, unless the connection is recovering already.
  ///
  /// As with Linux, it begins anew after a time-out when what was sent again since is lost again.
  ///
  /// - Parameters:
  ///   - end: Up to where everything was sent.
  ///   - isLostAgain: Whether segments that were sent again are among the lost ones.
  /// - Returns: Whether it begins.
  mutating func recover(until end: Int, isLostAgain: Bool) -> Bool {
    switch phase {
    case .open: break
    case .loss where isLostAgain: doubtsTimeout = false
    case .loss, .recovery: return false
    }
    reduce()
    reduction = RateReduction(from: bytes, to: slowStartThreshold)
    phase = .recovery(until: end)
    return true
  }

  /// Recovery begins because time has passed, and not because of an acknowledgement.
  mutating func beginByTime(inFlight: Int) {
    shrink(delivered: TCP.segmentBytes, inFlight, isClean: false)
  }

  /// A retransmission timeout: everything that may be lost is retransmitted, slowly at first.
  ///
  /// - Parameters:
  ///   - end: Up to where everything was sent.
  ///   - remaining: What is in flight besides.
  ///   - isRepeated: Whether nothing was acknowledged since the last time-out.
  ///   - now: The time.
  mutating func timeOut(until end: Int, remaining: Int, isRepeated: Bool, at now: Int64) {
    switch phase {
    case .open:
      reduce()
      doubtsTimeout = true
    case .recovery: doubtsTimeout = isRepeated
    case .loss:
      if !isRepeated { reduce() }
      doubtsTimeout = isRepeated
    }
    bytes = remaining + TCP.segmentBytes
    (phase, credit, reduction) = (.loss(until: end), 0, nil)
    cubic.reset()
    hyStart.reset(at: now, next: end)
  }

  /// A loss that a probe has made good (RFC 8985 §7.4).
  mutating func reduceOnce() {
    guard phase == .open else { return }
    reduce()
    bytes = slowStartThreshold
    leave()
  }

  /// Nothing was in flight, or for longer than a time-out, which halves the window each time (RFC 2861).
  mutating func restart(afterIdleFrom start: Int64, to now: Int64, timeout: Int64) {
    cubic.pause(from: start, to: now)
    var left = now - start - timeout
    while left > 0, bytes > Self.initialBytes {
      bytes = max(Self.initialBytes, bytes / 2)
      left -= timeout
    }
    if now - start > timeout { (starvedSince, starvedBytes) = (now, 0) }
  }

  /// Notes how much is in flight when nothing is left to be sent.
  ///
  /// A window that the application has not filled for a time-out comes halfway to what was used of
  /// it (RFC 2861 §3.2, and `tcp_cwnd_application_limited` in Linux).
  mutating func noteStarving(_ inFlight: Int, at now: Int64, timeout: Int64) {
    guard !isFilled else { return (starvedSince, starvedBytes) = (now, 0) }
    starvedBytes = max(starvedBytes, inFlight)
    guard now - starvedSince >= timeout else { return }
    let used = max(starvedBytes, Self.initialBytes)
    if phase == .open, used < bytes {
      slowStartThreshold = max(slowStartThreshold, bytes / 4 * 3)
      bytes = (bytes + used) / 2
    }
    (starvedSince, starvedBytes) = (now, 0)
  }

  /// Whether the window was filled in the last round trip, or nearly while it doubles.
  private var isFilled: Bool { isLimiting || (bytes < slowStartThreshold && bytes < 2 * usedBytes) }

  /// Notes what is sent; whether again.
  mutating func noteSent(_ count: Int, isRetransmission: Bool, at now: Int64) {
    reduction?.noteSent(count)
    guard isRetransmission else { return }
    if retransmissions.firstAt == nil { retransmissions.firstAt = now }
    evidence?.noteRetransmission(at: now)
  }

  /// Notes how much is in flight after sending, and whether it would have been more but for the window.
  mutating func noteUsage(_ inFlight: Int, acknowledged: Int, next: Int, isLimited: Bool) {
    guard isLimited || acknowledged >= usageEnd || (!isLimiting && inFlight > usedBytes) else {
      return
    }
    (isLimiting, usedBytes, usageEnd) = (isLimited, inFlight, next)
  }

  private mutating func reduce() {
    evidence = LossEvidence(
      bytes: bytes, slowStartThreshold: max(slowStartThreshold, bytes / 4 * 3),
      earlier: retransmissions)
    let window = bytes / TCP.segmentBytes
    let reduced = control == .reno ? window / 2 : cubic.reduce(window)
    slowStartThreshold = max(reduced, 2) * TCP.segmentBytes
    credit = 0
  }

  /// Takes the answer to the loss back.
  private mutating func undo() {
    guard let evidence else { return }
    bytes = max(bytes, evidence.bytes)
    slowStartThreshold = max(slowStartThreshold, evidence.slowStartThreshold)
  }

  private mutating func leave() {
    (phase, evidence, reduction, credit, doubtsTimeout) = (.open, nil, nil, 0, false)
    if retransmissions.inFlight == 0 { retransmissions.firstAt = nil }
  }

  private mutating func grow(by count: Int, at now: Int64) {
    guard isFilled else { return }
    let isSlowStart = bytes < slowStartThreshold
    let step = isSlowStart ? min(count, slowStartThreshold - bytes) : 0
    bytes += step
    if count > step { avoidCongestion(count - step, at: now) }
    bytes = min(bytes, Self.bytesMax)
  }

  private mutating func avoidCongestion(_ count: Int, at now: Int64) {
    let interval = growthInterval(count, at: now) * TCP.segmentBytes
    if credit >= interval {
      credit = 0
      bytes += TCP.segmentBytes
    }
    credit += count
    bytes += credit / interval * TCP.segmentBytes
    credit %= interval
  }

  /// After how many acknowledged segments the window grows by one.
  private mutating func growthInterval(_ acknowledged: Int, at now: Int64) -> Int {
    let window = max(1, bytes / TCP.segmentBytes)
    return control == .reno
      ? window : cubic.interval(window, acknowledged: acknowledged, at: now)
  }

  private static let initialBytes = 10 * TCP.segmentBytes
  private static let bytesMax = 4 * OutboundStream.bufferBytesMax
}
